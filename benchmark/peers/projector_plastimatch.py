"""plastimatch's DRR (`drr -i exact`: Siddon's exact lengths), a process for each call."""

import os
import re
import resource
import shutil
import subprocess

import numpy as np

from projector_contenders import Times


def find():
    """The program, or None."""
    return shutil.which("plastimatch")


def find_version(program):
    return subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()


def read_pfm(path):
    """Grey Portable Float Map as [row, column]; plastimatch writes the top row first."""
    with open(path, "rb") as file:
        if file.readline().strip() != b"Pf":
            raise RuntimeError(f"{path} is no grey PFM image")
        columns, rows = (int(word) for word in file.readline().split())
        kind = "<f4" if float(file.readline()) < 0 else ">f4"
        return np.frombuffer(file.read(4 * columns * rows), kind).reshape(rows, columns).astype(np.float64)


class Plastimatch:
    name = "plastimatch drr -i exact"
    operation = "forward"
    # Its lengths are in cm.
    TO_DEPTH = 10.0

    def __init__(self, program, volume, work):
        self.program = program
        self.volume = volume
        self.prefix = os.path.join(work, "plastimatch_")

    def command(self, view, pixels):
        """plastimatch looks from the source: columns x rows away from it. Other views are mirrored."""
        content = view.content
        detector = content["detector"]
        source = np.array(content["source_mm"])
        column, row = np.array(detector["column_direction"]), np.array(detector["row_direction"])
        spacing, size = np.array(detector["spacing_mm"]), np.array(detector["size"])
        middle = np.array(detector["origin_mm"]) + sum(
            0.5 * (n - 1) * s * d for n, s, d in zip(size, spacing, (column, row)))
        way = middle - source
        distance = np.linalg.norm(way)
        self.mirrored = np.dot(np.cross(column, row), way) < 0
        sad = view.source_to_middle
        words = lambda numbers: " ".join(repr(float(n)) for n in numbers)
        return [self.program, "drr", "-i", "exact", "-P", "none", "-a", "1", "--nrm", words(-way / distance),
                "--vup", words(-row), "--sad", repr(float(sad)), "--sid", repr(float(distance)),
                "-r", f"{pixels} {pixels}", "-z", words((size * spacing)[::-1]),
                "-o", words(source + sad * way / distance), "-t", "pfm", "-O", self.prefix, self.volume]

    def call(self, view, pixels, threads):
        """Seconds: its own clock less reading, CPU of the process."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
        done = subprocess.run(self.command(view, pixels), check=True, capture_output=True, text=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        total, reading = (float(re.search(rf"{what} time: ([0-9.e+-]+)", done.stdout)[1]) for what in ("Total", "I/O"))
        return total - reading, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def time(self, view, threads, calls, want_image=False):
        """CPU: that of the process less that of the same for 2 x 2 pixels, which reads the volume all the same."""
        pixels = view.content["detector"]["size"][0]
        elapsed, cpu = [], []
        for _ in range(calls):
            idle = self.call(view, 2, threads)[1]
            taken = self.call(view, pixels, threads)
            elapsed.append(1e3 * taken[0])
            cpu.append(1e3 * (taken[1] - idle))
        image = None
        if want_image:
            image = self.TO_DEPTH * read_pfm(self.prefix + "0000.pfm")
            image = (image[:, ::-1] if self.mirrored else image)[None]
        return Times(elapsed, cpu, "plastimatch, CPU, OpenMP", image=image)
