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
"""`drr`: every form of view, quantity and option, against what must come out."""

import json
import math

from support import C_ARM, MU, Nrrd, ProgramTest, main, write_nrrd

KEYS = {"view", "pose", "output", "seconds", "compute", "warnings"}


class Drr(ProgramTest):
    def project(self, *options, out="o.nrrd"):
        """A water block of 8 mm under a parallel beam: L = 0.16 in the middle."""
        ct = self.write_block()
        view = self.write_parallel_view()
        report = self.succeed_json("drr", ct, out, "--view", view, *MU, *options)
        return report, Nrrd(self.folder / out)

    def test_json_has_the_contracts_keys(self):
        report, _ = self.project()
        self.assertEqual(set(report), KEYS)
        self.assertEqual(
            set(report["output"]), {"path", "quantity", "unit", "size", "min", "max", "mean", "sum"}
        )
        self.assertEqual(set(report["seconds"]), {"load", "prepare", "project", "transmit", "write", "total"})
        self.assertEqual(set(report["compute"]), {"projector", "kernel", "threads", "policy", "not_used"})
        self.assertEqual(report["warnings"], [])
        self.assertEqual(report["output"]["quantity"], "optical-depth")

    def test_every_projector_integrates_the_block(self):
        for projector in ("joseph", "cell-gauss", "siddon"):
            with self.subTest(projector):
                report, image = self.project("--projector", projector)
                self.assertEqual(report["compute"]["projector"], projector)
                self.assertEqual(image.size, [20, 20, 1])
                self.assertAlmostEqual(image.at(9, 9), 0.16, places=6)
                self.assertEqual(image.at(0, 0), 0)
                self.assertAlmostEqual(report["output"]["sum"], 8 * 8 * 8 * 0.02, places=5)

    def test_quantities(self):
        t = math.exp(-0.16)
        for quantity, middle, air in (
            ("transmission", t, 1),
            ("log-transmission", -0.16, 0),
            ("removed", 1 - t, 0),
            ("counts", 10000 * t, 10000),
        ):
            with self.subTest(quantity):
                report, image = self.project("--output", quantity)
                self.assertEqual(report["output"]["quantity"], quantity)
                self.assertAlmostEqual(image.at(9, 9) / middle, 1, places=5)
                self.assertEqual(image.at(0, 0), air)
        self.project("--output", "display")

    def test_statistics_are_those_of_the_file(self):
        report, image = self.project("--output", "counts")
        self.assertEqual(report["output"]["min"], min(image.values))
        self.assertEqual(report["output"]["max"], max(image.values))
        self.assertAlmostEqual(report["output"]["sum"], math.fsum(image.values), places=3)
        self.assertAlmostEqual(report["output"]["mean"], math.fsum(image.values) / 400, places=6)

    def test_detector_response(self):
        _, plain = self.project("--output", "counts", "--photons", 500)
        _, read = self.project(
            "--output", "counts", "--photons", 500, "--gain", 2, "--scatter", 30, "--offset", -7.5, out="r.nrrd"
        )
        for counts, value in zip(plain.values, read.values):
            self.assertAlmostEqual(value, 2 * (counts + 30) - 7.5, places=3)

    def test_noise_is_integer_seeded_and_the_same_for_any_threads(self):
        options = ("--output", "counts", "--photons", 100)
        images = [
            self.project(*options, "--noise-seed", 5, "--threads", n, out=f"t{n}.nrrd")[1] for n in (1, 2, 7)
        ]
        self.assertEqual(images[0].data, images[1].data)
        self.assertEqual(images[0].data, images[2].data)
        self.assertTrue(all(value == int(value) for value in images[0].values))
        _, other = self.project(*options, "--noise-seed", 6)
        self.assertNotEqual(images[0].data, other.data)
        mean = sum(images[0].values) / 400
        _, expected = self.project(*options)
        self.assertLess(abs(mean - sum(expected.values) / 400), 5 * math.sqrt(mean / 400))

    def test_gain_and_offset_come_after_the_noise(self):
        options = ("--output", "counts", "--noise-seed", 5, "--scatter", 20)
        _, plain = self.project(*options)
        _, read = self.project(*options, "--gain", 4, "--offset", 3, out="r.nrrd")
        self.assertEqual([4 * n + 3 for n in plain.values], list(read.values))

    def test_subrays_average_transmissions(self):
        _, image = self.project("--subrays", 4, "--projector", "siddon")
        self.assertEqual(image.size, [20, 20, 1])
        self.assertAlmostEqual(image.at(9, 9), 0.16, places=6)
        # A block shifted by half a pixel: its edge pixel is half air, half 8 mm of water.
        shift = self.write_shift("half.tfm", 0.5, 0, 0)
        _, moved = self.project("--subrays", 4, "--projector", "siddon", "--pose", shift)
        edge = -math.log((1 + math.exp(-0.16)) / 2)
        self.assertAlmostEqual(moved.at(5, 9), edge, places=6)
        self.assertAlmostEqual(moved.at(13, 9), edge, places=6)

    def test_focal_spot_blurs_an_edge(self):
        # A plate 10 mm wide, 500 mm from the source and from the detector: a spot of 4 mm blurs its edges over 4 mm.
        ct = self.write_block(size=(10, 10, 1))
        options = "--primary-angle-deg 0 --secondary-angle-deg 90 --source-isocenter-mm 500 --source-detector-mm 1000"
        view = (*options.split(), "--pixels", "41,41", "--pitch-mm", "1", "--projector", "siddon", *MU)

        def row(*more, out):
            self.succeed("drr", ct, out, *view, *more)
            image = Nrrd(self.folder / out)
            return [image.at(column, 20) for column in range(41)], image

        def blurred(depths):
            inner = max(depths)
            return sum(1 for depth in depths if 1e-6 < depth < inner - 1e-5)

        sharp, plain = row(out="sharp.nrrd")
        point, same = row("--focal-spot-mm", "0", out="point.nrrd")
        wide, _ = row("--focal-spot-mm", "4", "--focal-spot-samples", "8", out="wide.nrrd")
        high, _ = row("--focal-spot-mm", "0,4", out="high.nrrd")
        self.assertEqual(plain.data, same.data)
        self.assertLessEqual(blurred(sharp), 2)
        self.assertEqual(blurred(wide), 6)  # at each edge the pixels less than 1.75 mm from it
        for one, other in zip(high, sharp):
            self.assertAlmostEqual(one, other, places=5)

    def test_focal_spot_needs_a_source(self):
        ct = self.write_block()
        view = self.write_parallel_view()
        self.refuse(1, "drr", ct, "o.nrrd", "--view", view, *MU, "--focal-spot-mm", "1", says="parallel beam")

    def test_the_grid_is_the_views(self):
        _, image = self.project("--subrays", 3)
        self.assertEqual(image.header["space origin"].replace(" ", ""), "(-9.5,50,9.5)")
        self.assertEqual(image.header["radiography_quantity"], "optical-depth")
        self.assertEqual(image.header["radiography_energy_kev"], "60")
        self.assertEqual(image.header["radiography_open_beam_counts"], "10000")

    def test_the_pose_maps_world_to_ct(self):
        report, image = self.project("--pose", self.write_shift("pose.tfm", 2, 0, 3))
        _, still = self.project(out="still.nrrd")
        # A world point's place in the CT is 2 mm further left and 3 mm further up: the CT is seen 2 columns to the
        # right side of the patient, and 3 rows lower.
        for row in range(3, 20):
            for column in range(0, 18):
                self.assertAlmostEqual(image.at(column, row), still.at(column + 2, row - 3), places=6)
        self.assertEqual(report["pose"]["type"], "Euler3DTransform_double_3_3")
        self.assertEqual([row[3] for row in report["pose"]["matrix_world_to_ct"]], [2, 0, 3, 1])

    def test_saved_view_gives_the_same_bits(self):
        ct = self.write_block()
        options = [*C_ARM, "--roll-deg", "12.3", "--isocenter-mm", "0.1,0.2,0.3"]
        options[1], options[3] = "33.3", "-11.1"
        first = self.succeed_json("drr", ct, "a.nrrd", *options, *MU, "--save-view", "v.json")
        second = self.succeed_json("drr", ct, "b.nrrd", "--view", "v.json", *MU, "--save-view", "w.json")
        self.assertEqual(first["view"], second["view"])
        self.assertEqual(first["view"], json.loads((self.folder / "v.json").read_text()))
        self.assertEqual((self.folder / "v.json").read_bytes(), (self.folder / "w.json").read_bytes())
        self.assertEqual(Nrrd(self.folder / "a.nrrd").data, Nrrd(self.folder / "b.nrrd").data)

    def test_c_arm_about_the_cts_centre(self):
        ct = self.write_block(origin=[10, 20, 30])  # centre 13.5, 23.5, 33.5
        report = self.succeed_json("drr", ct, "o.nrrd", *C_ARM, *MU)
        view = report["view"]
        self.assertEqual(view["source_mm"], [13.5, 1023.5, 33.5])
        self.assertEqual(view["detector"]["column_direction"], [1, 0, 0])
        self.assertEqual([abs(x) if x == 0 else x for x in view["detector"]["row_direction"]], [0, 0, -1])
        self.assertEqual(view["detector"]["origin_mm"], [13.5 - 9.5, 23.5 - 500, 33.5 + 7.5])
        self.assertEqual(view["detector"]["size"], [20, 16])
        self.assertEqual(Nrrd(self.folder / "o.nrrd").header["radiography_source_mm"], "13.5 1023.5 33.5")

    def test_gantry(self):
        ct = self.write_block()
        gantry = (
            "--source-isocenter-mm 1000 --source-detector-mm 1500 --pixels 20,16 --pitch-mm 1,2 --isocenter-mm 1,2,3"
        ).split()
        for angle, position, source in (
            (0, "HFS", [1, -998, 3]),
            (90, "HFS", [1001, 2, 3]),
            (0, "FFP", [1, 1002, 3]),
            (90, "HFP", [-999, 2, 3]),
        ):
            with self.subTest(f"{angle} {position}"):
                report = self.succeed_json(
                    *("drr", ct, "o.nrrd", "--gantry-angle-deg", angle, "--patient-position", position),
                    *gantry,
                    *MU,
                )
                for value, expected in zip(report["view"]["source_mm"], source):
                    self.assertAlmostEqual(value, expected, places=9)
                self.assertEqual(report["view"]["detector"]["spacing_mm"], [1, 2])

    def test_negative_angles_and_numbers_with_signs(self):
        ct = self.write_block()
        options = list(C_ARM)
        options[1], options[3] = "-90", "+0.0"
        report = self.succeed_json("drr", ct, "o.nrrd", *options, *MU, "--isocenter-mm", "-1,-2.5,-.5")
        for value, expected in zip(report["view"]["source_mm"], [999, -2.5, -0.5]):
            self.assertAlmostEqual(value, expected, places=9)

    def test_mask(self):
        labels = [1 if i % 8 < 4 else 2 for i in range(512)]
        write_nrrd(self.folder / "labels.nrrd", (8, 8, 8), labels, kind="int")
        _, image = self.project("--ct-mask", "labels.nrrd", "--label", 2, "--projector", "siddon")
        self.assertEqual(image.at(7, 9), 0)
        self.assertAlmostEqual(image.at(12, 9), 0.16, places=6)
        _, everything = self.project("--ct-mask", "labels.nrrd", "--projector", "siddon")
        self.assertAlmostEqual(everything.at(7, 9), 0.16, places=6)

    def test_png_has_square_pixels(self):
        ct = self.write_block()
        options = C_ARM[: C_ARM.index("--pixels")] + ["--pixels", "20,16", "--pitch-mm", "2,1"]
        report = self.succeed_json("drr", ct, "o.png", *options, *MU)
        self.assertEqual(report["output"]["quantity"], "display")
        data = (self.folder / "o.png").read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual((int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")), (40, 16))

    def test_a_locale_with_a_comma_changes_nothing(self):
        ct = self.write_block()
        images = []
        for locale in ("C", "de_DE.UTF-8"):
            env = {"LC_ALL": locale, "LANG": locale}
            arguments = ("drr", ct, f"{locale}.nrrd", *C_ARM, *MU, "--isocenter-mm", "0.5,0.25,0.125")
            report = self.succeed_json(*arguments, env=env)
            self.assertEqual(report["view"]["source_mm"], [0.5, 1000.25, 0.125])
            images.append((self.folder / f"{locale}.nrrd").read_bytes())
        self.assertEqual(images[0], images[1])

    def test_text_for_people(self):
        done = self.succeed("drr", self.write_block(), "o.nrrd", *C_ARM, *MU)
        self.assertIn("optical-depth", done.stdout)
        self.assertIn("joseph", done.stdout)


main()
