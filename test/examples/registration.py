"""Runs the examples of registration on radiographs of the phantom in a known pose.

registration.py RADIOGRAPHY ONE_VIEW TWO_VIEWS OWN_SIMILARITY CT_FOLDER OUT_FOLDER
"""
import json
import math
import pathlib
import subprocess
import sys

ARM = "--source-isocenter-mm 700 --source-detector-mm 1100 --pixels 64,64 --pitch-mm 7 --secondary-angle-deg 0".split()
TRUTH = [0.03, -0.02, 0.04, 4.0, -3.0, 5.0]


def write_pose(path, parameters, center):
    text = "#Insight Transform File V1.0\n#Transform 0\nTransform: Euler3DTransform_double_3_3\n"
    text += f"Parameters: {' '.join(map(str, parameters))}\nFixedParameters: {' '.join(map(str, center))} 0\n"
    path.write_text(text, encoding="utf-8")


def read_pose(path):
    """The function from world points to CT points."""
    lines = dict(line.split(": ", 1) for line in path.read_text(encoding="utf-8").splitlines() if ": " in line)
    assert lines["Transform"].startswith("Euler3DTransform"), lines
    x, y, z, *shift = map(float, lines["Parameters"].split())
    center = list(map(float, lines["FixedParameters"].split()))[:3]
    turn = product(product(about_z(z), about_x(x)), about_y(y))  # itk::Euler3DTransform: ZXY
    return lambda p: [
        sum(turn[i][j] * (p[j] - center[j]) for j in range(3)) + center[i] + shift[i] for i in range(3)
    ]


def about_x(a):
    return [[1, 0, 0], [0, math.cos(a), -math.sin(a)], [0, math.sin(a), math.cos(a)]]


def about_y(a):
    return [[math.cos(a), 0, math.sin(a)], [0, 1, 0], [-math.sin(a), 0, math.cos(a)]]


def about_z(a):
    return [[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]]


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def distance(found, right, center):
    """The largest distance over points 60 mm around the centre."""
    points = [[c + 60 * s for c, s in zip(center, signs)] for signs in [(1, 1, 1), (-1, 1, 0), (0, -1, 1), (1, 0, -1)]]
    return max(math.dist(found(p), right(p)) for p in points)


def main(program, one_view, two_views, own_similarity, ct, folder):
    folder.mkdir(parents=True, exist_ok=True)

    def run(*command):
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout

    volume = json.loads(run(program, "volume", ct, folder / "ct.mha", "--json"))
    grid = volume["output"] if "output" in volume else volume
    size, spacing, origin = grid["size"], grid["spacing_mm"], grid["origin_mm"]
    center = [o + 0.5 * (n - 1) * s for o, n, s in zip(origin, size, spacing)]
    write_pose(folder / "truth.tfm", TRUTH, center)
    right = read_pose(folder / "truth.tfm")
    for name, angle in (("a", 0), ("b", 90)):
        for quantity in ("counts", "optical-depth"):
            run(program, "drr", ct, folder / f"{name}-{quantity}.nrrd", *ARM, "--primary-angle-deg", angle,
                "--pose", folder / "truth.tfm", "--output", quantity, "--photons", 100000,
                "--save-view", folder / f"{name}.json", "--quiet")

    a, b = (folder / "a-counts.nrrd", folder / "a.json"), (folder / "b-counts.nrrd", folder / "b.json")
    at_start = distance(lambda p: p, right, center)
    assert at_start > 5, at_start

    said = run(two_views, ct, *a, *b, folder / "two.tfm")
    error = distance(read_pose(folder / "two.tfm"), right, center)
    assert error < 0.1, (error, said)
    assert "standard errors" in said, said

    run(own_similarity, ct, folder / "a-optical-depth.nrrd", folder / "a.json", folder / "own.tfm")
    error = distance(read_pose(folder / "own.tfm"), right, center)
    assert error < 0.1, error

    run(one_view, ct, *a, folder / "one.tfm")
    error = distance(read_pose(folder / "one.tfm"), right, center)
    assert error < 1.0, error

    for example in (one_view, two_views, own_similarity):
        assert subprocess.run([example, ct], stderr=subprocess.DEVNULL).returncode == 2
    absent = [one_view, ct, folder / "absent.nrrd", folder / "a.json", folder / "x.tfm"]
    assert subprocess.run(absent, capture_output=True).returncode == 1


main(*sys.argv[1:6], pathlib.Path(sys.argv[6]))
