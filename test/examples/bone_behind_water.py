"""Checks the figures of examples/bone_behind_water: bone_behind_water.py PROGRAM FOLDER."""
import csv
import math
import pathlib
import subprocess
import sys


def main(program, folder):
    figures, drawing = folder / "bone_behind_water.csv", folder / "bone_behind_water.svg"
    subprocess.run([program, figures, drawing], check=True)
    with open(figures, newline="", encoding="utf-8") as lines:
        rows = {float(r["water_mm"]): {k: float(v) for k, v in r.items()} for r in csv.DictReader(lines)}
    assert len(rows) == 31
    # Tables at 60 keV: water 0.0205873, cortical bone 0.05739 per mm.
    for water in (0.0, 100.0, 200.0):
        row, mean = rows[water], 10000 * math.exp(-0.0205873 * water)
        assert abs(row["depth_change"] - 0.05739) < 1e-5
        assert abs(row["counts"] / mean - 1) < 1e-4, row
        assert abs(row["counts_change"] / (mean * (1 - math.exp(-0.05739))) - 1) < 3e-4, row
        assert abs(row["standard_deviations"] / (math.sqrt(mean) * (1 - math.exp(-0.05739))) - 1) < 3e-4, row
    assert drawing.read_text(encoding="utf-8").count("<polyline") == 2
    assert subprocess.run([program, figures], stderr=subprocess.DEVNULL).returncode == 2
    assert subprocess.run([program, figures, folder / "absent" / "a.svg"]).returncode == 1


main(sys.argv[1], pathlib.Path(sys.argv[2]))
