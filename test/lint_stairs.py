#!/usr/bin/env python3
"""Keeps the house in order: which room may include which (doc/architecture.md).

Downstairs (kernel, compute) knows nothing of ITK nor of anything upstairs; kernel does not know compute; upstairs each
room includes only rooms to its left, geometry and the stairs. Public headers are assigned to rooms by OWNER below.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Upstairs from left to right; `derivative` and `geometry` are at everybody's service.
UPSTAIRS = ["derivative", "geometry", "dicom", "attenuation", "projection", "transmission", "likelihood", "registration"]
MAY_USE = {"kernel": set(), "compute": {"kernel"}, "stairs": {"compute"}}
MAY_USE |= {room: {"stairs", "compute", "kernel", *UPSTAIRS[:place]} for place, room in enumerate(UPSTAIRS)}
# First match wins: a public header (or a generated one) belongs to this room; None is everybody's.
OWNER = [
    (r"itkRadiographyMacros\.h|RadiographyExport\.h", None),
    (r"itkFirstDerivativeOnly\.h|itkDerivativeChecker\.h", "derivative"),
    (r"itkRadiographGeometry.*", "geometry"),
    (r"itkDICOM.*", "dicom"),
    (r"itkHounsfield.*", "attenuation"),
    (r"itkProjectionVolume.*|itkDigitallyReconstructedRadiograph.*|itkRadiographBackProjection.*", "projection"),
    (r"itkRadiographSensitivity.*|itkRadiographPoseJacobian.*|itkBandedRadiograph.*", "projection"),
    (r"itkTransmission.*|itkPhotonNoise.*|itkDetectorResponse.*|itkSubray.*|itkOpticalDepth.*", "transmission"),
    (r"itkFlatFieldCorrection.*|itkRadiographForwardModel.*", "transmission"),
    (r"itkPoissonLikelihood.*|itkPoissonResidual.*", "likelihood"),
    (r"itkRadiographToVolumeMetric.*|itk.*RadiographToVolumeMetricv4\.h", "registration"),
    (r"itkFisher.*|itkRadiographRegistration.*|itkRadiographPyramid.*|itkRadiographLandmark.*", "registration"),
    (r"itkRegistrationParameterScalesFrom.*|itkRadiographMask.*", "registration"),
]
DOWNSTAIRS = {"kernel", "compute"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def owner(header):
    name = header.rsplit("/", 1)[-1]
    for pattern, room in OWNER:
        if re.fullmatch(pattern, name):
            return room
    return "itk" if name.startswith(("itk", "vnl")) else None


def room_of(path):
    parts = path.relative_to(ROOT).parts
    if parts[0] == "src":
        return parts[1]
    room = owner(path.name)
    if room == "itk":
        sys.exit(f"{path}: this public header belongs to no room; add it to OWNER in {__file__}")
    return room


def faults():
    files = [p for p in (ROOT / "src").rglob("*") if p.suffix in {".h", ".hxx", ".cxx", ".cu"}]
    for path in sorted(files + list((ROOT / "include").glob("*.h*"))):
        room = room_of(path)
        if room is None:
            continue
        for header in INCLUDE.findall(path.read_text(encoding="utf-8")):
            first = header.split("/")[0]
            used = first if "/" in header and first in MAY_USE else owner(header)
            if used is None or used == room:
                continue
            if used == "itk" and room not in DOWNSTAIRS:
                continue
            if used not in MAY_USE[room]:
                yield f"{path.relative_to(ROOT)}: the room {room} must not include {header} (of {used})"


def main():
    found = list(faults())
    print("\n".join(found) if found else "every include goes left or downstairs")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
