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
"""`correct`: transmission from raw, dark and flat images, its mask, and what is refused."""

import math
import struct
import zlib

from support import Nrrd, ProgramTest, main, write_nrrd

# One pixel of each kind: valid, T = 1, above one, zero, negative, flat = dark.
RAW = [60, 110, 210, 10, 5, 60]
DARK = [10, 10, 10, 10, 10, 10]
FLAT = [110, 110, 110, 110, 110, 10]


def write_flat_nrrd(path, size, values):
    """An image of two dimensions."""
    header = f"NRRD0004\ntype: float\ndimension: 2\nsizes: {size[0]} {size[1]}\nendian: little\nencoding: raw\n\n"
    path.write_bytes(header.encode() + struct.pack(f"<{len(values)}f", *values))
    return path


def write_png(path, size, values):
    """16 bits of grey."""
    rows = [values[i : i + size[0]] for i in range(0, len(values), size[0])]
    data = b"".join(b"\0" + struct.pack(f">{len(row)}H", *row) for row in rows)
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", *size, 16, 0, 0, 0, 0)), (b"IDAT", zlib.compress(data)), (b"IEND", b"")]
    text = b"".join(struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in chunks)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + text)
    return path


def numbers(text):
    """(1,2.0,3) -> [1, 2, 3]"""
    return [float(part) for part in text.strip("()").split(",")]


class Mask:
    """The mask's values in memory order."""

    def __init__(self, path):
        image = path.read_bytes()
        header, _, data = image.partition(b"\n\n")
        assert b"type: unsigned char" in header, header
        self.values = list(zlib.decompress(data, 47) if b"encoding: gzip" in header else data)


class Files(ProgramTest):
    def write(self, raw=RAW, dark=DARK, flat=FLAT, size=(3, 2, 1)):
        write_nrrd(self.folder / "raw.nrrd", size, raw)
        write_nrrd(self.folder / "dark.nrrd", size, dark, origin=[0, 0, 0])
        write_nrrd(self.folder / "flat.nrrd", size, flat, spacing=2.0)

    def arguments(self, *options, raw="raw.nrrd", out="t.nrrd", dark="dark.nrrd", flat="flat.nrrd"):
        return ("correct", raw, out, "--dark", dark, "--flat", flat, *options)


class Correct(Files):
    def test_every_kind_of_pixel_is_returned_and_reported(self):
        self.write()
        report = self.succeed_json(*self.arguments())
        image = Nrrd(self.folder / "t.nrrd")
        self.assertEqual(image.size, [3, 2, 1])
        self.assertEqual(image.header["type"], "float")
        for value, expected in zip(image.values, [0.5, 1, 2, 0, -0.05]):
            self.assertAlmostEqual(value, expected, places=7)
        self.assertTrue(math.isnan(image.values[5]))
        self.assertEqual(Mask(self.folder / "t-mask.nrrd").values, [1, 1, 2, 3, 3, 0])
        self.assertEqual(
            report["pixels"], {"total": 6, "flat_not_above_dark": 1, "valid": 2, "above_one": 1, "not_positive": 2}
        )
        self.assertEqual(
            report["mask"],
            {
                "path": "t-mask.nrrd",
                "values": {"flat_not_above_dark": 0, "valid": 1, "above_one": 2, "not_positive": 3},
            },
        )
        self.assertEqual(report["output"]["path"], "t.nrrd")
        self.assertEqual(report["output"]["quantity"], "transmission")
        self.assertEqual(report["output"]["size"], [3, 2])
        self.assertAlmostEqual(report["output"]["min"], -0.05, places=7)
        self.assertEqual(report["output"]["max"], 2)

    def test_the_grid_is_the_raw_images(self):
        self.write()
        self.succeed(*self.arguments())
        raw = Nrrd(self.folder / "raw.nrrd")
        for name in ("t.nrrd", "t-mask.nrrd"):
            header = (self.folder / name).read_bytes().partition(b"\n\n")[0].decode()
            origin = next(line for line in header.splitlines() if line.startswith("space origin"))
            self.assertEqual(numbers(origin.split(": ")[1]), numbers(raw.header["space origin"]))
        self.assertEqual(Nrrd(self.folder / "t.nrrd").header["radiography_quantity"], "transmission")

    def test_counts_are_told_to_people(self):
        self.write()
        text = self.succeed(*self.arguments()).stdout
        for words in ("t.nrrd", "t-mask.nrrd", "2 pixels valid", "1 above one", "2 not positive", "1 without a value"):
            self.assertIn(words, text)
        self.assertEqual(self.succeed(*self.arguments("--quiet")).stdout, "")

    def test_the_mask_goes_where_it_is_asked_to(self):
        self.write()
        self.succeed(*self.arguments("--mask", "flags.mha"))
        self.assertTrue((self.folder / "flags.mha").exists())
        self.assertFalse((self.folder / "t-mask.nrrd").exists())
        self.succeed(*self.arguments("--mask", "flags.nii.gz", out="x.mha"))
        self.assertTrue((self.folder / "flags.nii.gz").exists())
        self.succeed(*self.arguments(out="y.mha"))
        self.assertTrue((self.folder / "y-mask.mha").exists())

    def test_two_dimensions_and_png_are_read(self):
        write_flat_nrrd(self.folder / "raw2.nrrd", (3, 2), RAW)
        write_png(self.folder / "dark.png", (3, 2), DARK)
        write_png(self.folder / "flat.png", (3, 2), FLAT)
        report = self.succeed_json(*self.arguments(raw="raw2.nrrd", dark="dark.png", flat="flat.png"))
        self.assertEqual(report["pixels"]["not_positive"], 2)
        self.assertAlmostEqual(Nrrd(self.folder / "t.nrrd").values[0], 0.5, places=7)

    def test_what_drr_reads_out_becomes_transmission_again(self):
        ct = self.write_block()
        view = self.write_parallel_view()
        readings = "--mu-water 0.02 --mu-bone 0.05 --output counts --gain 3 --offset 7".split()
        self.succeed("drr", ct, "raw.nrrd", "--view", view, *readings)
        write_nrrd(self.folder / "dark.nrrd", (20, 20, 1), [7] * 400)
        write_nrrd(self.folder / "flat.nrrd", (20, 20, 1), [30007] * 400)
        report = self.succeed_json(*self.arguments())
        self.assertEqual(report["pixels"]["valid"], 400)
        image = Nrrd(self.folder / "t.nrrd")
        self.assertAlmostEqual(image.at(9, 9), math.exp(-0.16), places=6)
        self.assertEqual(image.at(0, 0), 1)

    def test_threads_give_the_same_bits(self):
        raw = [10 + (i * 37) % 101 for i in range(6000)]
        self.write(raw, [10] * 6000, [110] * 6000, size=(100, 60, 1))
        for threads in (1, 2, 7):
            self.succeed(*self.arguments("--threads", threads, out=f"t{threads}.nrrd"))
        first = Nrrd(self.folder / "t1.nrrd").data
        self.assertEqual(first, Nrrd(self.folder / "t2.nrrd").data)
        self.assertEqual(first, Nrrd(self.folder / "t7.nrrd").data)


class Refusals(Files):
    def test_wrong_usage(self):
        self.write()
        self.refuse(2, "correct", "raw.nrrd", "t.nrrd", "--dark", "dark.nrrd", says="--flat")
        self.refuse(2, "correct", "raw.nrrd", "t.nrrd", "--flat", "flat.nrrd", says="--dark")
        self.refuse(2, "correct", "raw.nrrd", "--dark", "dark.nrrd", "--flat", "flat.nrrd", says="OUT")
        self.refuse(2, *self.arguments(out="t.png"), says="t.png")
        self.refuse(2, *self.arguments(out="t.nii.gz"), says="t.nii.gz")  # its readers take no value for 0
        self.refuse(2, *self.arguments("--mask", "m.txt"), says="m.txt")
        self.refuse(2, *self.arguments("--mask", "./t.nrrd"), says="same file")

    def test_images_that_are_not_there_or_do_not_fit(self):
        self.write()
        self.refuse(1, *self.arguments(raw="nowhere.nrrd"), says="nowhere.nrrd")
        self.refuse(1, *self.arguments(dark="nowhere.nrrd"), says="nowhere.nrrd")
        write_nrrd(self.folder / "small.nrrd", (2, 2, 1), [1] * 4)
        text = self.refuse(1, *self.arguments(flat="small.nrrd"), says="small.nrrd has 2 x 2 pixels")
        self.assertIn("3 x 2", text)
        write_nrrd(self.folder / "deep.nrrd", (3, 2, 2), [1] * 12)
        self.refuse(1, *self.arguments(raw="deep.nrrd"), says="one slice")
        (self.folder / "notes.txt").write_text("no image\n")
        self.refuse(1, *self.arguments(flat="notes.txt"), says="notes.txt")
        (self.folder / "cut.png").write_bytes(write_png(self.folder / "whole.png", (3, 2), FLAT).read_bytes()[:-5])
        self.refuse(1, *self.arguments(flat="cut.png"), says="cut.png")

    def test_bad_readings_are_named(self):
        self.write(raw=[60, 60, 60, 60, float("nan"), 60])
        self.refuse(1, *self.arguments(), says="pixel [1, 1, 0]")
        self.write(flat=[110, float("inf")] + [110] * 4)
        self.refuse(1, *self.arguments(), says="pixel [1, 0, 0]")

    def test_interchanged_dark_and_flat_are_noticed(self):
        self.write(flat=[110] * 6)
        text = self.refuse(1, *self.arguments(dark="flat.nrrd", flat="dark.nrrd"), says="in no pixel")
        self.assertIn("interchanged", text)

    def test_a_failing_run_keeps_old_outputs(self):
        self.write(raw=[float("nan")] * 6)
        for name in ("t.nrrd", "t-mask.nrrd"):
            (self.folder / name).write_text("old")
        self.refuse(1, *self.arguments())


main()
