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
"""Scenes that the tests share, and a word on what is skipped."""

import importlib.util
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "python"
sys.path.insert(0, str(EXAMPLES))
# Workers of Dask find the examples too.
os.environ["PYTHONPATH"] = os.pathsep.join([str(EXAMPLES), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
os.environ.setdefault("MPLBACKEND", "Agg")

OPTIONAL = ("SimpleITK", "dask", "distributed", "matplotlib", "torch", "tqdm", "xarray")


def _missing():
    lines = [f"{name} is not installed: its tests are SKIPPED" for name in OPTIONAL if not importlib.util.find_spec(name)]
    if not os.environ.get("RADIOGRAPHY_TEST_DATA"):
        lines.append("RADIOGRAPHY_TEST_DATA is not set: the tests on real CT and X-ray files are SKIPPED")
    if not os.environ.get("RADIOGRAPHY_PROGRAM"):
        lines.append("RADIOGRAPHY_PROGRAM is not set: DRRs are not compared with the program's (SKIPPED)")
    return lines


def pytest_report_header():
    return _missing()


def pytest_terminal_summary(terminalreporter):
    for line in _missing():
        terminalreporter.write_line(line, yellow=True, bold=True)


@pytest.fixture(scope="session")
def data():
    folder = os.environ.get("RADIOGRAPHY_TEST_DATA")
    if not folder:
        pytest.skip("RADIOGRAPHY_TEST_DATA is not set")
    return pathlib.Path(folder)


@pytest.fixture(scope="session")
def program():
    path = os.environ.get("RADIOGRAPHY_PROGRAM")
    if not path:
        pytest.skip("RADIOGRAPHY_PROGRAM is not set")
    return path


@pytest.fixture(scope="session")
def trunk():
    import phantom

    return phantom.trunk((8.0, 8.0, 10.0))


@pytest.fixture(scope="session")
def two_views():
    """A frontal and a lateral view, where the CT really was, and what the detectors counted."""
    import phantom

    views = [phantom.view(0, 48, 11.0), phantom.view(90, 48, 11.0)]
    truth = phantom.pose((0.03, -0.02, 0.04), (4.0, -6.0, 5.0))
    mu = phantom.trunk((8.0, 8.0, 10.0))
    images = [phantom.counts(mu, view, truth, 10000.0, seed) for seed, view in enumerate(views, 1)]
    return views, truth, images


@pytest.fixture(scope="session")
def chest(data):
    """The chest CT in HU, read once."""
    import itk

    return itk.dicomct_volume_reader(path=str(data / "ct-chest-lidc-0001"))


@pytest.fixture(scope="session")
def chest_mu(chest):
    import itk

    return itk.hounsfield_to_attenuation_image_filter(chest, energy=60.0)
