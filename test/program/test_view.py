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
"""`view` and `drr --like`: the view of an X-ray image, where each number comes from, and what is refused."""

import json
import math
import os
import pathlib
import struct
import unittest

from support import C_ARM, MU, Nrrd, ProgramTest, main

DATA = pathlib.Path(os.environ.get("RADIOGRAPHY_TEST_DATA", "/nowhere"))

GANTRY = (
    "--gantry-angle-deg 30 --couch-angle-deg 10 --patient-position FFS --isocenter-mm 1,2,3 --source-isocenter-mm 1000 "
    "--source-detector-mm 1500 --pixels 20,16 --pitch-mm 1"
).split()
XA = {
    (0x0008, 0x0016, "UI"): "1.2.840.10008.5.1.4.1.1.12.1",
    (0x0008, 0x0060, "CS"): "XA",
    (0x0018, 0x1110, "DS"): "1000",
    (0x0018, 0x1111, "DS"): "700",
    (0x0018, 0x1164, "DS"): "0.5\\0.4",
    (0x0018, 0x1510, "DS"): "0",
    (0x0018, 0x1511, "DS"): "0",
    (0x0020, 0x0020, "CS"): "L\\F",
    (0x0028, 0x1040, "CS"): "LIN",
}
RT = {
    (0x0008, 0x0016, "UI"): "1.2.840.10008.5.1.4.1.1.481.1",
    (0x0008, 0x0060, "CS"): "RTIMAGE",
    (0x3002, 0x000C, "CS"): "NORMAL",
    (0x3002, 0x000E, "DS"): "0",
    (0x3002, 0x0011, "DS"): "0.5\\0.4",
    (0x3002, 0x0012, "DS"): "-2.2\\2.25",
    (0x3002, 0x0022, "DS"): "1000",
    (0x3002, 0x0026, "DS"): "1500",
    (0x300A, 0x011E, "DS"): "90",
    (0x300A, 0x0122, "DS"): "0",
}


def write_dicom(path, tags, frames=1, columns=12, rows=10):
    """An image of 16 bits in explicit VR little endian; values run from 1000. A sequence is a list of dictionaries."""

    def items(values):
        encoded = (b"".join(element(*key, value) for key, value in sorted(one.items())) for one in values)
        return b"".join(struct.pack("<HHI", 0xFFFE, 0xE000, len(data)) + data for data in encoded)

    def element(group, number, vr, value):
        data = items(value) if isinstance(value, list) else value if isinstance(value, bytes) else value.encode()
        data += (b"\0" if vr in ("UI", "OW", "OB") else b" ") * (len(data) % 2)
        head = struct.pack("<HH", group, number) + vr.encode()
        long_form = vr in ("OW", "OB", "SQ")
        return head + (struct.pack("<HI", 0, len(data)) if long_form else struct.pack("<H", len(data))) + data

    def word(value):
        return struct.pack("<H", value)

    image = {
        (0x0028, 0x0002, "US"): word(1),
        (0x0028, 0x0004, "CS"): "MONOCHROME2",
        (0x0028, 0x0008, "IS"): str(frames),
        (0x0028, 0x0010, "US"): word(rows),
        (0x0028, 0x0011, "US"): word(columns),
        (0x0028, 0x0100, "US"): word(16),
        (0x0028, 0x0101, "US"): word(16),
        (0x0028, 0x0102, "US"): word(15),
        (0x0028, 0x0103, "US"): word(0),
        (0x7FE0, 0x0010, "OW"): struct.pack(f"<{frames * columns * rows}H", *range(1000, 1000 + frames * columns * rows)),
    }
    meta = element(0x0002, 0x0010, "UI", "1.2.840.10008.1.2.1")
    group = element(0x0002, 0x0000, "UL", struct.pack("<I", len(meta)))
    body = b"".join(element(*key, value) for key, value in sorted({**tags, **image}.items()) if value is not None)
    path.write_bytes(b"\0" * 128 + b"DICM" + group + meta + body)
    return path


class XrayTest(ProgramTest):
    def xray(self, tags=None, base=XA, **image):
        return write_dicom(self.folder / "x ray.dcm", {**base, **(tags or {})}, **image)

    def view(self, *arguments):
        """The JSON object; warnings are expected."""
        done = self.run_program("view", *arguments, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in done.stderr.splitlines():
            self.assertTrue(line.startswith("radiography: warning: "), line)
        return json.loads(done.stdout)

    def source_of(self, view, quantity):
        return next(n["source"] for n in view["provenance"] if n["quantity"] == quantity)


def enhanced_ct(positions, stacks):
    """The tags of an Enhanced CT image whose frames lie at these heights."""

    def frame(z, stack):
        return {
            (0x0020, 0x9111, "SQ"): [{(0x0020, 0x9056, "SH"): stack}],
            (0x0020, 0x9113, "SQ"): [{(0x0020, 0x0032, "DS"): f"0\\0\\{z}"}],
        }

    shared = {
        (0x0020, 0x9116, "SQ"): [{(0x0020, 0x0037, "DS"): "1\\0\\0\\0\\1\\0"}],
        (0x0028, 0x9110, "SQ"): [{(0x0028, 0x0030, "DS"): "0.5\\0.4"}],
        (0x0028, 0x9145, "SQ"): [
            {
                (0x0028, 0x1052, "DS"): "-1000",
                (0x0028, 0x1053, "DS"): "1",
                (0x0028, 0x1054, "LO"): "HU",
            }
        ],
    }
    return {
        (0x0008, 0x0016, "UI"): "1.2.840.10008.5.1.4.1.1.2.1",
        (0x0008, 0x0060, "CS"): "CT",
        (0x0020, 0x000D, "UI"): "1.2.3",
        (0x0020, 0x000E, "UI"): "1.2.3.4",
        (0x5200, 0x9229, "SQ"): [shared],
        (0x5200, 0x9230, "SQ"): [frame(*one) for one in zip(positions, stacks)],
    }


class Inspect(XrayTest):
    def test_stacks_of_an_enhanced_ct_are_volumes(self):
        path = self.folder / "enhanced.dcm"
        write_dicom(path, enhanced_ct([4, 0, 2, 30, 33, 6], "AAABBA"), frames=6)
        series = self.succeed_json("inspect", path)["series"]
        self.assertEqual([s["stack_id"] for s in series], ["A", "B"])
        self.assertEqual([s["size"] for s in series], [[12, 10, 4], [12, 10, 2]])
        self.assertEqual([s["chosen"] for s in series], [True, False])
        self.assertIn("(stack B)", self.succeed("inspect", path).stdout)
        self.succeed("volume", path, "b.nrrd", "--series", 2)
        b = Nrrd(self.folder / "b.nrrd")
        self.assertEqual(list(b.values), [float(v) for v in range(3 * 120, 5 * 120)])
        done = self.run_program("volume", path, "a.nrrd")
        self.assertEqual(done.returncode, 0, done.stderr)
        a = Nrrd(self.folder / "a.nrrd")
        starts = [a.values[120 * k] for k in range(4)]
        self.assertEqual(starts, [120.0, 240.0, 0.0, 600.0])

    def test_rescale_by_hand(self):
        path = self.folder / "enhanced.dcm"
        tags = enhanced_ct([0, 2], "AA")
        del tags[(0x5200, 0x9229, "SQ")][0][(0x0028, 0x9145, "SQ")]
        write_dicom(path, tags, frames=2)
        error = self.refuse(1, "volume", path, "o.nrrd", says="RescaleSlope (0028,1053)")
        self.assertIn("--rescale", error)
        self.succeed("volume", path, "o.nrrd", "--rescale", "2,-1000.5")
        self.assertEqual(Nrrd(self.folder / "o.nrrd").values[0], 999.5)
        for wrong in ("0,1", "1", "1,2,3", "a,b"):
            self.refuse(2, "volume", path, "p.nrrd", "--rescale", wrong)
        self.refuse(2, "volume", self.write_block(), "p.nrrd", "--rescale", "1,0", says="--rescale")

    def test_x_ray_images_say_what_is_known(self):
        uids = {(0x0020, 0x000D, "UI"): "1.2.3", (0x0020, 0x000E, "UI"): "1.2.3.5"}
        (self.folder / "x").mkdir()
        write_dicom(self.folder / "x" / "a.dcm", {**XA, **uids})
        write_dicom(self.folder / "x" / "b.dcm", {**XA, **uids, (0x0018, 0x1164, "DS"): None}, frames=3)
        series = self.succeed_json("inspect", "x")["series"]
        self.assertEqual([s["kind"] for s in series], ["radiograph"])
        a, b = series[0]["images"]
        self.assertEqual((a["path"], a["frames"], a["pixels_are"], a["view_is_known"]), ("a.dcm", 1, "linear", True))
        self.assertEqual((a["columns"], a["rows"], a["needs"]), (12, 10, []))
        self.assertEqual((b["frames"], b["view_is_known"], b["needs"]), (3, False, ["--frame", "--pitch-mm"]))
        self.assertEqual({p["code"] for p in b["problems"]}, {"missing-frame", "missing-pitch", "isocenter-assumed"})
        table = self.succeed("inspect", "x").stdout
        self.assertIn("a.dcm: 12 x 10, pixels are linear, view known", table)
        self.assertIn("b.dcm: 12 x 10, 3 frames, pixels are linear, view needs --frame --pitch-mm", table)


class View(XrayTest):
    def test_json_is_a_view_file_with_provenance_and_problems(self):
        view = self.view(self.xray())
        self.assertEqual(
            set(view), {"radiography_view", "beam", "source_mm", "detector", "provenance", "problems"}
        )
        for number in view["provenance"]:
            self.assertEqual(set(number), {"quantity", "value", "source"})
        for problem in view["problems"]:
            self.assertEqual(set(problem), {"code", "message"})
        self.assertEqual(view["source_mm"], [0, 700, 0])
        self.assertEqual(view["detector"]["size"], [12, 10])
        self.assertEqual(view["detector"]["spacing_mm"], [0.4, 0.5])
        for got, expected in zip(view["detector"]["origin_mm"], (-2.2, -300, 2.25)):
            self.assertAlmostEqual(got, expected, places=9)
        self.assertEqual(self.source_of(view, "source-detector distance"), "DistanceSourceToDetector (0018,1110)")
        self.assertEqual(self.source_of(view, "pixel meaning"), "PixelIntensityRelationship (0028,1040) = LIN")
        self.assertEqual([p["code"] for p in view["problems"]], ["isocenter-assumed"])

    def test_its_output_is_read_by_drr(self):
        path = self.folder / "v.json"
        path.write_text(json.dumps(self.view(self.xray())))
        ct = self.write_block()
        self.succeed("drr", ct, "a.nrrd", "--view", path, *MU)
        done = self.run_program("drr", ct, "b.nrrd", "--like", self.xray(), "--isocenter-mm", "0,0,0", *MU)
        self.assertEqual(done.returncode, 0, done.stderr)
        a, b = Nrrd(self.folder / "a.nrrd"), Nrrd(self.folder / "b.nrrd")
        self.assertEqual(a.values, b.values)
        self.assertGreater(max(a.values), 0.1)

    def test_text_names_tags_and_options(self):
        done = self.run_program("view", self.xray(), "--pitch-mm", "0.3", "--isocenter-mm", "1,2,3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        self.assertIn("PositionerPrimaryAngle (0018,1510)", done.stdout)
        self.assertIn("option --pitch-mm", done.stdout)
        self.assertIn("option --isocenter-mm", done.stdout)

    def test_missing_numbers_are_refused_with_their_options(self):
        text = self.refuse(1, "view", self.xray({(0x0018, 0x1164, "DS"): None}), says="ImagerPixelSpacing (0018,1164)")
        self.assertIn("hint: what helps: --pitch-mm", text)
        self.assertEqual(self.view(self.xray({(0x0018, 0x1164, "DS"): None}), "--pitch-mm", "0.4,0.5")["source_mm"], [0, 700, 0])
        text = self.refuse(1, "view", self.xray(frames=3), says="NumberOfFrames (0028,0008) is 3")
        self.assertIn("--frame", text)
        self.view(self.xray(frames=3), "--frame", 2)
        self.refuse(1, "view", self.xray(frames=3), "--frame", 4, says="no frame 4")

    def test_rt_image_is_refused_until_position_and_isocenter_are_given(self):
        path = self.xray(base=RT)
        text = self.refuse(1, "view", path, says="PatientPosition (0018,5100)")
        self.assertIn("IsocenterPosition (300a,012c)", text)
        self.assertIn("--patient-position", text)
        self.assertIn("--isocenter-mm", text)
        self.refuse(1, "view", path, "--patient-position", "HFS", says="IsocenterPosition")
        view = self.view(path, "--patient-position", "HFS", "--isocenter-mm", "1,2,3", "--pixels-are", "linear")
        for got, expected in zip(view["source_mm"], (1001, 2, 3)):
            self.assertAlmostEqual(got, expected, places=9)
        self.assertEqual(self.source_of(view, "patient position"), "option --patient-position")
        self.assertEqual(view["problems"], [])

    def test_pixels_are(self):
        for meaning in ("linear", "inverted", "log", "display"):
            view = self.view(self.xray(), "--pixels-are", meaning)
            value = next(n["value"] for n in view["provenance"] if n["quantity"] == "pixel meaning")
            self.assertEqual(value, meaning)
        self.refuse(2, "view", self.xray(), "--pixels-are", "counts", says="--pixels-are")

    def test_what_is_no_xray_image(self):
        path = self.folder / "text.dcm"
        path.write_text("no image")
        self.refuse(1, "view", path, says="not a DICOM file")
        self.refuse(1, "view", self.folder / "nothing.dcm", says="no such file")
        self.refuse(2, "view", says="XRAY")
        ct = {(0x0008, 0x0016, "UI"): "1.2.840.10008.5.1.4.1.1.2", (0x0008, 0x0060, "CS"): "CT"}
        self.refuse(1, "view", self.xray(ct), says="CTImageStorage")


class Like(XrayTest):
    def test_isocenter_is_the_centre_of_the_ct(self):
        ct = self.write_block(origin=[50, 60, 70])
        done = self.run_program("drr", ct, "o.nrrd", "--like", self.xray(), *MU, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        report = json.loads(done.stdout)
        self.assertEqual(report["view"]["source_mm"], [53.5, 763.5, 73.5])
        self.assertEqual(set(report["like"]), {"path", "provenance", "problems"})
        self.assertIn("CT", self.source_of(report["like"], "isocenter"))
        self.assertGreater(Nrrd(self.folder / "o.nrrd").at(5, 4), 0.1)

    def test_options_that_do_not_go_together(self):
        ct = self.write_block()
        view = self.write_parallel_view()
        self.refuse(2, "drr", ct, "o.nrrd", "--like", self.xray(), "--view", view, says="--view")
        self.refuse(2, "drr", ct, "o.nrrd", "--like", self.xray(), "--pixels", "3,3", says="--pixels")
        self.refuse(2, "drr", ct, "o.nrrd", "--view", view, "--frame", 1, says="--frame")
        self.refuse(2, "drr", ct, "o.nrrd", "--view", view, "--pixels-are", "log", says="--pixels-are")

    def test_refused_views_leave_no_file(self):
        ct = self.write_block()
        self.refuse(1, "drr", ct, "o.nrrd", "--like", self.xray(frames=2), *MU, says="NumberOfFrames")

    def test_drr_as_dicom_is_read_back(self):
        """Written and read: the same view, and values to half a step of 16 bits."""
        for name, view in (("c-arm", C_ARM), ("gantry", GANTRY)):
            with self.subTest(name):
                ct = self.write_block()
                report = self.succeed_json("drr", ct, "o.dcm", *view, *MU)
                self.succeed("drr", ct, "o.nrrd", *view, *MU)
                back = self.view("o.dcm")
                for key in ("origin_mm", "column_direction", "row_direction", "spacing_mm"):
                    for got, expected in zip(back["detector"][key], report["view"]["detector"][key]):
                        self.assertAlmostEqual(got, expected, delta=1e-6)
                for got, expected in zip(back["source_mm"], report["view"]["source_mm"]):
                    self.assertAlmostEqual(got, expected, delta=1e-6)
                meaning = next(n["value"] for n in back["provenance"] if n["quantity"] == "pixel meaning")
                self.assertEqual(meaning, "log")
                done = self.run_program("drr", ct, "again.nrrd", "--like", "o.dcm", *MU)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                for a, b in zip(Nrrd(self.folder / "o.nrrd").values, Nrrd(self.folder / "again.nrrd").values):
                    self.assertAlmostEqual(a, b, places=6)

    def test_parallel_views_are_no_dicom(self):
        ct = self.write_block()
        view = self.write_parallel_view()
        self.refuse(1, "drr", ct, "o.dcm", "--view", view, *MU, says="parallel beam")
        self.refuse(2, "drr", ct, "o.nrrd", "--view", view, *MU, "--keep-patient", says="--keep-patient")


@unittest.skipUnless(DATA.is_dir(), "RADIOGRAPHY_TEST_DATA is not there: REAL X-RAY IMAGES ARE NOT READ")
class RealData(XrayTest):
    def distance(self, view):
        origin = view["detector"]["origin_mm"]
        u, v = view["detector"]["column_direction"], view["detector"]["row_direction"]
        normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
        return abs(sum(n * (s - o) for n, s, o in zip(normal, view["source_mm"], origin)))

    def test_angiograms(self):
        for name, distance, more in (("IM1", 860, ("--pitch-mm", "0.39")), ("IM5", 931, ()), ("IM6", 939, ())):
            path = DATA / "xa-angio-static-phantom" / name
            if more:
                self.refuse(1, "view", path, "--frame", 1, says="ImagerPixelSpacing")
            view = self.view(path, "--frame", 1, *more)
            self.assertAlmostEqual(self.distance(view), distance, places=6)
            self.assertAlmostEqual(math.dist(view["source_mm"], (0, 0, 0)), 720, places=6)

    def test_rt_images(self):
        view = self.view(DATA / "rtimage" / "varian-6x-dosigap.dcm")
        self.assertAlmostEqual(self.distance(view), 1500.03301807881, places=6)
        eclipse = DATA / "rtimage" / "eclipse-prostate-phantom-drr.dcm"
        self.refuse(1, "view", eclipse, says="PatientPosition")
        view = self.view(eclipse, "--patient-position", "HFS", "--isocenter-mm", "0,0,0")
        self.assertAlmostEqual(self.distance(view), 1000, places=6)


main()
