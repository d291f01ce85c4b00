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
"""`register`: a CT found again from radiographs of it, its report, and everything that is refused."""

import json
import math

from support import MU, ProgramTest, main, write_nrrd

KEYS = {
    "verdict", "reasons", "transform", "covariance", "standard_errors", "target_standard_error_mm",
    "deviance_per_pixel", "nuisances", "levels", "trace", "seconds", "compute", "warnings",
}  # fmt: skip
ARM = "--secondary-angle-deg 0 --source-isocenter-mm 700 --source-detector-mm 1000 --pixels 48,48 --pitch-mm 4".split()
SHIFT = (3.0, -2.0, 4.0)
PICTURES = ("image", "before", "after", "residual", "overlay")


def write_anatomy(path):
    """Something like a body, 120 x 96 x 96 mm, that looks different from every side: HU."""
    size, blobs = (30, 24, 24), [(8, 7, 6, 2.5), (20, 15, 9, 3.0), (14, 8, 17, 2.0), (22, 9, 18, 1.8), (9, 16, 14, 2.2)]

    def hounsfield(x, y, z):
        if ((x - 14.5) / 14) ** 2 + ((y - 11.5) / 11) ** 2 + ((z - 11.5) / 11.5) ** 2 > 1:
            return -1000.0
        return 1000.0 if any(math.dist((x, y, z), blob[:3]) < blob[3] for blob in blobs) else 0.0

    voxels = [hounsfield(x, y, z) for z in range(size[2]) for y in range(size[1]) for x in range(size[0])]
    return write_nrrd(path, size, voxels, spacing=4.0)


class Register(ProgramTest):
    def setUp(self):
        super().setUp()
        self.ct = write_anatomy(self.folder / "ct.nrrd")
        self.truth = self.write_shift("truth.tfm", *SHIFT)

    def write_image(self, name="front.nrrd", angle=0, *options):
        quantity = () if "--output" in options else ("--output", "counts", "--photons", 50000)
        self.succeed("drr", self.ct, name, "--primary-angle-deg", angle, *ARM, *MU, "--pose", self.truth,
                     "--save-view", name.replace(".nrrd", ".json"), *quantity, *options)  # fmt: skip
        return name

    def write_pair(self, *options):
        return self.write_image("front.nrrd", 0, *options), self.write_image("side.nrrd", 90, *options)

    def register(self, *arguments, verdict="converged"):
        done = self.run_program("register", self.ct, *arguments, "--output", "found.tfm", *MU, "--json",
                                "--truth", self.truth)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["verdict"], verdict, report["reasons"])
        return report

    def test_two_views_of_counts(self):
        report = self.register(*self.write_pair("--noise-seed", 5), "--report", "page")
        self.assertLessEqual(KEYS, set(report))
        self.assertEqual(report["metric"], "poisson")
        self.assertEqual(report["estimated"], "exposure")
        error = report["target_registration_error_mm"]
        self.assertGreater(error["before"]["mean"], 5.0)
        self.assertLess(error["after"]["mean"], 0.5)
        self.assertEqual(report["transform"]["type"], "Euler3DTransform_double_3_3")
        self.assertEqual([len(report["covariance"]), len(report["covariance"][0])], [6, 6])
        self.assertEqual(len(report["target_standard_error_mm"]), 3)
        self.assertEqual(len(report["nuisances"]), 2)
        for level in report["levels"]:
            self.assertLessEqual({"iterations", "objective", "seconds"}, set(level))
        matrix = report["transform"]["matrix_world_to_ct"]
        for i in range(3):
            self.assertAlmostEqual(matrix[i][3], SHIFT[i], delta=0.8)
        # The report is what was printed, and every picture of the page is there.
        self.assertEqual(json.loads((self.folder / "page/report.json").read_text()), report)
        page = (self.folder / "page/index.html").read_text()
        for view in (1, 2):
            for picture in PICTURES:
                name = f"view-{view}-{picture}.png"
                self.assertTrue((self.folder / "page" / name).read_bytes().startswith(b"\x89PNG"))
                self.assertIn(name, page)
        # The transform does what the report says: the image comes out as it was taken.
        self.succeed("drr", self.ct, "again.nrrd", "--view", "front.json", *MU, "--pose", "found.tfm")

    def test_known_photons_and_lists_of_nuisances(self):
        pair = self.write_pair()
        report = self.register(*pair, "--photons", 50000)
        self.assertEqual(report["estimated"], "none")
        self.assertLess(report["target_registration_error_mm"]["after"]["mean"], 0.2)
        report = self.register(*pair, "--estimate", "exposure,attenuation")
        self.assertEqual(report["estimated"], "attenuation, exposure")
        self.assertAlmostEqual(report["nuisances"][0]["attenuation"], 1.0, delta=0.05)
        report = self.register(*pair, "--estimate", "none")  # the files know their photons
        self.assertEqual(report["estimated"], "none")

    def test_images_that_are_no_counts(self):
        pair = self.write_pair("--output", "display")
        report = self.register(*pair)
        self.assertEqual(report["metric"], "gradient-correlation")
        self.assertLess(report["target_registration_error_mm"]["after"]["mean"], 0.5)
        self.refuse(1, "register", self.ct, *pair, "--output", "x.tfm", "--metric", "poisson", says="display")
        self.refuse(2, "register", self.ct, *pair, "--output", "x.tfm", "--photons", 100, says="--photons")
        report = self.register(*self.write_pair("--output", "transmission"), "--metric", "ncc")
        self.assertLess(report["target_registration_error_mm"]["after"]["mean"], 0.1)

    def test_view_files_and_pixels_are(self):
        front, side = self.write_pair()
        report = self.register(front, side, "--view", "front.json", "--view", "side.json")
        self.assertLess(report["target_registration_error_mm"]["after"]["mean"], 0.2)
        report = self.register(front, side, "--pixels-are", "log")
        self.assertEqual(report["metric"], "gradient-correlation")
        self.assertEqual(report["images"][0]["quantity"], "log")

    def test_landmarks(self):
        front, side = self.write_pair()
        points = {"a": (20, 10, 5), "b": (-25, 12, 20), "c": (8, -20, -22), "d": (-10, 4, -30), "e": (30, -15, 12)}
        control = [
            {"label": k, "position": p, "positionStatus": "defined"} for k, p in points.items()
        ]  # fmt: skip
        markups = {"markups": [{"type": "Fiducial", "coordinateSystem": "LPS", "controlPoints": control}]}
        (self.folder / "ct.mrk.json").write_text(json.dumps(markups))
        views = [json.loads((self.folder / name).read_text()) for name in ("front.json", "side.json")]
        lists = [
            {"landmarks": [{"label": k, "pixel": see(view, p)} for k, p in points.items()]} for view in views
        ]
        (self.folder / "pixels.json").write_text(json.dumps({"radiography_landmarks_2d": 1, "images": lists}))
        landmarks = ("--landmarks-3d", "ct.mrk.json", "--landmarks-2d", "pixels.json")
        report = self.register(front, side, *landmarks)
        self.assertLess(report["landmarks"]["rms_error_pixels"], 1e-6)
        self.assertLess(report["target_registration_error_mm"]["before"]["mean"], 1e-6)
        base = ("register", self.ct, front, side, "--output", "x.tfm")
        self.refuse(2, *base, "--landmarks-3d", "ct.mrk.json", says="go together")
        self.refuse(2, *base, *landmarks, "--initial", "truth.tfm", says="--initial")
        self.refuse(1, *base, "--landmarks-3d", "ct.mrk.json", "--landmarks-2d", "absent.json", says="absent.json")

    def test_masks(self):
        front, side = self.write_pair()
        # A metal plate that the CT knows nothing of: masked, it does no harm.
        values = [0 if 10 <= column < 20 and 15 <= row < 30 else 1 for row in range(48) for column in range(48)]
        write_nrrd(self.folder / "mask.nrrd", (48, 48, 1), values, kind="int")
        report = self.register(front, side, "--mask", "mask.nrrd", "--mask", "none")
        self.assertLess(report["target_registration_error_mm"]["after"]["mean"], 0.2)
        everything = self.register(front, side)
        self.assertEqual(everything["pixels"] - report["pixels"], 150)
        base = ("register", self.ct, front, side, "--output", "x.tfm")
        self.refuse(2, *base, "--mask", "mask.nrrd", says="1 --mask for 2 images")
        write_nrrd(self.folder / "small.nrrd", (4, 4, 1), [1] * 16, kind="int")
        self.refuse(1, *base, "--mask", "small.nrrd", "--mask", "none", says="small.nrrd")

    def test_truncated_rays(self):
        report = self.register(*self.write_pair(), "--mask-truncated", "--mask-margin", 1)
        self.assertLess(report["target_registration_error_mm"]["after"]["mean"], 0.3)

    def test_types_of_transforms(self):
        pair = self.write_pair()
        for kind, name in (("affine", "AffineTransform"), ("similarity", "Similarity3DTransform")):
            with self.subTest(kind):
                report = self.register(*pair, "--photons", 50000, "--transform", kind)
                self.assertTrue(report["transform"]["type"].startswith(name), report["transform"])

    def test_many_starts(self):
        far = self.write_shift("far.tfm", 30, -20, 25)
        report = self.register(*self.write_pair(), "--initial", far, "--starts", 200)
        self.assertEqual(report["starts"]["scored"], 200)
        self.assertLess(report["target_registration_error_mm"]["after"]["mean"], 0.5)

    def test_out_of_view_fails_and_leaves_nothing(self):
        front, side = self.write_pair()
        away = self.write_shift("away.tfm", 5000, 0, 0)
        base = ("register", self.ct, front, side, "--output", "x.tfm", "--report", "page", "--initial", away)
        self.refuse(1, *base, says="failed")
        done = self.run_program(*base, "--json")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(json.loads(done.stdout)["verdict"], "failed")
        self.assertFalse((self.folder / "x.tfm").exists())

    def test_doubtful_says_so_and_exits_0(self):
        write_nrrd(self.folder / "other.nrrd", (30, 24, 24), [0.0] * (30 * 24 * 24), spacing=4.0)  # another anatomy
        front, side = self.write_pair()
        done = self.run_program("register", "other.nrrd", front, side, "--output", "x.tfm", *MU, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["verdict"], "doubtful")
        self.assertTrue(report["reasons"])
        self.assertIn("radiography: warning: the result is doubtful", done.stderr)

    def test_a_comma_locale_changes_nothing(self):
        pair = self.write_pair()
        plain = self.register(*pair)
        done = self.run_program("register", self.ct, *pair, "--output", "y.tfm", *MU, "--json", env={"LC_ALL": "de_DE.UTF-8"})
        self.assertEqual(json.loads(done.stdout)["transform"], plain["transform"])

    def test_threads_change_no_bit(self):
        pair = self.write_pair("--noise-seed", 1)
        one, two = (self.register(*pair, "--threads", n)["transform"] for n in (1, 2))
        self.assertEqual(one, two)

    def test_wrong_usage(self):
        front, side = self.write_pair()
        base = ("register", self.ct, front)
        self.refuse(2, *base, says="--output")
        self.refuse(2, "register", self.ct, "--output", "x.tfm", says="IMAGE")
        self.refuse(2, *base, "--output", "x.png", says="x.png")
        self.refuse(2, *base, "--output", "x.tfm", "--metric", "mutual", says="--metric")
        self.refuse(2, *base, "--output", "x.tfm", "--estimate", "gain", says="--estimate")
        self.refuse(2, *base, "--output", "x.tfm", "--estimate", "none,scatter", says="none")
        self.refuse(2, *base, "--output", "x.tfm", "--view", "front.json", "--view", "side.json", says="2 --view")
        self.refuse(1, *base, "absent.nrrd", "--output", "x.tfm", says="absent.nrrd")
        self.refuse(1, *base, "--output", "x.tfm", "--initial", "absent.tfm", says="absent.tfm")
        self.refuse(1, *base, "--output", "x.tfm", "--report", front, says="is a file")
        self.refuse(1, "register", self.ct, "ct.nrrd", "--output", "x.tfm", says="slices")
        write_nrrd(self.folder / "plain.nrrd", (48, 48, 1), [1.0] * 48 * 48)
        self.refuse(1, "register", self.ct, "plain.nrrd", "--output", "x.tfm", says="view of plain.nrrd")


def see(view, ct_point):
    """Where a view shows a point of the CT in its true pose: the transform maps world to CT points by SHIFT."""
    world = [p - s for p, s in zip(ct_point, SHIFT)]
    source = view.get("source_mm")
    detector = view["detector"]
    u, v, origin = detector["column_direction"], detector["row_direction"], detector["origin_mm"]
    normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    along = [w - s for w, s in zip(world, source)]
    t = dot(normal, [o - s for o, s in zip(origin, source)]) / dot(normal, along)
    offset = [s + t * a - o for s, a, o in zip(source, along, origin)]
    return [dot(u, offset) / detector["spacing_mm"][0], dot(v, offset) / detector["spacing_mm"][1]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


main()
