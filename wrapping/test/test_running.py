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
"""Progress, abort, exceptions and threads."""

import subprocess
import sys
import threading
import time

import itk
import itk_radiography as radiography
import numpy as np
import phantom
import pytest


def a_drr(pixels=512):
    fine = phantom.trunk((4.0, 4.0, 4.0))
    drr = itk.DigitallyReconstructedRadiographImageFilter.New(fine, Geometry=phantom.view(20, pixels, 500 / pixels))
    drr.SetPolicy("simd=0")  # long enough to be watched
    return drr


def test_progress_goes_from_0_to_1():
    seen = []
    radiography.run(a_drr(128), progress=seen.append)
    assert len(seen) > 2 and seen == sorted(seen) and 0 <= seen[0] < 0.6 and seen[-1] <= 1


def test_stop_ends_a_filter_before_it_is_complete():
    seen = []
    drr = a_drr(256)
    with pytest.raises(radiography.Aborted, match="DigitallyReconstructedRadiographImageFilter"):
        radiography.run(drr, progress=seen.append, stop=lambda: len(seen) > 2)
    assert max(seen) < 1
    radiography.run(drr, progress=False)  # it can run again
    assert radiography.slice_of(drr.GetOutput()).max() > 1


@pytest.mark.parametrize("error", [ValueError("mine"), KeyboardInterrupt()])
def test_an_exception_of_the_callback_comes_out(error):
    def show(fraction):
        raise error

    with pytest.raises(type(error)):
        radiography.run(a_drr(128), progress=show)


def test_a_bar_or_lines(capsys):
    radiography.run(a_drr(64), progress=True)
    assert "DigitallyReconstructedRadiographImageFilter" in capsys.readouterr().err


def test_lines_without_tqdm(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    radiography.run(a_drr(64), progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert lines and all(line.startswith("DigitallyReconstructedRadiographImageFilter: ") for line in lines)
    assert lines[-1].endswith("0 %")


def test_other_python_threads_run_while_cpp_computes():
    counted, go = [0], [True]

    def count():
        while go[0]:
            counted[0] += 1
            time.sleep(0.0005)

    drr = a_drr(1024)
    thread = threading.Thread(target=count)
    thread.start()
    try:
        before, begin = counted[0], time.perf_counter()
        drr.Update()
        seconds, steps = time.perf_counter() - begin, counted[0] - before
    finally:
        go[0] = False
        thread.join()
    # With Python's lock held by C++ there is one step, whatever the time.
    assert steps > 3, f"{steps} steps in {seconds:.2f} s"


def test_the_registration_can_be_stopped(two_views, trunk):
    views, _, images = two_views
    steps = []

    def stop():
        steps.append(1)
        return len(steps) > 4

    with pytest.raises(radiography.Aborted):
        radiography.register(trunk, images, views, open_beam_counts=1e4, stop=stop)


def test_nothing_but_itk_and_numpy_is_needed():
    code = """
import sys
from importlib.machinery import BuiltinImporter, FrozenImporter, PathFinder

hidden = {"SimpleITK", "dask", "distributed", "matplotlib", "pandas", "torch", "tqdm", "xarray"}

class Hide:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return None if name.split(".")[0] in hidden else PathFinder.find_spec(name, path, target)

sys.meta_path = [BuiltinImporter, FrozenImporter, Hide]
import itk_radiography
print(itk_radiography.__version__)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0 and result.stdout.strip(), result.stderr
