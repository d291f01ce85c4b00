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
"""The phantom: a DICOM CT series that the reader takes whole, the same each time, and nothing about it symmetric."""

import json
import struct

from support import Nrrd, ProgramTest, main

SIZE = 64


class Phantom(ProgramTest):
    def make(self, name="phantom", *options):
        self.succeed("phantom", name, "--size", SIZE, *options)
        return self.folder / name

    def truth(self, folder):
        return json.loads((folder / "truth.json").read_text())

    def test_one_file_per_slice_and_the_truth(self):
        folder = self.make()
        names = sorted(path.name for path in folder.iterdir())
        self.assertEqual(names, [f"slice-{i:04}.dcm" for i in range(1, SIZE + 1)] + ["truth.json"])
        for path in folder.glob("*.dcm"):
            self.assertEqual(path.read_bytes()[128:132], b"DICM", path)

    def test_inspect_finds_one_whole_volume(self):
        folder = self.make()
        found = self.succeed_json("inspect", folder)
        self.assertEqual(len(found["series"]), 1)
        series = found["series"][0]
        self.assertLessEqual(
            {"series_instance_uid", "study_instance_uid", "frame_of_reference_uid", "modality", "description", "kind",
             "loadable", "chosen", "size", "spacing_mm", "origin_mm", "direction", "files", "transfer_syntaxes",
             "problems"},
            set(series),
        )
        truth = self.truth(folder)
        self.assertEqual((series["kind"], series["modality"]), ("ct-volume", "CT"))
        self.assertTrue(series["loadable"] and series["chosen"])
        self.assertEqual(series["size"], truth["size"])
        self.assertEqual(series["spacing_mm"], truth["spacing_mm"])
        self.assertEqual(series["origin_mm"], truth["origin_mm"])
        self.assertEqual(series["direction"], [1, 0, 0, 0, 1, 0, 0, 0, 1])
        self.assertEqual(series["problems"], [])
        self.assertEqual(len(found["files"]), SIZE + 1)
        self.assertEqual([f["path"] for f in found["files"] if not f["used"]], ["truth.json"])
        self.assertTrue(all(f["reason"] for f in found["files"]))

    def test_voxels_come_back_as_stored(self):
        folder = self.make()
        self.succeed("volume", folder, "v.nrrd")
        volume = Nrrd(self.folder / "v.nrrd")
        stored = []
        for number in range(1, SIZE + 1):
            pixels = (folder / f"slice-{number:04}.dcm").read_bytes()[-2 * SIZE * SIZE :]
            stored += struct.unpack(f"<{SIZE * SIZE}H", pixels)
        self.assertEqual(list(volume.values), [value - 1024 for value in stored])

    def test_the_same_seed_gives_the_same_bytes_for_any_threads(self):
        folders = [self.make("a", "--seed", 7), self.make("b", "--seed", 7, "--threads", 1)]
        for path in folders[0].iterdir():
            self.assertEqual(path.read_bytes(), (folders[1] / path.name).read_bytes(), path.name)

    def test_another_seed_moves_the_targets(self):
        targets = [self.truth(self.make(f"p{seed}", "--seed", seed))["targets"] for seed in (1, 2)]
        self.assertEqual(len(targets[0]), len(targets[1]))
        for one, other in zip(*targets):
            self.assertNotEqual(one["center_mm"], other["center_mm"])

    def test_targets_are_where_the_truth_says(self):
        self.succeed("phantom", "fine", "--size", 192)
        truth = self.truth(self.folder / "fine")
        self.succeed("volume", "fine", "v.nrrd")
        volume = Nrrd(self.folder / "v.nrrd")
        for target in truth["targets"]:
            index = [
                round((c - o) / s) for c, o, s in zip(target["center_mm"], truth["origin_mm"], truth["spacing_mm"])
            ]
            self.assertGreater(volume.at(*index), 600, target)

    def test_an_earlier_phantom_is_replaced(self):
        self.succeed("phantom", "p", "--size", 70)
        folder = self.make("p")
        self.assertEqual(len(list(folder.iterdir())), SIZE + 1)

    def test_a_folder_with_other_things_is_left_alone(self):
        folder = self.folder / "mine"
        folder.mkdir()
        (folder / "thesis.txt").write_text("years of work")
        self.refuse(1, "phantom", folder, "--size", SIZE, says="thesis.txt")
        (self.folder / "file").write_text("")
        self.refuse(1, "phantom", "file", "--size", SIZE, says="file")

    def test_missing_parents_are_made(self):
        self.succeed("phantom", "deep/er/p", "--size", 16)
        self.assertTrue((self.folder / "deep/er/p/truth.json").exists())

    def test_left_is_left(self):
        """The stomach bubble is on the patient's left: on the right of a PA picture, and brighter in transmission."""
        folder = self.make()
        bubble = next(s for s in self.truth(folder)["solids"] if s["name"] == "stomach bubble")["bounds_mm"]
        center = [(low + high) / 2 for low, high in zip(bubble["low"], bubble["high"])]
        self.assertGreater(center[0], 20)
        self.succeed(
            *("drr", folder, "pa.nrrd", "--primary-angle-deg", 0, "--secondary-angle-deg", 0),
            *("--source-isocenter-mm", 1000, "--source-detector-mm", 1500, "--pixels", "301,301", "--pitch-mm", 2),
        )
        depth = Nrrd(self.folder / "pa.nrrd")
        scale = 1500 / (1000 - center[1]) / 2  # pixels per mm at the bubble's distance from the source behind
        column = 150 + center[0] * scale
        row = 150 - center[2] * scale
        mirrored = depth.at(round(300 - column), round(row))
        self.assertLess(depth.at(round(column), round(row)), mirrored - 0.5)


main()
