# Copyright NumFOCUS
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#         https://www.apache.org/licenses/LICENSE-2.0.txt
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
"""What the tests of the program share: running it, and reading and writing small images without any library."""

import gzip
import json
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["RADIOGRAPHY_PROGRAM"]

C_ARM = (
    "--primary-angle-deg 0 --secondary-angle-deg 0 --source-isocenter-mm 1000 --source-detector-mm 1500 "
    "--pixels 20,16 --pitch-mm 1"
).split()

# Numbers that need no tables: mu of water and bone.
MU = "--mu-water 0.02 --mu-bone 0.05".split()


class ProgramTest(unittest.TestCase):
    """A test with an empty folder to work in."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="radiography test ")  # a blank in every path
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_program(self, *arguments, env=None):
        return subprocess.run(
            [PROGRAM, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=240,
            cwd=self.folder,
            env={**os.environ, **(env or {})},
        )

    def succeed(self, *arguments, env=None):
        """Runs it; fails unless it exits 0 and has nothing to complain about."""
        done = self.run_program(*arguments, env=env)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
        self.assertEqual(done.stderr, "", arguments)
        return done

    def succeed_json(self, *arguments, env=None):
        return json.loads(self.succeed(*arguments, "--json", env=env).stdout)

    def refuse(self, code, *arguments, says="", env=None):
        """Runs it; fails unless it exits with `code`, tells one error line, and leaves the folder as it was."""
        before = self.listing()
        done = self.run_program(*arguments, env=env)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout}{done.stderr}")
        self.assertEqual(done.stdout, "", arguments)
        lines = done.stderr.splitlines()
        errors = [line for line in lines if not line.startswith(("radiography: warning: ", "hint: "))]
        self.assertEqual(len(errors), 1, f"{arguments}: {done.stderr}")
        self.assertTrue(errors[0].startswith("radiography: error: "), done.stderr)
        self.assertNotRegex(errors[0], r"ERROR: |\(0x", "what ITK puts before a message says nothing to a person")
        self.assertIn(says, errors[0])
        self.assertEqual(self.listing(), before, f"{arguments} left files behind")
        return done.stderr

    def listing(self):
        return {str(p.relative_to(self.folder)): p.is_file() and p.read_bytes() for p in self.folder.rglob("*")}

    def write_block(self, name="block.nrrd", size=(8, 8, 8), value=0.0, **grid):
        """A block of one value (HU 0 is water), voxels of 1 mm, centred at the world's origin."""
        return write_nrrd(self.folder / name, size, [value] * (size[0] * size[1] * size[2]), **grid)

    def write_parallel_view(self, name="view.json", size=(20, 20)):
        """A beam from anterior to posterior; pixels of 1 mm, columns to the left, rows to the feet."""
        view = {
            "radiography_view": 1,
            "beam": "parallel",
            "direction": [0, 1, 0],
            "detector": {
                "origin_mm": [-(size[0] - 1) / 2, 50, (size[1] - 1) / 2],
                "column_direction": [1, 0, 0],
                "row_direction": [0, 0, -1],
                "spacing_mm": [1, 1],
                "size": list(size),
            },
        }
        path = self.folder / name
        path.write_text(json.dumps(view))
        return path

    def write_shift(self, name, x, y, z):
        """A transform file that maps world points to CT points by a shift."""
        path = self.folder / name
        path.write_text(
            "#Insight Transform File V1.0\n#Transform 0\nTransform: Euler3DTransform_double_3_3\n"
            f"Parameters: 0 0 0 {x} {y} {z}\nFixedParameters: 0 0 0 0\n"
        )
        return path


def write_nrrd(path, size, values, spacing=1.0, origin=None, kind="float"):
    if origin is None:
        origin = [-(n - 1) / 2 * spacing for n in size]
    code = {"float": "f", "int": "i"}[kind]
    axes = " ".join(f"({','.join(str(spacing if i == j else 0) for j in range(3))})" for i in range(3))
    header = (
        f"NRRD0004\ntype: {kind}\ndimension: 3\nspace: left-posterior-superior\nsizes: {' '.join(map(str, size))}\n"
        f"space directions: {axes}\nkinds: domain domain domain\nendian: little\nencoding: raw\n"
        f"space origin: ({','.join(map(str, origin))})\n\n"
    )
    path.write_bytes(header.encode() + struct.pack(f"<{len(values)}{code}", *values))
    return path


class Nrrd:
    """An image of floats or shorts: its header, its bytes and its values in memory order."""

    def __init__(self, path):
        head, _, data = pathlib.Path(path).read_bytes().partition(b"\n\n")
        self.header = {}
        for line in head.decode().splitlines()[1:]:
            if not line.startswith("#"):
                key, _, value = line.partition(":")
                self.header[key] = value.lstrip("=").strip()
        self.data = gzip.decompress(data) if self.header["encoding"] == "gzip" else data
        self.size = [int(n) for n in self.header["sizes"].split()]
        code = {"float": "f", "short": "h"}[self.header["type"]]
        self.values = struct.unpack(f"<{len(self.data) // struct.calcsize(code)}{code}", self.data)

    def at(self, column, row, slice_=0):
        return self.values[column + self.size[0] * (row + self.size[1] * slice_)]


def main():
    unittest.main()
