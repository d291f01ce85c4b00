# ==========================================================================
#
#   Copyright NumFOCUS
#
#   Licensed under the Apache License, Version 2.0 (the "License");
#   you may not use this file except in compliance with the License.
#   You may obtain a copy of the License at
#
#          https://www.apache.org/licenses/LICENSE-2.0.txt
#
#   Unless required by applicable law or agreed to in writing, software
#   distributed under the License is distributed on an "AS IS" BASIS,
#   WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
#   See the License for the specific language governing permissions and
#   limitations under the License.
#
# ==========================================================================
"""Every Python block of doc/python.md and of the README runs, in order, as a reader would type it."""

import importlib.util
import os
import re
import subprocess

import pytest
from conftest import ROOT

BLOCK = re.compile(r"(?:<!-- needs ([\w ]+) -->\n)?```python\n(.*?)```", re.S)


def blocks(path):
    return [(needs.split(), code) for needs, code in BLOCK.findall((ROOT / path).read_text(encoding="utf-8"))]


def missing(needs, has_data):
    return [name for name in needs if not (has_data if name == "data" else importlib.util.find_spec(name))]


def run_blocks(path, has_data):
    """Skips at the end, not before, if a block could not run."""
    names, skipped = {}, []
    found = blocks(path)
    assert found, f"{path} has no Python block"
    for number, (needs, code) in enumerate(found, 1):
        lacking = missing(needs, has_data)
        if lacking:
            skipped.append(f"block {number} of {path} needs {', '.join(lacking)}")
            continue
        exec(compile(code, f"{path}, block {number}", "exec"), names)  # pylint: disable=exec-used
    if skipped:
        pytest.skip("; ".join(skipped))


def test_the_page_on_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = os.environ.get("RADIOGRAPHY_TEST_DATA")
    if folder:
        os.symlink(os.path.join(folder, "ct-messy-folder"), "ct")
    run_blocks("doc/python.md", bool(folder))


def test_the_readme(tmp_path, monkeypatch, program):
    monkeypatch.chdir(tmp_path)
    subprocess.run([program, "phantom", "out/phantom", "--size", "48", "--quiet"], check=True)
    run_blocks("README.md", True)
