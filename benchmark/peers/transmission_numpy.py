#!/usr/bin/env python3
"""Times transmission, a plain copy of the same bytes, and NumPy in binary64, in turns, and prints one table.

NumPy evaluates in float64 and casts to float32, as the contract of the law asks for: once as one writes it down, on
whole images, and once in blocks that stay in the caches, with buffers kept. It uses one thread.
"""

import argparse
import json
import platform
import statistics
import subprocess
import sys
import time

import numpy as np

PIXELS = 16 * 1024 * 1024
BLOCK = 16 * 1024
BYTES = {"T": 8, "all-four-n0-image": 24}
COPIES = {"T": "copy-8B", "all-four-n0-image": "copy-24B"}


class NumPy:
    """The law on the same images as TransmissionBenchmark's: depths from 0 to 128, n0 of 1e4."""

    def __init__(self):
        self.depths = np.random.default_rng(1).uniform(0.0, 128.0, PIXELS).astype(np.float32)
        self.open_beam = np.full(PIXELS, 1e4, dtype=np.float32)
        self.outputs = [np.empty(PIXELS, dtype=np.float32) for _ in range(4)]
        self.wide = [np.empty(BLOCK) for _ in range(3)]

    def whole_transmission(self):
        return np.exp(-self.depths.astype(np.float64)).astype(np.float32)

    def whole_four(self):
        depths = self.depths.astype(np.float64)
        transmission = np.exp(-depths)
        return (
            transmission.astype(np.float32),
            (self.open_beam * transmission).astype(np.float32),
            -self.depths,
            (-np.expm1(-depths)).astype(np.float32),
        )

    def blocks(self):
        return (slice(begin, begin + BLOCK) for begin in range(0, PIXELS, BLOCK))

    def blocked_transmission(self):
        wide = self.wide[0]
        for block in self.blocks():
            np.negative(self.depths[block], out=wide)
            np.exp(wide, out=wide)
            self.outputs[0][block] = wide

    def blocked_four(self):
        minus, transmission, other = self.wide
        for block in self.blocks():
            np.negative(self.depths[block], out=minus)
            np.exp(minus, out=transmission)
            self.outputs[0][block] = transmission
            np.multiply(self.open_beam[block], transmission, out=other)
            self.outputs[1][block] = other
            np.negative(self.depths[block], out=self.outputs[2][block])
            np.expm1(minus, out=other)
            np.negative(other, out=self.outputs[3][block], casting="same_kind")

    def seconds(self):
        """Seconds of each expression; the first call of each was made to touch the memory."""
        calls = {
            ("T", "NumPy, whole image"): self.whole_transmission,
            ("T", "NumPy, in blocks"): self.blocked_transmission,
            ("all-four-n0-image", "NumPy, whole image"): self.whole_four,
            ("all-four-n0-image", "NumPy, in blocks"): self.blocked_four,
        }
        result = {}
        for key, call in calls.items():
            begin = time.perf_counter()
            call()
            result[key] = time.perf_counter() - begin
        return result


def run_benchmark(program):
    """Seconds and label of each case of TransmissionBenchmark on large images."""
    names = "|".join([*BYTES, *COPIES.values()])
    command = [program, f"--benchmark_filter=^({names})/pixels:{PIXELS}/", "--benchmark_format=json",
               "--benchmark_min_time=0.05", "--benchmark_enable_random_interleaving=true", "--benchmark_repetitions=3"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    times, labels = {}, {}
    for case in json.loads(done.stdout)["benchmarks"]:
        if case["run_type"] != "iteration":
            continue
        name, _, workers, _ = case["run_name"].split("/")
        key = (name, int(workers.split(":")[1]))
        times.setdefault(key, []).append(case["real_time"] * 1e-6)
        labels[key] = case["label"]
    return times, labels


def print_table(times, numpy_times, labels, pick):
    print("| outputs | workers | GB/s | of a copy | x NumPy, whole image | x NumPy, in blocks | kernel |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, bytes_per_pixel in BYTES.items():
        for workers in (1, 2):
            seconds = pick(times[name, workers])
            copy = pick(times[COPIES[name], workers])
            whole = pick(numpy_times[name, "NumPy, whole image"])
            blocks = pick(numpy_times[name, "NumPy, in blocks"])
            print(f"| {name} | {workers} | {PIXELS * bytes_per_pixel / seconds * 1e-9:.1f} | {copy / seconds:.0%} "
                  f"| {whole / seconds:.1f} | {blocks / seconds:.1f} | {labels[name, workers]} |")
    for name in COPIES.values():
        for workers in (1, 2):
            rate = PIXELS * int(name.split("-")[1][:-1]) / pick(times[name, workers]) * 1e-9
            print(f"| {name} | {workers} | {rate:.1f} | | | | {labels[name, workers]} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmark", help="the built program TransmissionBenchmark")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each (default %(default)s)")
    options = parser.parse_args()

    peer = NumPy()
    peer.seconds()
    times, numpy_times, labels = {}, {}, {}
    for _ in range(options.rounds):
        found, labels = run_benchmark(options.benchmark)
        for key, values in found.items():
            times.setdefault(key, []).extend(values)
        for key, value in peer.seconds().items():
            numpy_times.setdefault(key, []).append(value)
    print(f"NumPy {np.__version__}, Python {platform.python_version()}; {PIXELS} pixels, {options.rounds} rounds")
    print("\nMedians:\n")
    print_table(times, numpy_times, labels, statistics.median)
    print("\nBest of each:\n")
    print_table(times, numpy_times, labels, min)
    return 0


if __name__ == "__main__":
    sys.exit(main())
