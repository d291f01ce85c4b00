#!/usr/bin/env python3
"""Draws what RegistrationProtocol --json wrote: rate of success over the start's error, and the errors at the end.

    plot.py RUNS.jsonl FOLDER

writes FOLDER/success.svg and FOLDER/errors.svg. Needs matplotlib (Debian: python3-matplotlib).
"""
import collections
import json
import pathlib
import statistics
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

BIN_EDGES = [0, 5, 10, 20, 40, 60, 90]
SUCCESS_MM = 1.0


def name_of(run):
    """What a curve or a bar is called."""
    parts = [run["case"]]
    if run["method"] != "fisher":
        parts.append(run["method"])
    if run["views"] == 1:
        parts.append("one view")
    if run["full"]:
        parts.append("full resolution")
    return ", ".join(parts)


def read(path):
    """Runs by curve, in the order of the file."""
    runs = collections.OrderedDict()
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        run = json.loads(line)
        runs.setdefault(name_of(run), []).append(run)
    return runs


def rates(runs):
    """Centres of the bins and percent of success in each, bins without runs left out."""
    centres, percents = [], []
    for low, high in zip(BIN_EDGES, BIN_EDGES[1:]):
        inside = [run for run in runs if low <= run["start-mm"] < high]
        if inside:
            centres.append(0.5 * (low + high))
            percents.append(100.0 * sum(run["error-mm"] < SUCCESS_MM for run in inside) / len(inside))
    return centres, percents


def draw_success(all_runs, path):
    """A curve a case; the many that stay at 100 %, or at 0 %, in every bin share one line each."""
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    constant = {100.0: [], 0.0: []}
    for name, runs in all_runs.items():
        centres, percents = rates(runs)
        if len(set(percents)) == 1 and percents[0] in constant:
            constant[percents[0]].append(name)
        else:
            axes.plot(centres, percents, marker="o", label=name)
    for percent, names in constant.items():
        if names:
            axes.plot(BIN_EDGES, [percent] * len(BIN_EDGES), color="black", label=f"{percent:.0f} %: {len(names)} others")
    axes.set(xlabel="initial mTRE, mm", ylabel=f"final error below {SUCCESS_MM:g} mm, %", ylim=(-3, 103))
    axes.grid(alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")
    figure.savefig(path, metadata={"Date": None})


def draw_errors(all_runs, path):
    """Median of the final errors of runs that started within 40 mm, the quartiles as whiskers."""
    names, medians, spans = [], [], []
    for name, runs in sorted(all_runs.items()):
        errors = [run["error-mm"] for run in runs if run["start-mm"] < 40.0]
        if len(errors) < 2:
            continue
        low, middle, high = statistics.quantiles(errors, n=4)
        names.append(name)
        medians.append(middle)
        spans.append((middle - low, high - middle))
    figure, axes = plt.subplots(figsize=(8, 0.6 + 0.26 * len(names)), layout="constrained")
    axes.errorbar(medians, range(len(names)), xerr=list(zip(*spans)), fmt="o")
    axes.axvline(SUCCESS_MM, color="grey", linestyle="--")
    axes.set(xscale="log", xlabel="final error, mm (median and quartiles; starts up to 40 mm)")
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.grid(alpha=0.3, which="both", axis="x")
    figure.savefig(path, metadata={"Date": None})


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    runs = read(sys.argv[1])
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    draw_success(runs, folder / "success.svg")
    draw_errors(runs, folder / "errors.svg")


if __name__ == "__main__":
    main()
