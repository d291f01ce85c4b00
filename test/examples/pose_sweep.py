"""Checks the sheets of examples/pose_sweep against their record: pose_sweep.py PROGRAM CT_FOLDER OUT_FOLDER."""
import json
import pathlib
import struct
import subprocess
import sys
import zlib


def read_grey(path):
    """Rows of an 8-bit grey PNG."""
    data, place, packed = path.read_bytes(), 8, b""
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place : place + 8])
        body = data[place + 8 : place + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", body[:10])
            assert (depth, color) == (8, 0), (depth, color)
        packed += body if kind == b"IDAT" else b""
        place += 12 + length
    raw, rows, above = zlib.decompress(packed), [], bytes(width)
    for row in range(height):
        start = row * (width + 1)
        above = unfilter(raw[start], raw[start + 1 : start + 1 + width], above)
        rows.append(above)
    return rows


def unfilter(kind, line, above):
    """PNG specification, section 9, for one byte a pixel."""
    out = bytearray()
    for i, value in enumerate(line):
        left, up, corner = (out[i - 1] if i else 0), above[i], (above[i - 1] if i else 0)
        guess = left + up - corner
        nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
        out.append((value + (0, left, up, (left + up) // 2, nearest)[kind]) % 256)
    return bytes(out)


def cell(rows, row, column, size):
    return b"".join(line[column * size : (column + 1) * size] for line in rows[row * size : (row + 1) * size])


def main(program, ct, folder):
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([program, ct, folder], check=True)
    record = json.loads((folder / "pose_sweep.json").read_text(encoding="utf-8"))
    assert [len(s["columns"]) for s in record["sheets"]] == [5, 5]
    size = record["view"]["detector"]["size"][0]
    sheets = [read_grey(folder / sheet["file"]) for sheet in record["sheets"]]
    brightest_depth = 0
    for rows in sheets:
        assert (len(rows), len(rows[0])) == (3 * size, 5 * size)
        assert max(cell(rows, 0, 0, size)) == 255, "open beam is white"
        assert max(cell(rows, 2, 2, size)) == 0, "the pose in the middle does not differ from itself"
        assert all(max(cell(rows, 2, column, size)) > 0 for column in (0, 1, 3, 4))
        brightest_depth = max(brightest_depth, *(max(cell(rows, 1, column, size)) for column in range(5)))
    assert brightest_depth == 255, "one window for all poses"
    # The middle pose is the same on both sheets.
    for row in (0, 1):
        assert cell(sheets[0], row, 2, size) == cell(sheets[1], row, 2, size)
    # A shift to the patient's left moves the shadow to the right in a frontal view (seen as the patient is faced).
    centers = []
    for column in range(5):
        shadow = cell(sheets[0], 1, column, size)
        total = sum(shadow)
        centers.append(sum(value * (i % size) for i, value in enumerate(shadow)) / total)
    assert all(a < b for a, b in zip(centers, centers[1:])), centers
    assert subprocess.run([program, ct], stderr=subprocess.DEVNULL).returncode == 2
    assert subprocess.run([program, folder / "absent", folder], stderr=subprocess.DEVNULL).returncode == 1


main(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]))
