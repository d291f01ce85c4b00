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
"""`law`: the table for water, against the book's numbers."""

import math

from support import ProgramTest, main

MILLIMETRES = [1, 10, 33.664, 100, 200]
COUNTS = [9796.2, 8139.1, 5000.0, 1275.8, 162.77]


class Law(ProgramTest):
    def column(self, report, source):
        return next((column for column in report["columns"] if column["source"] == source), None)

    def has_xraylib(self):
        return "not built in" not in self.succeed_json("info")["build"]["xraylib"]

    def test_the_book_column(self):
        report = self.succeed_json("law")
        self.assertEqual(report["material"], "water")
        self.assertEqual(report["energy_kev"], 60)
        self.assertEqual(report["open_beam_photons"], 10000)
        book = self.column(report, "book")
        self.assertEqual(book["mass_attenuation_cm2_per_g"], 0.2059)
        self.assertAlmostEqual(book["attenuation_per_mm"], 0.02059, places=15)
        self.assertAlmostEqual(book["half_value_mm"], 33.664, places=3)
        self.assertAlmostEqual(book["factor_per_extra_mm"], 0.979621, places=6)
        self.assertEqual([row["thickness_mm"] for row in book["rows"]], MILLIMETRES)
        for row, counts in zip(book["rows"], COUNTS):
            with self.subTest(row["thickness_mm"]):
                depth = 0.02059 * row["thickness_mm"]
                self.assertAlmostEqual(row["optical_depth"], depth, places=12)
                self.assertAlmostEqual(row["counts"] / counts, 1, delta=5e-5)
                self.assertAlmostEqual(row["transmission"], math.exp(-depth), places=6)
                self.assertAlmostEqual(row["removed"], 1 - math.exp(-depth), places=6)

    def test_xraylib_is_a_second_column_with_its_own_value(self):
        report = self.succeed_json("law")
        column = self.column(report, "xraylib")
        if not self.has_xraylib():
            self.assertIsNone(column)
            self.assertIn("xraylib", " ".join(report["notes"]))
            return
        self.assertEqual([c["source"] for c in report["columns"]], ["book", "xraylib"])
        self.assertIn("Water, Liquid", column["label"])
        self.assertAlmostEqual(column["mass_attenuation_cm2_per_g"], 0.205873, places=5)
        self.assertEqual(report["notes"], [])
        self.assertAlmostEqual(column["rows"][3]["counts"], 1e4 * math.exp(-100 * column["attenuation_per_mm"]), delta=0.01)

    def test_the_book_value_is_for_60_kev_only(self):
        if not self.has_xraylib():
            self.refuse(1, "law", "--energy-kev", 80, says="xraylib")
            return
        report = self.succeed_json("law", "--energy-kev", 80)
        self.assertIsNone(self.column(report, "book"))
        self.assertIn("60 keV only", " ".join(report["notes"]))
        self.assertAlmostEqual(self.column(report, "xraylib")["mass_attenuation_cm2_per_g"], 0.183657, places=5)

    def test_text_for_people(self):
        text = self.succeed("law").stdout
        for words in ("book", "0.2059 cm^2/g", "0.979621", "33.664", "5000.03", "9796.21", "0.872419"):
            self.assertIn(words, text)
        self.assertEqual(self.succeed("law", "--quiet").stdout, "")

    def test_a_locale_with_a_comma_changes_nothing(self):
        texts = {self.succeed("law", env={"LC_ALL": name}).stdout for name in ("C", "de_DE.UTF-8")}
        self.assertEqual(len(texts), 1)

    def test_bad_energies(self):
        for energy in ("0", "-60", "nan", "60keV", ""):
            with self.subTest(energy):
                self.refuse(2, "law", "--energy-kev", energy, says="--energy-kev")
        self.refuse(2, "law", "60")
        self.refuse(1, "law", "--energy-kev", "1e6", says="keV")


main()
