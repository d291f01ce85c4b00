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
"""`volume` and `inspect`: grids, units, and real folders."""

import os
import pathlib
import signal
import subprocess
import time
import unittest

from support import MU, PROGRAM, Nrrd, ProgramTest, main, write_nrrd


class Volume(ProgramTest):
    def test_grid_and_values_survive(self):
        size = (3, 4, 5)
        values = [float(i) for i in range(60)]
        ct = write_nrrd(self.folder / "ct.nrrd", size, values, spacing=0.5, origin=[10.25, -20.5, 30])
        report = self.succeed_json("volume", ct, "out.nrrd")
        self.assertEqual(report["output"]["size"], list(size))
        self.assertEqual(report["output"]["spacing_mm"], [0.5] * 3)
        self.assertEqual(report["output"]["origin_mm"], [10.25, -20.5, 30])
        self.assertEqual(report["output"]["unit"], "HU")
        self.assertEqual((report["output"]["min"], report["output"]["max"]), (0, 59))
        out = Nrrd(self.folder / "out.nrrd")
        self.assertEqual(list(out.values), values)
        self.assertIn("10.25", out.header["space origin"])

    def test_attenuation(self):
        ct = write_nrrd(self.folder / "ct.nrrd", (2, 2, 2), [-2000.0, -1000, -500, -250, 0, 0, 0, 0])
        report = self.succeed_json("volume", ct, "out.nrrd", "--attenuation", *MU)
        self.assertEqual(report["output"]["unit"], "1/mm")
        for value, expected in zip(Nrrd(self.folder / "out.nrrd").values, [0, 0, 0.01, 0.015, 0.02, 0.02, 0.02, 0.02]):
            self.assertAlmostEqual(value, expected, places=8)

    def test_gaps_are_resampled_when_asked_for(self):
        self.succeed("phantom", "p", "--size", 16)
        slices = sorted((self.folder / "p").glob("*.dcm"))
        slices[len(slices) // 2].unlink()
        self.refuse(1, "volume", "p", "out.nrrd", says="slices are missing")
        done = self.run_program("volume", "p", "out.nrrd", "--resample")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("radiography: warning: the volume is resampled (gap)", done.stderr)
        self.assertEqual(Nrrd(self.folder / "out.nrrd").size[2], len(slices))
        self.refuse(2, "volume", self.write_block(), "o.nrrd", "--resample", says="--resample")

    @unittest.skipIf(os.name == "nt", "no POSIX signals")
    def test_a_signal_leaves_no_unfinished_file(self):
        size = (96, 96, 96)
        values = [float(i * 7919 % 4096) for i in range(size[0] * size[1] * size[2])]
        ct = write_nrrd(self.folder / "ct.nrrd", size, values)
        for which in (signal.SIGINT, signal.SIGTERM):
            command = [PROGRAM, "volume", str(ct), "out.nrrd", "--quiet"]
            running = subprocess.Popen(command, cwd=self.folder)
            while running.poll() is None and not list(self.folder.glob(".radiography-*")):
                time.sleep(0.001)
            running.send_signal(which)
            running.wait()
            self.assertEqual(list(self.folder.glob(".radiography-*")), [])
            if running.returncode == -which:
                self.assertFalse((self.folder / "out.nrrd").exists())
            else:  # it was done before the signal came
                self.assertEqual(running.returncode, 0)

    def test_every_ending_reads_back(self):
        ct = self.write_block(value=5.0)
        for name in ("a.nrrd", "a.mha", "a.nii.gz", "a.nii", "A.NRRD"):
            with self.subTest(name):
                self.succeed("volume", ct, name)
                report = self.succeed_json("volume", name, "back.nrrd")
                self.assertEqual(report["output"]["origin_mm"], [-3.5] * 3)
                self.assertEqual((report["output"]["min"], report["output"]["max"]), (5, 5))

    def test_existing_output_is_replaced_and_nothing_else_appears(self):
        ct = self.write_block(value=5.0)
        (self.folder / "out.nrrd").write_text("old")
        self.succeed("volume", ct, "out.nrrd")
        self.assertEqual(set(self.listing()), {"block.nrrd", "out.nrrd"})
        self.assertEqual(set(Nrrd(self.folder / "out.nrrd").values), {5.0})

    def test_a_volume_may_replace_itself(self):
        ct = self.write_block(value=5.0)
        self.succeed("volume", ct, ct)
        self.assertEqual(set(Nrrd(ct).values), {5.0})

    def test_quiet(self):
        self.assertEqual(self.succeed("volume", self.write_block(), "out.nrrd", "--quiet").stdout, "")

    def test_series_is_chosen_by_number_and_uid(self):
        self.succeed("phantom", "both/a", "--size", 16, "--seed", 1)
        self.succeed("phantom", "both/b", "--size", 20, "--seed", 2)
        series = self.succeed_json("inspect", "both")["series"]
        self.assertEqual([s["size"][0] for s in series], [16, 20])
        self.assertEqual([s["chosen"] for s in series], [False, True])
        for number, one in enumerate(series, 1):
            for choice in (number, one["series_instance_uid"]):
                report = self.succeed_json("volume", "both", "v.nrrd", "--series", choice)
                self.assertEqual(report["output"]["size"], one["size"])
        largest = self.run_program("volume", "both", "v.nrrd")
        self.assertEqual(largest.returncode, 0)
        self.assertIn("20", largest.stdout + largest.stderr)
        self.refuse(1, "volume", "both", "w.nrrd", "--series", "3")
        self.refuse(1, "volume", "both", "w.nrrd", "--series", "1.2.3.4")


@unittest.skipUnless(os.environ.get("RADIOGRAPHY_TEST_DATA"), "RADIOGRAPHY_TEST_DATA IS NOT SET: REAL DATA NOT TESTED")
class RealData(ProgramTest):
    def data(self, name):
        return pathlib.Path(os.environ["RADIOGRAPHY_TEST_DATA"]) / name

    def test_chest(self):
        folder = self.data("ct-chest-lidc-0001")
        found = self.succeed_json("inspect", folder)
        chosen = [s for s in found["series"] if s["chosen"]]
        self.assertEqual(len(chosen), 1)
        self.assertEqual(chosen[0]["size"], [512, 512, 133])
        self.assertEqual(chosen[0]["spacing_mm"], [0.703125, 0.703125, 2.5])
        self.assertEqual(chosen[0]["direction"], [1, 0, 0, 0, 1, 0, 0, 0, 1])

    def test_messy_folder(self):
        found = self.succeed_json("inspect", self.data("ct-messy-folder"))
        chosen = [s for s in found["series"] if s["chosen"]]
        self.assertEqual([s["size"] for s in chosen], [[512, 512, 28]])
        self.assertEqual(sum(f["used"] for f in found["files"]), 28)
        self.assertTrue(all(f["reason"] for f in found["files"]))
        table = self.succeed("inspect", self.data("ct-messy-folder")).stdout
        self.assertIn("28 of them used", table)

    def test_geometry_of_the_chest_volume(self):
        report = self.succeed_json("volume", self.data("ct-chest-lidc-0001"), "v.nrrd")
        self.assertEqual(report["output"]["origin_mm"], [-166, -171.699997, -340])
        self.assertEqual(report["output"]["min"], -2048)


main()
