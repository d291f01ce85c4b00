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
"""`overview`: a page that is complete in itself."""

import html.parser
import xml.etree.ElementTree

from support import ProgramTest, main


class Page(html.parser.HTMLParser):
    """Collects pictures, and complains about whatever needs the network."""

    void = {"meta", "img", "br", "link", "input", "hr"}

    def __init__(self, text):
        super().__init__()
        self.pictures = []
        self.open = []
        self.external = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag not in self.void:
            self.open.append(tag)
        attributes = dict(attrs)
        if tag == "img":
            self.pictures.append(attributes)
        for name in ("src", "href"):
            if name in attributes and "//" in attributes[name]:
                self.external.append(attributes[name])

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


class Overview(ProgramTest):
    def setUp(self):
        super().setUp()
        self.succeed("phantom", "phantom", "--size", 32)

    def test_the_page_and_its_pictures(self):
        report = self.succeed_json("overview", "phantom", "deep/report")
        self.assertEqual(len(report["views"]), 2)
        folder = self.folder / "deep/report"
        text = (folder / "index.html").read_text(encoding="utf-8")
        page = Page(text)
        self.assertEqual(page.open, [])
        self.assertEqual(page.external, [])
        self.assertEqual({p["src"] for p in page.pictures} | {"index.html"}, {p.name for p in folder.iterdir()})
        for picture in page.pictures:
            self.assertGreater(len(picture["alt"]), 10)
        for wanted in ("mu of water", "raised to mu = 0", "60 keV", "12 x 12 x 12 mm", "min", "mean", "max"):
            self.assertIn(wanted, text)

    def test_drawings_are_sound(self):
        self.succeed("overview", "phantom", "report")
        text = (self.folder / "report/index.html").read_text(encoding="utf-8")
        drawings = text.split("<svg")[1:]
        self.assertEqual(len(drawings), 6)
        for drawing in drawings:
            root = xml.etree.ElementTree.fromstring("<svg" + drawing.split("</svg>")[0] + "</svg>")
            self.assertTrue(root.attrib["aria-label"])
            self.assertNotIn("nan", drawing.split("</svg>")[0].lower())

    def test_nothing_is_cropped(self):
        """The box of the CT falls inside: the outermost pixels all see air."""
        report = self.succeed_json("overview", "phantom", "report")
        for view in report["views"]:
            size = view["view"]["detector"]["size"]
            self.assertEqual(max(size), 640)
            self.assertEqual(view["optical_depth"]["min"], 0)

    def test_views_face_as_their_names_say(self):
        report = self.succeed_json("overview", "phantom", "report")
        pa, lateral = (view["view"] for view in report["views"])
        self.assertGreater(pa["source_mm"][1], 900)  # behind the patient
        self.assertLess(lateral["source_mm"][0], -900)  # at the patient's right
        self.assertAlmostEqual(pa["detector"]["column_direction"][0], 1)
        self.assertAlmostEqual(lateral["detector"]["column_direction"][1], 1)

    def test_repeats_to_the_bit(self):
        self.succeed("overview", "phantom", "one", "--threads", 1)
        self.succeed("overview", "phantom", "two", "--threads", 7)
        for path in (self.folder / "one").glob("*.png"):
            self.assertEqual(path.read_bytes(), (self.folder / "two" / path.name).read_bytes(), path.name)

    def test_a_file_in_the_way(self):
        (self.folder / "report").write_text("")
        self.refuse(1, "overview", "phantom", "report", says="report")


main()
