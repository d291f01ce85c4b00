"""Checks the figures of examples/log_projection_bias against sums made here: log_projection_bias.py PROGRAM FOLDER."""
import csv
import math
import pathlib
import subprocess
import sys

OPEN_BEAM = 1e4
DEPTHS = {
    "zeros_left_out": lambda n: -math.log(n / OPEN_BEAM) if n else None,
    "floor_half": lambda n: -math.log(max(n, 0.5) / OPEN_BEAM),
    "floor_one": lambda n: -math.log(max(n, 1) / OPEN_BEAM),
    "pseudocount": lambda n: -math.log((n + 0.5) / OPEN_BEAM),
    "non_negative": lambda n: max(0.0, -math.log(n / OPEN_BEAM)) if n else None,
}


def moments(mean, depth_of):
    """Bias and variance by the definition of the Poisson distribution."""
    reach = 12 * math.sqrt(mean) + 30
    weighted = []
    for n in range(max(0, int(mean - reach)), int(mean + reach) + 1):
        depth = depth_of(n)
        if depth is not None:
            probability = math.exp(n * math.log(mean) - mean - math.lgamma(n + 1))
            weighted.append((probability, depth - math.log(OPEN_BEAM / mean)))
    total = math.fsum(p for p, _ in weighted)
    bias = math.fsum(p * e for p, e in weighted) / total
    return bias, math.fsum(p * (e - bias) ** 2 for p, e in weighted) / total


def main(program, folder):
    figures, drawing = folder / "log_projection_bias.csv", folder / "log_projection_bias.svg"
    subprocess.run([program, figures, drawing], check=True)
    with open(figures, newline="", encoding="utf-8") as lines:
        rows = [(float(r["mean"]), r["estimator"], float(r["bias"]), float(r["variance"])) for r in csv.DictReader(lines)]
    assert len(rows) == 5 * 81, len(rows)
    for mean, estimator, bias, variance in rows:
        expected_bias, expected_variance = moments(mean, DEPTHS[estimator])
        assert abs(bias - expected_bias) < 1e-8, (mean, estimator, bias, expected_bias)
        assert abs(variance / expected_variance - 1) < 1e-6, (mean, estimator, variance, expected_variance)
        # What the text says of high counts: bias 1 / (2 lambda) where nothing is done, next to none with N + 0.5.
        if mean > 300 and estimator in ("zeros_left_out", "floor_half", "floor_one"):
            assert abs(bias * 2 * mean - 1) < 2 / mean, (mean, estimator, bias)
        if mean > 300 and estimator == "pseudocount":
            assert abs(bias * 2 * mean) < 2 / mean, (mean, bias)
        if mean > 300 and estimator != "non_negative":
            assert abs(variance * mean - 1) < 3 / mean, (mean, estimator, variance)
    assert drawing.read_text(encoding="utf-8").count("<polyline") == 5 + 5 + 3
    program_name = [program, "only-one-argument"]
    assert subprocess.run(program_name, stderr=subprocess.DEVNULL).returncode == 2
    assert subprocess.run([program, figures, folder / "absent" / "a.svg"]).returncode == 1


main(sys.argv[1], pathlib.Path(sys.argv[2]))
