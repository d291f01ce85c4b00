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
"""Wrong usage, bad input: exit codes, error lines, and nothing left behind."""

import os
import subprocess
import unittest

from support import C_ARM, MU, PROGRAM, ProgramTest, main, write_nrrd

try:
    import resource
except ImportError:  # Windows
    resource = None


class Usage(ProgramTest):
    def test_version_and_help_are_told_on_stdout(self):
        self.assertRegex(self.succeed("--version").stdout, r"^radiography \d+\.\d+\.\d+\n$")
        self.assertIn("drr", self.succeed("--help").stdout)
        for command in ("phantom", "inspect", "volume", "drr", "register", "overview", "law", "correct", "view", "info"):
            with self.subTest(command):
                self.assertIn("--threads", self.succeed(command, "--help").stdout)

    def test_no_or_unknown_subcommand(self):
        self.refuse(2)
        self.refuse(2, "projekt")

    def test_unknown_options_and_missing_arguments(self):
        self.refuse(2, "drr", "ct", "out.nrrd", *C_ARM, "--nonsense", says="--nonsense")
        self.refuse(2, "drr", "ct", says="OUT")
        self.refuse(2, "inspect", says="FOLDER")
        self.refuse(2, "phantom", "p", "extra", says="extra")

    def test_bad_numbers(self):
        def drr(*options):
            return ("drr", "ct", "out.nrrd", *C_ARM, *options)

        for value in ("0", "-1", "abc", "1,5", "nan", "inf", "1e999", "", "60keV"):
            with self.subTest(value):
                self.refuse(2, *drr("--energy-kev", value), says="--energy-kev")
        for option, value in (
            ("--threads", "0"),
            ("--threads", "-2"),
            ("--threads", "1.5"),
            ("--subrays", "0"),
            ("--focal-spot-mm", "-1"),
            ("--focal-spot-mm", "1,2,3"),
            ("--photons", "0"),
            ("--noise-seed", "-1"),
            ("--projector", "magic"),
            ("--output", "colour"),
            ("--gain", "0"),
            ("--scatter", "-1"),
            ("--isocenter-mm", "1,2"),
        ):
            with self.subTest(f"{option} {value}"):
                self.refuse(2, *drr(option, value), says=option)
        for option, value in (("--size", "15"), ("--size", "513"), ("--size", "many"), ("--seed", "-1")):
            with self.subTest(f"{option} {value}"):
                self.refuse(2, "phantom", "p", option, value, says=option)

    def test_bad_pixels_and_pitch(self):
        start = C_ARM[: C_ARM.index("--pixels")]
        for pixels in ("20", "20,0", "20,16,1", "20.5,16", "20;16", "70000,2"):
            with self.subTest(pixels):
                self.refuse(2, "drr", "ct", "o.nrrd", *start, "--pixels", pixels, "--pitch-mm", "1", says="--pixels")
        for pitch in ("0", "1,0", "1,1,1", "-1"):
            with self.subTest(pitch):
                self.refuse(2, "drr", "ct", "o.nrrd", *start, "--pixels", "4,4", "--pitch-mm", pitch, says="--pitch")

    def test_exactly_one_view(self):
        ct = self.write_block()
        gantry = (
            "--gantry-angle-deg 0 --patient-position HFS --isocenter-mm 0,0,0 --source-isocenter-mm 1000 "
            "--source-detector-mm 1500 --pixels 4,4 --pitch-mm 1"
        ).split()
        self.refuse(2, "drr", ct, "o.nrrd", says="view")
        self.refuse(2, "drr", ct, "o.nrrd", "--view", "v.json", *C_ARM, says="one view")
        self.refuse(2, "drr", ct, "o.nrrd", "--view", "v.json", "--pitch-mm", "1", says="--pitch-mm")
        self.refuse(2, "drr", ct, "o.nrrd", "--gantry-angle-deg", "0", *C_ARM, says="one view")
        self.refuse(2, "drr", ct, "o.nrrd", *C_ARM, "--couch-angle-deg", "0", says="--couch-angle-deg")
        self.refuse(2, "drr", ct, "o.nrrd", *gantry, "--roll-deg", "1", says="--gantry-angle-deg")
        self.refuse(2, "drr", ct, "o.nrrd", *C_ARM[:6], says="--source-detector-mm")
        without_position = gantry[:2] + gantry[4:]
        self.refuse(2, "drr", ct, "o.nrrd", *without_position, says="--patient-position")

    def test_endings(self):
        ct = self.write_block()
        for name in ("out", "out.jpg", "out.nrrd.txt", ".nrrd"):
            with self.subTest(name):
                self.refuse(2, "drr", ct, name, *C_ARM, *MU, says=name)
        self.refuse(2, "volume", ct, "out.png", says="out.png")
        self.refuse(2, "drr", ct, "out.png", *C_ARM, *MU, "--output", "counts", says="display")
        self.refuse(2, "drr", ct, "o.nrrd", *C_ARM, *MU, "--save-view", "view.txt", says="view.txt")

    def test_detector_options_need_counts(self):
        for option in (("--noise-seed", "1"), ("--gain", "2"), ("--offset", "2"), ("--scatter", "2")):
            with self.subTest(option):
                self.refuse(2, "drr", "ct", "o.nrrd", *C_ARM, *option, says=option[0])

    def test_options_that_do_not_apply(self):
        ct = self.write_block()
        self.refuse(2, "volume", ct, "o.nrrd", "--series", "1", says="--series")
        self.refuse(2, "volume", ct, "o.nrrd", "--ct-mask", ct, says="--attenuation")
        self.refuse(2, "drr", ct, "o.nrrd", *C_ARM, "--label", "1", says="--label")
        self.refuse(2, "drr", ct, "o.nrrd", *C_ARM, "--focal-spot-samples", "2", says="--focal-spot-samples")


class Failures(ProgramTest):
    def test_missing_and_unreadable_input(self):
        self.refuse(1, "inspect", "nowhere", says="nowhere")
        self.refuse(1, "volume", "nowhere", "o.nrrd", says="nowhere")
        self.refuse(1, "overview", "nowhere", "report", says="nowhere")
        empty = self.folder / "empty"
        empty.mkdir()
        self.refuse(1, "volume", empty, "o.nrrd")
        junk = self.folder / "junk.nrrd"
        junk.write_text("this is no image\n")
        self.refuse(1, "volume", junk, "o.nrrd")
        text = self.folder / "notes.txt"
        text.write_text("nor this\n")
        self.refuse(1, "volume", text, "o.nrrd", says="notes.txt")

    def test_only_volumes_are_cts(self):
        flat = self.folder / "flat.nrrd"
        header = "NRRD0004\ntype: float\ndimension: 2\nsizes: 2 2\nendian: little\nencoding: raw\n\n"
        flat.write_bytes(header.encode() + bytes(16))
        self.refuse(1, "volume", flat, "o.nrrd", says="2 dimensions")
        self.refuse(1, "drr", flat, "o.nrrd", *C_ARM, *MU, says="2 dimensions")

    def test_output_folder_must_exist_and_be_no_folder(self):
        ct = self.write_block()
        self.refuse(1, "volume", ct, "nowhere/o.nrrd", says="nowhere")
        (self.folder / "folder.nrrd").mkdir()
        self.refuse(1, "volume", ct, "folder.nrrd", says="folder.nrrd")

    def test_a_failing_run_keeps_the_old_output(self):
        ct = self.write_block(value=float("nan"))
        old = self.folder / "o.nrrd"
        old.write_text("old")
        self.refuse(1, "drr", ct, old, *C_ARM, *MU)
        self.assertEqual(old.read_text(), "old")

    def test_bad_view_files(self):
        ct = self.write_block()
        view = self.write_parallel_view()
        text = view.read_text()
        for bad in (
            "",
            "{",
            "[]",
            text.replace('"beam"', '"beem"'),
            text.replace('"size": [20, 20]', '"size": [20, 0]'),
            text.replace('"direction": [0, 1, 0]', '"direction": [0, 0, 0]'),
            text.replace('"radiography_view": 1', '"radiography_view": 99'),
        ):
            with self.subTest(bad[:40]):
                self.assertNotEqual(bad, text)
                view.write_text(bad)
                self.refuse(1, "drr", ct, "o.nrrd", "--view", view, *MU)
        self.refuse(1, "drr", ct, "o.nrrd", "--view", "nowhere.json", *MU, says="nowhere.json")

    def test_bad_poses(self):
        ct = self.write_block()
        view = self.write_parallel_view()
        pose = self.folder / "pose.tfm"
        head = "#Insight Transform File V1.0\n#Transform 0\n"
        for bad in (
            "",
            "junk\n",
            head + "Transform: Euler2DTransform_double_2_2\nParameters: 0 0 0\nFixedParameters: 0 0\n",
            head + "Transform: AffineTransform_double_3_3\nParameters: " + "0 " * 12 + "\nFixedParameters: 0 0 0\n",
        ):
            with self.subTest(bad[-60:]):
                pose.write_text(bad)
                self.refuse(1, "drr", ct, "o.nrrd", "--view", view, "--pose", pose, *MU)
        self.refuse(1, "drr", ct, "o.nrrd", "--view", view, "--pose", "nowhere.tfm", *MU, says="nowhere.tfm")

    def test_bad_masks(self):
        ct = self.write_block()
        view = self.write_parallel_view()

        def refuse(mask, *options, says):
            self.refuse(1, "drr", ct, "o.nrrd", "--view", view, *MU, "--ct-mask", mask, *options, says=says)

        ones = write_nrrd(self.folder / "ones.nrrd", (8, 8, 8), [1] * 512, kind="int")
        refuse("nowhere.nrrd", says="nowhere.nrrd")
        refuse(write_nrrd(self.folder / "small.nrrd", (8, 8, 7), [1] * 448, kind="int"), says="size")
        refuse(write_nrrd(self.folder / "far.nrrd", (8, 8, 8), [1] * 512, origin=[0, 0, 0], kind="int"), says="origin")
        refuse(
            write_nrrd(self.folder / "wide.nrrd", (8, 8, 8), [1] * 512, spacing=2, origin=[-3.5] * 3, kind="int"),
            says="spacing",
        )
        refuse(ones, "--label", "7", says="label 7")
        refuse(write_nrrd(self.folder / "none.nrrd", (8, 8, 8), [0] * 512, kind="int"), says="0")

    @unittest.skipUnless(resource, "needs a limit on the size of files")
    def test_a_full_disc_leaves_nothing_behind(self):
        ct = self.write_block()
        view = self.write_parallel_view(size=(100, 100))
        before = self.listing()
        names = ("o.nrrd", "o.mha", "o.nii.gz", "o.nii", "o.png")
        for name, room in [(name, room) for name in names for room in (0, 6, 40)]:
            with self.subTest(name, room=room):
                done = subprocess.run(
                    [PROGRAM, "drr", ct, name, "--view", view, *MU],
                    cwd=self.folder,
                    capture_output=True,
                    text=True,
                    restore_signals=False,  # a file too large is an error to the program, not its death
                    preexec_fn=lambda room=room: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
                )
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("radiography: error: ", done.stderr)
                self.assertEqual(self.listing(), before)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_full_standard_output_is_a_failure(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "info", "--json"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("radiography: error: ", done.stderr)


class Info(ProgramTest):
    def test_info_names_versions_and_kernels(self):
        info = self.succeed_json("info")
        self.assertRegex(info["version"], r"^\d+\.\d+\.\d+$")
        self.assertLessEqual({"compiler", "itk", "dcmtk", "xraylib"}, set(info["build"]))
        self.assertEqual([p["projector"] for p in info["projectors"]], ["joseph", "cell-gauss", "siddon"])
        for projector in info["projectors"]:
            self.assertTrue(projector["kernel"])
            self.assertTrue(projector["not_used"]["cuda"])
        self.assertRegex(info["transmission"]["kernel"], "^transmission, .* binary64$")
        self.assertIn("joseph", self.succeed("info").stdout)
        self.assertIn("transmission: kernel ", self.succeed("info").stdout)
        self.assertEqual(self.succeed("info", "--quiet").stdout, "")

    def test_threads_are_those_asked_for(self):
        for projector in self.succeed_json("info", "--threads", "1")["projectors"]:
            self.assertEqual(projector["threads"], 1)


main()
