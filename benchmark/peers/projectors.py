#!/usr/bin/env python3
"""Times projectors of this project and of peers in turns, on the same voxels, rays and threads, and compares results.

Reference of depths: CellGauss, which integrates the trilinear field exactly. Reference of back projection (A^T y, y =
the exact depths): <x, A^T y> = <exact depths, y>, which the transpose of an exact projector fulfils.
"""

import argparse
import dataclasses
import json
import os
import platform
import statistics
import sys
from importlib.metadata import PackageNotFoundError, version

import itk
import numpy as np

import projector_plastimatch
from projector_contenders import RTK, Ours, Program, read_image
from projector_scene import AXES, SOURCE_TO_MIDDLE_MM, make_view, make_volume
from rtk_joseph import cpu_model

# Operation -> the peer's name and operation.
RTK_FORWARD = ("RTK JosephForwardProjectionImageFilter", "forward")
RTK_OF = {"forward": RTK_FORWARD, "back": ("RTK JosephBackProjectionImageFilter", "back"), "gradient": RTK_FORWARD}


class View:
    """A view file, and what CellGauss makes of it."""

    source_to_middle = SOURCE_TO_MIDDLE_MM

    def __init__(self, name, content, work):
        self.name = name
        self.content = content
        self.path = os.path.join(work, f"{name}.json")
        self.exact_path = os.path.join(work, f"{name}-exact.mha")
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(content, file)

    def compute_exact(self, program):
        # In binary64, not in packets.
        job = {"projector": "cell-gauss", "view": self.path, "simd": False, "threads": 2, "calls": 0}
        program.run(do="forward", out=self.exact_path, **job)
        self.exact = read_image(self.exact_path)
        answer = program.run(do="gradient", **job)
        self.exact_gradient = np.array(answer["gradient"][3:])


@dataclasses.dataclass
class Row:
    """All that was found of one contender, view and number of threads."""

    contender: str
    operation: str
    view: str
    threads: int
    elapsed: list = dataclasses.field(default_factory=list)
    cpu: list = dataclasses.field(default_factory=list)
    kernel: str = ""
    samples: int | None = None
    errors: dict = dataclasses.field(default_factory=dict)
    missing: str = ""

    def add(self, times):
        self.elapsed += times.elapsed
        self.cpu += times.cpu
        self.kernel = times.kernel
        self.samples = times.samples


def compare_depths(found, exact):
    difference = (found - exact)[exact > 0]
    return {"max": float(np.abs(difference).max()), "rms": float(np.sqrt((difference**2).mean())),
            "mean_depth": float(exact[exact > 0].mean())}


def compare_back(found, volume, exact):
    gap = np.vdot(volume, found) / np.vdot(exact, exact) - 1.0
    return {"adjoint_gap": float(gap)}


def compare_gradient(found, exact):
    return {"gradient": float(np.linalg.norm(found - exact) / np.linalg.norm(exact))}


class Table:
    def __init__(self, options):
        self.options = options
        self.rows = {}

    def measure(self, contender, view, threads, volume=None):
        key = (contender.name, contender.operation, view.name, threads)
        first = key not in self.rows
        row = self.rows.setdefault(key, Row(*key))
        if row.missing:
            return
        try:
            times = contender.time(view, threads, self.options.calls, want_image=first and threads == 1)
        except RuntimeError as error:
            row.missing = str(error)
            print(f"MISSING: {contender.name}, {view.name}: {error}", file=sys.stderr)
            return
        row.add(times)
        if times.image is not None and contender.operation == "forward":
            row.errors = compare_depths(times.image, view.exact)
        elif times.image is not None and volume is not None:
            row.errors = compare_back(times.image, volume, view.exact)
        elif times.gradient is not None:
            row.errors = compare_gradient(times.gradient, view.exact_gradient)

    def ratio(self, row, field, peer, pick):
        other = self.rows.get((*peer, row.view, row.threads))
        if other is None or not getattr(other, field) or not getattr(row, field):
            return None
        return pick(getattr(other, field)) / pick(getattr(row, field))

    def as_json(self, peer_of):
        found = []
        for row in self.rows.values():
            ratios = {f"peer_over_this_{field}_{pick.__name__}": self.ratio(row, field, peer_of[row.operation], pick)
                      for field in ("elapsed", "cpu") for pick in (statistics.median, min)}
            found.append({**dataclasses.asdict(row), **ratios})
        return found

    def print(self, peer_of):
        print("| view | what | threads | CPU ms, median (min) | elapsed ms, median (min) | x faster than peer: CPU "
              "(elapsed), medians | ns CPU per sample | difference from exact | what ran |")
        print("| --- " * 9 + "|")
        for row in sorted(self.rows.values(), key=lambda r: (r.operation, r.view, r.threads)):
            print("| " + " | ".join(self.cells(row, peer_of[row.operation])) + " |")

    def print_summary(self, peer_of):
        """Of every contender and number of threads, the range over all views."""
        print("| what | threads | views | CPU ms, medians | elapsed ms, medians (smallest call) | x faster than peer: CPU "
              "medians | ns CPU per sample | largest difference from exact | what ran |")
        print("| --- " * 9 + "|")
        groups = {}
        for row in self.rows.values():
            if not row.missing:
                groups.setdefault((row.operation, row.contender, row.threads), []).append(row)
        for (operation, contender, threads), rows in sorted(groups.items()):
            ratios = [self.ratio(row, "cpu", peer_of[operation], statistics.median) for row in rows]
            smallest = min(min(row.elapsed) for row in rows)
            print("| " + " | ".join([
                f"{operation}: {contender}", str(threads), str(len(rows)),
                span([statistics.median(row.cpu) for row in rows], 1),
                f"{span([statistics.median(row.elapsed) for row in rows], 1)} ({smallest:.1f})",
                "" if None in ratios else span(ratios, 2),
                span([statistics.median(row.cpu) * 1e6 / row.samples for row in rows if row.samples], 2),
                describe_worst([row.errors for row in rows]), " / ".join(sorted({row.kernel for row in rows}))]) + " |")

    def cells(self, row, peer):
        head = [row.view, f"{row.operation}: {row.contender}", str(row.threads)]
        if row.missing:
            return [*head, "missing", "", "", "", "", row.missing]
        cpu, elapsed = ([statistics.median(values), min(values)] for values in (row.cpu, row.elapsed))
        ratios = [self.ratio(row, field, peer, statistics.median) for field in ("cpu", "elapsed")]
        per_sample = f"{cpu[0] * 1e6 / row.samples:.2f}" if row.samples else ""
        return [*head, *(f"{a:.1f} ({b:.1f})" for a, b in (cpu, elapsed)),
                "{:.2f} ({:.2f})".format(*ratios) if None not in ratios else "", per_sample, describe(row.errors),
                row.kernel]


def describe(errors):
    if "max" in errors:
        return f"max {errors['max']:.1e}, RMS {errors['rms']:.1e}"
    if "gradient" in errors:
        return f"gradient {errors['gradient']:.1e}"
    return f"<x, A^T y> {errors['adjoint_gap']:+.1e}" if errors else ""


def describe_worst(errors):
    errors = [error for error in errors if error]
    return describe({key: max((error[key] for error in errors), key=abs) for key in errors[0]}) if errors else ""


def span(values, digits):
    if not values:
        return ""
    low, high = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
    return low if low == high else f"{low} to {high}"


def count_rounds(options):
    for number in range(1, options.rounds + 1):
        yield number
        print(f"round {number} of {options.rounds} is done", file=sys.stderr)


def measure_cube(options, work):
    """Against RTK: forward, back and gradient on the cube of projector_scene.py."""
    image, values = make_volume(options.voxels)
    path = os.path.join(work, "cube.mha")
    itk.imwrite(image, path)
    program = Program(options.timing, path)
    views = [View(f"{axis}, roll {roll}", make_view(axis, roll, options.pixels), work)
             for axis in options.axes for roll in options.rolls]
    for view in views:
        view.compute_exact(program)
    every_roll = [Ours(program, "forward", "joseph", work), Ours(program, "forward", "cell-gauss", work),
                  RTK("JosephForwardProjectionImageFilter", "forward", image),
                  Ours(program, "back", "joseph", work), RTK("JosephBackProjectionImageFilter", "back", image)]
    first_roll = [
        Ours(program, "forward", "joseph", work, simd=False),
        Ours(program, "forward", "siddon", work),
        Ours(program, "gradient", "joseph", work),
        Ours(program, "gradient", "cell-gauss", work),
        RTK("BackProjectionImageFilter", "back", image),
    ]
    slow = [Ours(program, "back", "joseph", work, simd=False), Ours(program, "forward", "cell-gauss", work, simd=False)]
    if not options.fast:
        first_roll += slow
    table = Table(options)
    for _ in count_rounds(options):
        for view in views:
            contenders = every_roll + (first_roll if view.name.endswith(f"roll {options.rolls[0]}") else [])
            for contender in contenders:
                for threads in options.threads:
                    table.measure(contender, view, threads, values)
    program.close()
    print(f"\n## Cube of {options.voxels}^3, detector {options.pixels}^2; the peer is RTK's Joseph, forward or back "
          "(gradient: forward)\n")
    table.print(RTK_OF)
    print("\nThe same, over all views:\n")
    table.print_summary(RTK_OF)
    return table.as_json(RTK_OF)


def measure_chest(options, work):
    """Against plastimatch: exact Siddon on a CT, mu in 1/mm."""
    plastimatch = projector_plastimatch.find()
    if plastimatch is None:
        print("MISSING: plastimatch (a wheel of this name, or Debian's package)", file=sys.stderr)
        return []
    image = itk.imread(options.chest, itk.F)
    # Uncompressed, in a file of its own: plastimatch reads it at every call.
    path = os.path.join(work, "chest.mha")
    itk.imwrite(image, path)
    middle = 0.5 * sum(np.array(image.TransformIndexToPhysicalPoint(corner))
                       for corner in ([0, 0, 0], [n - 1 for n in itk.size(image)]))
    program = Program(options.timing, path)
    views = [View(f"chest {axis}", make_view(axis, 0, 256, 2.0, middle), work) for axis in "xy"]
    for view in views:
        view.compute_exact(program)
    contenders = [Ours(program, "forward", "siddon", work), Ours(program, "forward", "joseph", work),
                  projector_plastimatch.Plastimatch(plastimatch, path, work)]
    table = Table(options)
    for _ in count_rounds(options):
        for view in views:
            for contender in contenders:
                for threads in options.threads:
                    table.measure(contender, view, threads)
    siddon, _, other = contenders
    differences = [compare_depths(other.time(view, 1, 1, True).image, siddon.time(view, 1, 1, True).image)
                   for view in views]
    program.close()
    peer_of = {"forward": (projector_plastimatch.Plastimatch.name, "forward")}
    print(f"\n## CT {'x'.join(str(n) for n in itk.size(image))}, detector 256^2 of 2 mm; the peer is plastimatch\n")
    table.print(peer_of)
    print("\nThe same, over all views:\n")
    table.print_summary(peer_of)
    print("\nplastimatch less our Siddon: " + "; ".join(
        f"{view.name} max {found['max']:.1e}, RMS {found['rms']:.1e}" for view, found in zip(views, differences)))
    return {"rows": table.as_json(peer_of), "plastimatch_less_siddon": differences}


def measure_torch(options, work):
    """Against nanodrr and DiffDRR: value and pose gradient."""
    try:
        import projector_torch  # pylint: disable=import-outside-toplevel # gigabytes
    except ImportError as error:
        print(f"MISSING: nanodrr, DiffDRR: {error}", file=sys.stderr)
        return []
    image, _ = make_volume(options.voxels)
    path = os.path.join(work, "cube.mha")
    itk.imwrite(image, path)
    program = Program(options.timing, path)
    view = View("y, roll 0", make_view("y", 0, options.pixels), work)
    view.compute_exact(program)
    contenders = [Ours(program, operation, projector, work) for operation in ("forward", "gradient")
                  for projector in ("joseph", "cell-gauss", "siddon")]
    contenders += projector_torch.find(image)
    table = Table(options)
    for _ in count_rounds(options):
        for contender in contenders:
            for threads in options.threads:
                table.measure(contender, view, threads)
    program.close()
    peer_of = {operation: ("nanodrr", operation) for operation in ("forward", "gradient")}
    print(f"\n## Depths, and the pose gradient of their sum: cube of {options.voxels}^3, detector {options.pixels}^2; the "
          "peer is nanodrr\n")
    table.print(peer_of)
    print("\nThe same, over all views:\n")
    table.print_summary(peer_of)
    return table.as_json(peer_of)


def find_versions():
    found = {"Python": platform.python_version()}
    plastimatch = projector_plastimatch.find()
    for package in ("numpy", "itk", "itk-rtk", "plastimatch", "torch", "nanodrr", "diffdrr"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not here"
    if plastimatch:
        found["plastimatch"] = projector_plastimatch.find_version(plastimatch).removeprefix("plastimatch version ")
    return found


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("timing", help="the built program ProjectorTiming")
    parser.add_argument("--work", required=True, help="folder for images, made beforehand")
    parser.add_argument("--voxels", type=int, default=256, help="voxels along each side (default %(default)s)")
    parser.add_argument("--pixels", type=int, help="pixels along each side of the detector (default: as the voxels)")
    parser.add_argument("--axes", nargs="+", choices=list(AXES), default=list(AXES))
    parser.add_argument("--rolls", type=int, nargs="+", default=[0, 15, 45, 80], help="degrees; all but Joseph, "
                        "forward and back, and CellGauss, forward, is measured at the first alone")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3, help="turns (default %(default)s)")
    parser.add_argument("--calls", type=int, default=2, help="timed calls of each in a turn (default %(default)s)")
    parser.add_argument("--fast", action="store_true", help="without what takes seconds a call: CellGauss and our back "
                        "projection ray by ray")
    parser.add_argument("--chest", help="image of a CT as mu in 1/mm (`radiography volume CT OUT.mha --attenuation`), to "
                        "compare with plastimatch")
    parser.add_argument("--torch", action="store_true", help="compare with nanodrr and DiffDRR, too")
    parser.add_argument("--no-cube", action="store_true", help="without the comparison with RTK")
    parser.add_argument("--json", help="write all that was found to this file")
    options = parser.parse_args()
    options.pixels = options.pixels or options.voxels
    return options


def main():
    options = parse_options()
    found = {"command": sys.argv[1:], "cpu": cpu_model(), "load_before": os.getloadavg(), "versions": find_versions()}
    print(f"{found['cpu']}; load {found['load_before'][0]:.1f}; "
          + ", ".join(f"{name} {number}" for name, number in found["versions"].items()))
    print(f"{options.rounds} rounds of {options.calls} calls")
    if not options.no_cube:
        found["cube"] = measure_cube(options, options.work)
    if options.chest:
        found["chest"] = measure_chest(options, options.work)
    else:
        print("MISSING: the comparison with plastimatch needs --chest", file=sys.stderr)
    if options.torch:
        found["torch"] = measure_torch(options, options.work)
    found["load_after"] = os.getloadavg()
    print(f"\nload {found['load_after'][0]:.1f} at the end")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
