#!/usr/bin/env python3
"""Projects one CT with RTK's JosephForwardProjectionImageFilter and with this project's projectors.

Both get the same voxels (mu in 1/mm, binary32) and the same source and pixel positions. The reference is CellGauss: the
trilinear field, falling to zero one voxel outside, integrated exactly. So that nobody has to take its word for it, a
uniform block, whose depths are known, comes first.
"""

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time

import itk
import numpy as np
from importlib.metadata import version
from itk import RTK as rtk

ImageType = itk.Image[itk.F, 3]
VIEWS = {"AP": "0", "lateral": "90"}


def run_program(program, *arguments):
    """Runs the program with --json; returns its report."""
    done = subprocess.run([program, *arguments, "--json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def view_options(primary_angle, pixels, pitch):
    return ["--primary-angle-deg", primary_angle, "--secondary-angle-deg", "0", "--source-isocenter-mm", "1000",
            "--source-detector-mm", "1500", "--pixels", f"{pixels},{pixels}", "--pitch-mm", str(pitch)]


def children_cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class RTKView:
    """A view file as RTK sees it.

    RTK wants the detector's third axis to point to the source. Where columns x rows point away from it, the columns are
    taken in the opposite order and turned back in the result.
    """

    def __init__(self, view):
        source = np.array(view["source_mm"])
        detector = view["detector"]
        self.size = detector["size"]
        self.spacing = detector["spacing_mm"]
        origin = np.array(detector["origin_mm"])
        column = np.array(detector["column_direction"])
        row = np.array(detector["row_direction"])
        self.flipped = np.dot(np.cross(column, row), source - origin) < 0
        if self.flipped:
            origin = origin + column * self.spacing[0] * (self.size[0] - 1)
            column = -column
        self.geometry = rtk.ThreeDCircularProjectionGeometry.New()
        if not self.geometry.AddProjection(
            itk.Point[itk.D, 3](source.tolist()), itk.Point[itk.D, 3](origin.tolist()),
            itk.Vector[itk.D, 3](column.tolist()), itk.Vector[itk.D, 3](row.tolist())):
            raise RuntimeError("RTK does not accept this view")
        self.check(source, origin, column, row)

    def check(self, source, origin, column, row):
        """RTK keeps angles and offsets; the source and the pixels made from them must be where ours are."""
        matrix = itk.array_from_matrix(self.geometry.GetProjectionCoordinatesToFixedSystemMatrix(0))
        worst = np.abs(np.array(list(self.geometry.GetSourcePosition(0)))[:3] - source).max()
        for u in (0.0, self.spacing[0] * (self.size[0] - 1)):
            for v in (0.0, self.spacing[1] * (self.size[1] - 1)):
                found = matrix @ np.array([u, v, 0.0, 1.0])
                worst = max(worst, np.abs(found[:3] - (origin + u * column + v * row)).max())
        if worst > 1e-6:
            raise RuntimeError(f"RTK's source or pixels are {worst} mm away from ours")

    def project(self, volume):
        """Depths as [row, column], and the seconds that the filter took: elapsed, CPU."""
        stack = rtk.ConstantImageSource[ImageType].New()
        stack.SetSize([*self.size, 1])
        stack.SetSpacing([*self.spacing, 1.0])
        stack.SetOrigin([0.0, 0.0, 0.0])
        stack.SetConstant(0.0)
        stack.Update()
        projector = rtk.JosephForwardProjectionImageFilter[ImageType, ImageType].New()
        projector.SetInput(0, stack.GetOutput())
        projector.SetInput(1, volume)
        projector.SetGeometry(self.geometry)
        begin = time.perf_counter(), time.process_time()
        projector.Update()
        seconds = time.perf_counter() - begin[0], time.process_time() - begin[1]
        depths = itk.array_from_image(projector.GetOutput())[0]
        return (depths[:, ::-1] if self.flipped else depths), seconds


def read_depths(path):
    return itk.array_from_image(itk.imread(path, itk.F))[0].astype(np.float64)


def write_like(values, image, path):
    copy = itk.image_from_array(np.ascontiguousarray(values, dtype=np.float32))
    copy.CopyInformation(image)
    itk.imwrite(copy, path)


def describe(name, difference):
    if difference.size == 0:
        return f"| {name} | no such rays | | | |"
    absolute = np.abs(difference)
    return (f"| {name} | {absolute.max():.2e} | {absolute.mean():.2e} | {np.sqrt((difference ** 2).mean()):.2e} "
            f"| {difference.mean():+.2e} |")


HEADER = "| difference in L | max | mean of absolute | RMS | mean |\n| --- | --- | --- | --- | --- |"


def check_uniform_block(program, work):
    """The middle ray of a uniform block: depth = mu x 32 mm."""
    image = itk.image_from_array(np.zeros((33, 33, 32), dtype=np.float32))
    image.SetOrigin([-15.5, -16.0, -16.0])
    hu, mu, view, out = (os.path.join(work, name) for name in ("block.mha", "block-mu.mha", "block.json", "block-L.mha"))
    itk.imwrite(image, hu)
    run_program(program, "volume", hu, mu, "--attenuation")
    volume = itk.imread(mu, itk.F)
    truth = float(itk.array_from_image(volume)[0, 0, 0]) * 32
    print("\n## Uniform block, 32 voxels of 1 mm along the ray, middle ray\n")
    print("| projector | L | L / truth |\n| --- | --- | --- |")
    for name in ("cell-gauss", "joseph", "siddon"):
        run_program(program, "drr", hu, out, *view_options("90", 33, 1.0), "--projector", name, "--save-view", view)
        depth = read_depths(out)[16, 16]
        print(f"| {name} | {depth:.6f} | {depth / truth:.6f} |")
    with open(view, encoding="utf-8") as file:
        depths, _ = RTKView(json.load(file)).project(volume)
    print(f"| RTK Joseph | {depths[16, 16]:.6f} | {depths[16, 16] / truth:.6f} |")
    print(f"| truth | {truth:.6f} | 1 |")


def make_rim(hu_path, work):
    """The CT's outermost layer of voxels alone, air (mu = 0) inside: rays with a depth in it touch the rim."""
    image = itk.imread(hu_path, itk.F)
    values = itk.array_from_image(image)
    values[1:-1, 1:-1, 1:-1] = -1000.0
    path = os.path.join(work, "rim.mha")
    write_like(values, image, path)
    return path


class Comparison:
    def __init__(self, options, work):
        self.options = options
        self.path = lambda name: os.path.join(work, name)
        self.hu = self.path("hu.mha")
        run_program(options.program, "volume", options.ct, self.hu)
        run_program(options.program, "volume", self.hu, self.path("mu.mha"), "--attenuation")
        self.rim = make_rim(self.hu, work)
        self.volume = itk.imread(self.path("mu.mha"), itk.F)

    def drr_command(self, primary_angle, projector, threads, hu, pixels=None):
        pixels = pixels or self.options.pixels
        return [self.options.program, "drr", hu, self.path("L.mha"),
                *view_options(primary_angle, pixels, self.options.pitch_mm), "--projector", projector,
                "--threads", str(threads), "--save-view", self.path("view.json")]

    def drr(self, primary_angle, projector, threads, hu=None):
        """Depths and the program's report."""
        report = run_program(*self.drr_command(primary_angle, projector, threads, hu or self.hu))
        if not report["compute"].get("kernel"):
            raise RuntimeError("the program did not say which kernel ran: its figures are worth nothing")
        return read_depths(self.path("L.mha")), report

    def cpu_seconds(self, primary_angle, projector):
        """CPU time of a projection on one thread: the whole program's, less that of the same run for 2 x 2 pixels."""
        seconds = []
        for pixels in (self.options.pixels, 2):
            begin = children_cpu_seconds()
            run_program(*self.drr_command(primary_angle, projector, 1, self.hu, pixels))
            seconds.append(children_cpu_seconds() - begin)
        return seconds[0] - seconds[1]

    def compare(self, name, primary_angle):
        depths, kernels = {}, {}
        seconds = {}
        on_rim = self.drr(primary_angle, "cell-gauss", 2, self.rim)[0] > 0
        with open(self.path("view.json"), encoding="utf-8") as file:
            view = RTKView(json.load(file))
        # One round after the other, so that a busy moment of the machine meets all of them.
        for _ in range(self.options.repetitions):
            for threads in (1, 2):
                for projector in ("joseph", "cell-gauss", "siddon"):
                    depths[projector], report = self.drr(primary_angle, projector, threads)
                    kernels[projector] = report["compute"]["kernel"] + "; " + report["compute"]["policy"]
                    seconds.setdefault((projector, threads), []).append(report["seconds"]["project"])
                itk.MultiThreaderBase.SetGlobalDefaultNumberOfThreads(threads)
                depths["RTK Joseph"], (taken, cpu) = view.project(self.volume)
                depths["RTK Joseph"] = depths["RTK Joseph"].astype(np.float64)
                seconds.setdefault(("RTK Joseph", threads), []).append(taken)
                if threads == 1:
                    seconds.setdefault(("RTK Joseph", "CPU"), []).append(cpu)
            for projector in ("joseph", "cell-gauss", "siddon"):
                seconds.setdefault((projector, "CPU"), []).append(self.cpu_seconds(primary_angle, projector))
        self.print_differences(name, depths, on_rim)
        self.print_times(name, seconds, kernels)

    @staticmethod
    def print_differences(name, depths, on_rim):
        exact = depths["cell-gauss"]
        through = exact > 0
        for title, rays in (("all rays that meet matter", through),
                            ("rays that touch the volume's outermost voxels", through & on_rim),
                            ("rays that do not", through & ~on_rim)):
            print(f"\n## {name}: {title} ({np.count_nonzero(rays)} of {rays.size}; L up to "
                  f"{exact[rays].max(initial=0):.3f}, mean {exact[rays].mean() if rays.any() else 0:.3f})\n")
            print(HEADER)
            for other in ("RTK Joseph", "joseph", "siddon"):
                print(describe(f"{other} - CellGauss", (depths[other] - exact)[rays]))
            print(describe("joseph - RTK Joseph", (depths["joseph"] - depths["RTK Joseph"])[rays]))

    @staticmethod
    def print_times(name, seconds, kernels):
        print(f"\n## {name}: milliseconds per projection, median (smallest) of "
              f"{len(seconds['RTK Joseph', 1])} calls\n")
        print("| projector | 1 thread: CPU | elapsed | 2 threads: elapsed | what ran |\n| --- | --- | --- | --- | --- |")
        for projector in ("joseph", "cell-gauss", "siddon", "RTK Joseph"):
            cells = [f"{statistics.median(taken) * 1e3:.0f} ({min(taken) * 1e3:.0f})"
                     for taken in (seconds[projector, which] for which in ("CPU", 1, 2))]
            print(f"| {projector} | {' | '.join(cells)} | {kernels.get(projector, 'RTK, CPU')} |")


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        fields = dict(line.split(":", 1) for line in file.read().split("\n\n")[0].splitlines())
    fields = {key.strip(): value.strip() for key, value in fields.items()}
    return f"{fields['model name']}, family {fields['cpu family']}, model {fields['model']}, {os.cpu_count()} cores"


def read_memory(field):
    """MiB of this process: VmRSS now, VmHWM at its peak."""
    with open("/proc/self/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field)) / 1024


def print_memory(comparison):
    """What a projection needs: RTK's on top of this process, and the program's as a whole."""
    _, report = comparison.drr(VIEWS["AP"], "joseph", 2)
    with open("/proc/self/clear_refs", "w", encoding="utf-8") as file:
        file.write("5")  # forget the peak
    before = read_memory("VmRSS")
    RTKView(report["view"]).project(comparison.volume)
    growth = read_memory("VmHWM") - before
    # Counted by a small process of its own: a child starts with its parent's peak.
    count = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
             "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    command = comparison.drr_command(VIEWS["AP"], "joseph", 2, comparison.hu)
    peak = subprocess.run([sys.executable, "-c", count, *command], check=True, capture_output=True, text=True)
    volume = np.prod(itk.size(comparison.volume)) * 4 / 2**20
    print(f"\nmemory: the CT in binary32 {volume:.0f} MiB; RTK's projection {growth:.0f} MiB more; the program as a whole, "
          f"reading and conversion included, {int(peak.stdout) / 1024:.0f} MiB at its peak")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="the command-line program radiography")
    parser.add_argument("ct", help="a DICOM folder")
    parser.add_argument("--work", required=True, help="folder for images, made beforehand")
    parser.add_argument("--pixels", type=int, default=256)
    parser.add_argument("--pitch-mm", type=float, default=2.0)
    parser.add_argument("--repetitions", type=int, default=7)
    options = parser.parse_args()

    print(f"{cpu_model()}; load {os.getloadavg()[0]:.1f}; Python {platform.python_version()}, ITK {version('itk')}, "
          f"RTK {version('itk-rtk')}")
    check_uniform_block(options.program, options.work)
    comparison = Comparison(options, options.work)
    print(f"\nCT {list(itk.size(comparison.volume))}, detector {options.pixels}^2 at {options.pitch_mm} mm, source 1000 mm "
          "from the CT's centre, detector 1500 mm from the source")
    for name, primary_angle in VIEWS.items():
        comparison.compare(name, primary_angle)
    print_memory(comparison)


if __name__ == "__main__":
    sys.exit(main())
