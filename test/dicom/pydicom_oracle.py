#!/usr/bin/env python3
"""Reads the same DICOM CT series with this project's program and with pydicom, and compares every voxel and the grid.

Usage: pydicom_oracle.py PROGRAM VENV. PROGRAM is the command-line program radiography; VENV is a folder for a Python
environment, made with pip's packages when it is not there. Small series are written by pydicom, so that neither reader nor
writer is ours; series of the folder RADIOGRAPHY_TEST_DATA, if that is set, are read in addition. Where pydicom (or
SimpleITK, with ITK's GDCM reader, if it is in the environment) gives something else, that is stated here as well, with
who is right by the standard: see doc/dicom.md. Exit status 77: skipped, which is said aloud.
"""

import itertools
import os
import pathlib
import subprocess
import sys
import tempfile
import zlib

PACKAGES = ["numpy", "pydicom==3.*", "pyjpegls", "pylibjpeg", "pylibjpeg-libjpeg", "pylibjpeg-openjpeg"]


def run_in_environment(folder):
    """Starts this script again with the environment's Python."""
    python = pathlib.Path(folder) / "bin" / "python3"
    try:
        if not (pathlib.Path(folder) / "complete").exists():
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True, timeout=300)
            (pathlib.Path(folder) / "complete").touch()
    except (OSError, subprocess.SubprocessError) as error:
        print(f"No Python environment with pydicom can be made ({error}): the comparison with pydicom is SKIPPED.")
        sys.exit(77)
    os.execv(python, [str(python), __file__, sys.argv[1]])


if len(sys.argv) == 3:
    run_in_environment(sys.argv[2])

import numpy as np  # noqa: E402
import pydicom  # noqa: E402
from pydicom import uid  # noqa: E402
from pydicom.dataset import Dataset, FileMetaDataset  # noqa: E402
from pydicom.sequence import Sequence  # noqa: E402

try:
    import SimpleITK
except ImportError:
    SimpleITK = None

COLUMNS, ROWS, SLICES = 12, 10, 6
AXIAL = (1, 0, 0, 0, 1, 0)


# --- what is written -----------------------------------------------------------------------------


def stored_slice(k):
    c, r = np.meshgrid(np.arange(COLUMNS), np.arange(ROWS))
    return 1000 + c + 20 * r + 300 * k


def base_dataset(sop_class, instance):
    ds = Dataset()
    ds.file_meta = FileMetaDataset()
    ds.file_meta.MediaStorageSOPClassUID = ds.SOPClassUID = sop_class
    ds.file_meta.MediaStorageSOPInstanceUID = ds.SOPInstanceUID = f"1.2.3.4.5.9.{instance}"
    ds.StudyInstanceUID, ds.SeriesInstanceUID, ds.FrameOfReferenceUID = "1.2.3.4.5.1", "1.2.3.4.5.2", "1.2.3.4.5.3"
    ds.Modality = "CT"
    ds.PhotometricInterpretation = "MONOCHROME2"
    ds.SamplesPerPixel = 1
    ds.Rows, ds.Columns = ROWS, COLUMNS
    ds.BitsAllocated, ds.BitsStored, ds.HighBit, ds.PixelRepresentation = 16, 16, 15, 0
    return ds


def ct_slice(k, orientation=AXIAL):
    """Slice k of the phantom, 2.5 mm along the normal."""
    ds = base_dataset(uid.CTImageStorage, k + 1)
    ds.ImageType = ["ORIGINAL", "PRIMARY", "AXIAL"]
    ds.InstanceNumber = k + 1
    normal = np.cross(orientation[:3], orientation[3:])
    ds.ImagePositionPatient = [f"{x:.10g}" for x in np.array([-10.0, 20.0, 0.0]) + 2.5 * k * normal]
    ds.ImageOrientationPatient = [f"{x:.12g}" for x in orientation]
    ds.PixelSpacing = ["0.7", "0.5"]
    ds.SliceThickness = "4"
    ds.RescaleSlope, ds.RescaleIntercept = "1", "-1024"
    ds.PixelData = stored_slice(k).astype("<u2").tobytes()
    ds["PixelData"].VR = "OW"
    return ds


def save(ds, path, syntax):
    """In the syntax asked for, encoded by pydicom's plugins where it is a compressed one."""
    ds.file_meta.TransferSyntaxUID = uid.ExplicitVRLittleEndian
    if syntax.is_compressed and syntax != uid.DeflatedExplicitVRLittleEndian:
        ds.compress(syntax, generate_instance_uid=False)
    elif syntax == uid.ExplicitVRBigEndian:
        ds.PixelData = np.frombuffer(ds.PixelData, "<u2").astype(">u2").tobytes()
    ds.file_meta.TransferSyntaxUID = syntax
    ds.save_as(path, enforce_file_format=True, little_endian=syntax.is_little_endian, implicit_vr=syntax.is_implicit_VR)


def write_series(folder, change=lambda ds, k: None, syntax=uid.ExplicitVRLittleEndian, orientation=AXIAL, order=None):
    for name, k in enumerate(order or range(SLICES)):
        ds = ct_slice(k, orientation)
        change(ds, k)
        save(ds, folder / f"s{name}", syntax)


def enhanced_ct(order):
    """All slices in one file, frames in this order, each with a slope of its own."""

    def item(**values):
        one = Dataset()
        for name, value in values.items():
            setattr(one, name, value)
        return one

    ds = base_dataset(uid.EnhancedCTImageStorage, 1)
    ds.ImageType = ["ORIGINAL", "PRIMARY", "VOLUME", "NONE"]
    ds.NumberOfFrames = len(order)
    measures = item(PixelSpacing=["0.7", "0.5"], SliceThickness="4")
    shared = item(
        PixelMeasuresSequence=Sequence([measures]),
        PlaneOrientationSequence=Sequence([item(ImageOrientationPatient=list(AXIAL))]),
    )
    ds.SharedFunctionalGroupsSequence = Sequence([shared])
    frames = []
    for k in order:
        position = item(ImagePositionPatient=["-10", "20", f"{2.5 * k}"])
        values = item(RescaleSlope=f"{1 + k}", RescaleIntercept="-1024", RescaleType="HU")
        frame_type = item(FrameType=["ORIGINAL", "PRIMARY", "VOLUME", "NONE"])
        frames.append(
            item(
                PlanePositionSequence=Sequence([position]),
                PixelValueTransformationSequence=Sequence([values]),
                CTImageFrameTypeSequence=Sequence([frame_type]),
            )
        )
    ds.PerFrameFunctionalGroupsSequence = Sequence(frames)
    ds.PixelData = np.stack([stored_slice(k) for k in order]).astype("<u2").tobytes()
    ds["PixelData"].VR = "OW"
    return ds


# --- what is read --------------------------------------------------------------------------------


class Volume:
    """Voxels [slice, row, column] in HU as float32, origin, spacing and direction (columns) in LPS."""

    def __init__(self, voxels, origin, spacing, direction):
        self.voxels, self.origin = voxels, np.array(origin)
        self.spacing, self.direction = np.array(spacing), np.array(direction)

    def differences(self, other):
        """What differs, in words; nothing where both are the same."""
        found = []
        if self.voxels.shape != other.voxels.shape:
            return [f"size {self.voxels.shape} and {other.voxels.shape}"]
        unequal = int((self.voxels != other.voxels).sum())
        if unequal:
            largest = np.abs(self.voxels.astype(float) - other.voxels).max()
            found.append(f"{unequal} voxels, by up to {largest:g}")
        for name in ("origin", "spacing", "direction"):
            mine, others = getattr(self, name), getattr(other, name)
            if not np.allclose(mine, others, rtol=0, atol=1e-6):
                found.append(f"{name} {mine.tolist()} and {others.tolist()}")
        return found


def read_with_radiography(folder, *options):
    with tempfile.TemporaryDirectory() as out:
        path = pathlib.Path(out) / "v.mha"
        result = subprocess.run([sys.argv[1], "volume", folder, path, *options], capture_output=True, text=True)
        if result.returncode != 0:
            raise RuntimeError(result.stderr.strip())
        header, data = {}, path.read_bytes()
        while "ElementDataFile" not in header:
            line, data = data.split(b"\n", 1)
            key, value = line.decode().split(" = ")
            header[key] = value
    if header["CompressedData"] == "True":
        data = zlib.decompress(data)
    numbers = lambda key: [float(x) for x in header[key].split()]  # noqa: E731
    size = [int(x) for x in header["DimSize"].split()]
    return Volume(
        np.frombuffer(data, "<f4").reshape(size[::-1]),
        numbers("Offset"),
        numbers("ElementSpacing"),
        np.array(numbers("TransformMatrix")).reshape(3, 3).T,
    )


class Plane:
    """One slice as pydicom understands it: PS3.3 C.7.6.2.1.1 and C.11.1."""

    def __init__(self, stored, position, orientation, spacing, slope, intercept):
        self.position = np.array([float(x) for x in position])
        self.orientation = np.array([float(x) for x in orientation])
        self.spacing = [float(x) for x in spacing]
        self.voxels = (stored.astype(float) * float(slope) + float(intercept)).astype("f4")
        self.normal = np.cross(self.orientation[:3], self.orientation[3:])


def planes_of(ds):
    stored = ds.pixel_array
    if "PerFrameFunctionalGroupsSequence" not in ds:
        return [
            Plane(
                stored,
                ds.ImagePositionPatient,
                ds.ImageOrientationPatient,
                ds.PixelSpacing,
                ds.RescaleSlope,
                ds.RescaleIntercept,
            )
        ]
    shared = ds.SharedFunctionalGroupsSequence[0]
    planes = []
    for frame, own in zip(stored, ds.PerFrameFunctionalGroupsSequence):
        values = own.PixelValueTransformationSequence[0]
        planes.append(
            Plane(
                frame,
                own.PlanePositionSequence[0].ImagePositionPatient,
                shared.PlaneOrientationSequence[0].ImageOrientationPatient,
                shared.PixelMeasuresSequence[0].PixelSpacing,
                values.RescaleSlope,
                values.RescaleIntercept,
            )
        )
    return planes


def ct_files(folder):
    """Of the series with most CT slices."""
    series = {}
    for path in sorted(p for p in pathlib.Path(folder).rglob("*") if p.is_file()):
        try:
            ds = pydicom.dcmread(path, stop_before_pixels=True)
        except pydicom.errors.InvalidDicomError:
            continue
        is_ct = ds.get("SOPClassUID") in (uid.CTImageStorage, uid.EnhancedCTImageStorage)
        if is_ct and "LOCALIZER" not in ds.get("ImageType", []):
            series.setdefault(ds.SeriesInstanceUID, []).append(path)
    return max(series.values(), key=len)


def read_with_pydicom(folder):
    planes = list(itertools.chain(*(planes_of(pydicom.dcmread(path)) for path in ct_files(folder))))
    normal = planes[0].normal
    planes.sort(key=lambda plane: normal @ plane.position)
    first, last = planes[0], planes[-1]
    step = normal @ (last.position - first.position) / max(len(planes) - 1, 1)
    return Volume(
        np.stack([plane.voxels for plane in planes]),
        first.position,
        [first.spacing[1], first.spacing[0], step],
        np.stack([first.orientation[:3], first.orientation[3:], normal], axis=1),
    )


def read_with_gdcm(folder):
    """ITK's series reader, as people use it, in the folder where the files are."""
    names = SimpleITK.ImageSeriesReader.GetGDCMSeriesFileNames(str(ct_files(folder)[0].parent))
    image = SimpleITK.ReadImage(names if len(names) > 1 else names[0])
    return Volume(
        SimpleITK.GetArrayFromImage(image).astype("f4"),
        image.GetOrigin(),
        image.GetSpacing(),
        np.array(image.GetDirection()).reshape(3, 3),
    )


# --- what is compared ----------------------------------------------------------------------------

failures = []
said = []


def outcome_of(read, folder, reference):
    """In words: the same, what differs, or how it was refused."""
    try:
        return "; ".join(reference.differences(read(folder))) or "same"
    except Exception as error:  # a reader may throw what it likes
        return f"refused ({type(error).__name__}: {str(error).splitlines()[0][:100]})"


def expect_same(name, folder, *options):
    """Program and pydicom agree; what ITK's GDCM makes of it is only told."""
    reference = read_with_pydicom(folder)
    try:
        differences = reference.differences(read_with_radiography(folder, *options))
    except RuntimeError as error:
        differences = [str(error)]
    gdcm = outcome_of(read_with_gdcm, folder, reference) if SimpleITK else "not asked"
    said.append(f"{name}: pydicom and radiography {'DIFFER: ' + '; '.join(differences) if differences else 'same'}; GDCM {gdcm}")
    if differences:
        failures.append(name)


def expect_refused(name, folder, word):
    """The program refuses, whatever others do."""
    try:
        read_with_radiography(folder)
        failures.append(name)
        said.append(f"{name}: radiography read it")
        return
    except RuntimeError as error:
        text = str(error)
    if word not in text:
        failures.append(name)
    try:
        other = read_with_pydicom(folder)
        theirs = f"pydicom, stacked as it stands: {other.voxels.shape}, spacing {other.spacing.tolist()}"
        gdcm = outcome_of(read_with_gdcm, folder, other) if SimpleITK else "not asked"
    except Exception as error:
        theirs, gdcm = f"pydicom refused ({type(error).__name__}: {error})", "not asked"
    said.append(f"{name}: radiography refused ({word}); {theirs}; GDCM against that: {gdcm}")


def in_new_folder(write):
    folder = tempfile.TemporaryDirectory()
    write(pathlib.Path(folder.name))
    return folder


def compare_written_series():
    def series(name, **options):
        with in_new_folder(lambda folder: write_series(folder, **options)) as folder:
            expect_same(name, folder)

    for syntax in (
        uid.ExplicitVRLittleEndian,
        uid.ImplicitVRLittleEndian,
        uid.ExplicitVRBigEndian,
        uid.DeflatedExplicitVRLittleEndian,
        uid.RLELossless,
        uid.JPEGLSLossless,
    ):
        series(syntax.name, syntax=syntax)
    series("files in no order", order=[3, 0, 5, 1, 4, 2])
    series("coronal", orientation=(1, 0, 0, 0, 0, -1))
    series("sagittal", orientation=(0, 1, 0, 0, 0, -1))
    series("oblique", orientation=(0.8, 0.6, 0, 0.36, -0.48, 0.8))

    def slopes(ds, k):
        ds.RescaleSlope, ds.RescaleIntercept = ("1", "0.5", "0.01")[k % 3], ("-1024", "0", "7.25")[k % 3]

    series("slope and intercept of each slice", change=slopes)

    def signed(ds, k):
        ds.PixelRepresentation, ds.BitsStored, ds.HighBit = 1, 12, 11
        ds.PixelData = ((stored_slice(k) - 2000) & 0xFFF).astype("<u2").tobytes()

    series("signed 12 bits", change=signed)

    def eight_bits(ds, k):
        ds.BitsAllocated, ds.BitsStored, ds.HighBit = 8, 8, 7
        ds.PixelData = (stored_slice(k) % 251).astype("u1").tobytes()

    series("8 bits", change=eight_bits)

    def garbage(ds, k):
        ds.BitsStored, ds.HighBit = 12, 11
        ds.PixelData = (stored_slice(k) | 0x5000).astype("<u2").tobytes()

    series("garbage above 12 bits", change=garbage)
    for order in ([0, 1, 2, 3, 4, 5], [4, 1, 5, 0, 2, 3]):
        with in_new_folder(lambda folder: save(enhanced_ct(order), folder / "e", uid.ExplicitVRLittleEndian)) as folder:
            expect_same(f"enhanced CT, frames {order}", folder)


def expect_refusals():
    def refused(name, word, **options):
        with in_new_folder(lambda folder: write_series(folder, **options)) as folder:
            expect_refused(name, folder, word)

    def tilt(ds, k):
        ds.ImagePositionPatient = ["-10", f"{20 + k}", f"{2.5 * k}"]

    def uneven(ds, k):
        ds.ImagePositionPatient = ["-10", "20", f"{2.5 * k + (1 if k > 2 else 0)}"]

    def no_rescale(ds, k):
        del ds.RescaleSlope, ds.RescaleIntercept

    refused("tilted", "gantry tilt", change=tilt)
    refused("uneven steps", "uneven", change=uneven)
    refused("a slice missing", "missing", order=[0, 1, 3, 4, 5])
    refused("no rescale tags", "RescaleSlope", change=no_rescale)


def compare_real_series():
    data = os.environ.get("RADIOGRAPHY_TEST_DATA")
    if not data:
        print("RADIOGRAPHY_TEST_DATA is not set: real series are SKIPPED.")
        return
    expect_same("chest", pathlib.Path(data) / "ct-chest-lidc-0001")
    expect_same("messy folder", pathlib.Path(data) / "ct-messy-folder")
    lossless = ("1.2.840.10008.1.2", "4.57", "4.70", "4.80", "4.90", ".1.2.1", ".1.2.2", ".1.2.5", ".1.99")
    for path in sorted((pathlib.Path(data) / "ct-transfer-syntaxes").glob("*.dcm")):
        ds = pydicom.dcmread(path, stop_before_pixels=True)
        if ds.file_meta.TransferSyntaxUID.endswith(lossless):
            with in_new_folder(lambda folder: (folder / "x").symlink_to(path)) as folder:
                compare_single_slice(f"{path.name} ({ds.file_meta.TransferSyntaxUID.name})", folder, ds)


def compare_single_slice(name, folder, ds):
    """Voxels only: the third spacing of one slice is no question of the standard. Padding is air with us."""
    reference = read_with_pydicom(folder)
    try:
        mine = read_with_radiography(folder)
        equal = (mine.voxels == reference.voxels) | (mine.voxels == -1000)
        text = "same" if equal.all() else f"DIFFER in {int((~equal).sum())} voxels"
    except RuntimeError as error:
        text = f"DIFFER: {error}"
    said.append(f"{name}: pydicom and radiography {text}")
    if text != "same":
        failures.append(name)


compare_written_series()
expect_refusals()
compare_real_series()
print("\n".join(said))
print(f"pydicom {pydicom.__version__}: {len(said)} cases, {len(failures)} failed" + "".join(f"\n  {f}" for f in failures))
sys.exit(1 if failures else 0)
