"""What takes part: this project's projectors, by the program ProjectorTiming, and RTK's, in this process.

A contender's time(view, threads, calls) makes one call that is not timed and `calls` that are, and returns Times.
"""

import dataclasses
import json
import os
import subprocess
import time

import itk
import numpy as np
from itk import RTK as rtk

from rtk_joseph import ImageType, RTKView


@dataclasses.dataclass
class Times:
    """Milliseconds of each call, elapsed and of the CPU in all threads."""

    elapsed: list
    cpu: list
    kernel: str
    samples: int | None = None
    image: np.ndarray | None = None
    # Derivatives of the sum of all depths by a shift of source and detector, 1/mm.
    gradient: np.ndarray | None = None


def read_image(path):
    return itk.array_from_image(itk.imread(path, itk.F)).astype(np.float64)


class Program:
    """ProjectorTiming with one volume in memory."""

    def __init__(self, program, volume):
        self.process = subprocess.Popen([program, volume], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, **job):
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"ProjectorTiming ended with status {self.process.wait()} at {job}")
        return json.loads(answer)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Ours:
    def __init__(self, program, operation, projector, work, simd=True):
        self.program = program
        self.job = {"do": operation, "projector": projector, "simd": simd}
        self.operation = operation
        self.name = f"ours, {projector}" + ("" if simd else ", RADIOGRAPHY_DISABLE_SIMD=1")
        self.out = os.path.join(work, "out.mha")

    def time(self, view, threads, calls, want_image=False):
        job = {**self.job, "view": view.path, "threads": threads, "calls": calls}
        if self.operation == "back":
            # Into the volume of the call before: RTK's filter runs in place, into zeros that are made before its time begins.
            job["pixels"] = view.exact_path
        write = want_image and self.operation != "gradient"
        answer = self.program.run(**job, **({"out": self.out} if write else {}))
        image = read_image(self.out) if write else None
        gradient = np.array(answer["gradient"][3:]) if "gradient" in answer else None
        return Times(answer["ms"], answer["cpu_ms"], answer["kernel"], answer["samples"], image, gradient)


class RTK:
    """One of RTK's filters. Times are of its Update() alone, on inputs that are ready."""

    def __init__(self, name, operation, volume):
        self.name = f"RTK {name}"
        self.operation = operation
        self.volume = volume
        self.filter_type = getattr(rtk, name)[ImageType, ImageType]

    def time(self, view, threads, calls, want_image=False):
        itk.MultiThreaderBase.SetGlobalDefaultNumberOfThreads(threads)
        seen = RTKView(view.content)
        run = self.forward if self.operation == "forward" else self.back
        results = [run(seen, view) for _ in range(calls + 1)]
        elapsed, cpu = zip(*(seconds for _, seconds in results[1:]))
        image = results[-1][0]().astype(np.float64) if want_image else None
        return Times([1e3 * s for s in elapsed], [1e3 * s for s in cpu], "RTK, CPU", image=image)

    def update(self, seen, first, second):
        projector = self.filter_type.New()
        projector.SetInput(0, first)
        projector.SetInput(1, second)
        projector.SetGeometry(seen.geometry)
        begin = time.perf_counter(), time.process_time()
        projector.Update()
        seconds = time.perf_counter() - begin[0], time.process_time() - begin[1]
        return projector.GetOutput(), seconds

    def forward(self, seen, _):
        stack = make_zeros([*seen.size, 1], [*seen.spacing, 1.0], [0.0, 0.0, 0.0])
        output, seconds = self.update(seen, stack, self.volume)

        def depths():
            values = itk.array_from_image(output)
            return values[:, :, ::-1] if seen.flipped else values

        return depths, seconds

    def back(self, seen, view):
        values = view.exact[:, :, ::-1] if seen.flipped else view.exact
        stack = itk.image_from_array(np.ascontiguousarray(values, dtype=np.float32))
        stack.SetSpacing([*seen.spacing, 1.0])
        empty = make_zeros(itk.size(self.volume), self.volume.GetSpacing(), self.volume.GetOrigin())
        output, seconds = self.update(seen, empty, stack)
        return lambda: itk.array_from_image(output), seconds


def make_zeros(size, spacing, origin):
    source = rtk.ConstantImageSource[ImageType].New()
    source.SetSize([int(n) for n in size])
    source.SetSpacing([float(s) for s in spacing])
    source.SetOrigin([float(o) for o in origin])
    source.SetConstant(0.0)
    source.Update()
    image = source.GetOutput()
    image.DisconnectPipeline()
    return image
