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
"""Many registrations and large volumes on a cluster of processes; a worker that is killed costs time and nothing else."""

import json
import os
import signal
import sys
import time

import itk
import itk_radiography as radiography
import numpy as np
import phantom
import pytest

pytest.importorskip("distributed")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="workers are killed by a POSIX signal")


@pytest.fixture(scope="module")
def client():
    import dask
    import dask_registration
    from distributed import Client

    with dask.config.set({"distributed.scheduler.allowed-failures": 5, "distributed.comm.timeouts.connect": "60s"}):
        cluster = dask_registration.local_cluster(2)
        with Client(cluster, timeout="120s") as it:
            it.wait_for_workers(2, timeout=120)
            yield it
        cluster.close()


@pytest.fixture(scope="module")
def case(tmp_path_factory, two_views):
    """A case in files, as a cluster takes it."""
    folder = tmp_path_factory.mktemp("case")
    views, _, images = two_views
    hounsfield = itk.shift_scale_image_filter(phantom.trunk((8.0, 8.0, 10.0)), scale=1000 / 0.0206, shift=-0.0206)
    itk.imwrite(hounsfield, str(folder / "ct.nrrd"))
    paths = []
    for number, (view, image) in enumerate(zip(views, images)):
        radiography.write_view(view, folder / f"{number}.json")
        itk.imwrite(image, str(folder / f"{number}.nrrd"))
        paths.append([str(folder / f"{number}.json"), str(folder / f"{number}.nrrd")])
    settings = {"open_beam_counts": 10000.0, "energy_kev": 60.0, "full_resolution": False}
    return {"name": "trunk", "ct": str(folder / "ct.nrrd"), "views": paths, "settings": settings}


def results(table):
    """What does not depend on who computed it, and how long that took."""
    return [(row["name"], row["verdict"], row["objective"], tuple(row["parameters"])) for row in table.rows()]


def kill_once(pids, after):
    """Kills the first worker when a number of rows has come."""
    rows = []

    def on_row(row):
        rows.append(row)
        if len(rows) == after:
            os.kill(pids[0], signal.SIGKILL)

    return on_row


def test_a_case_that_fails_is_a_row_that_says_why(client, case, tmp_path):
    import dask_registration

    lost = {**case, "name": "lost", "ct": str(tmp_path / "no-such-ct.nrrd")}
    wrong = {**case, "name": "wrong", "settings": {"open_beam_countz": 3}}
    table = dask_registration.register_all(client, [lost, case, wrong], retries=1)
    assert list(table["name"]) == ["lost", "trunk", "wrong"]
    assert "no-such-ct" in table["error"][0] and table["verdict"][0] == "error"
    assert table["verdict"][1] in ("converged", "doubtful") and table["error"][1] == ""
    assert "open_beam_countz" in table["error"][2]


def test_the_program_of_the_example(client, case, tmp_path, capsys):
    import dask_registration

    (tmp_path / "cases.json").write_text(json.dumps([case]))
    arguments = ["--cases", str(tmp_path / "cases.json"), "--starts", "3", "--table", str(tmp_path / "table.csv")]
    table = dask_registration.main([*arguments, "--scheduler", client.scheduler.address])
    assert len(table) == 3 and "3 registrations" in capsys.readouterr().out
    lines = (tmp_path / "table.csv").read_text().splitlines()
    assert lines[0].startswith("name,verdict") and len(lines) == 4


def test_bands_on_a_cluster_are_the_whole_volume(client, tmp_path):
    import dask_bands

    mu, view = phantom.trunk((8.0, 8.0, 5.0)), phantom.view(30, (40, 32), 14.0)
    itk.imwrite(mu, str(tmp_path / "mu.mha"), compression=False)
    drr = itk.digitally_reconstructed_radiograph_image_filter(
        mu, geometry=view, projector=itk.DigitallyReconstructedRadiographImageFilterEnums.Projector_CellGauss
    )
    expected = radiography.slice_of(drr)
    depths = dask_bands.project(client, str(tmp_path / "mu.mha"), view, slices_of_band=13)
    np.testing.assert_allclose(depths, expected, rtol=4e-6, atol=4e-6)
    radiography.write_view(view, tmp_path / "view.json")
    dask_bands.main(
        [str(tmp_path / "mu.mha"), str(tmp_path / "view.json"), str(tmp_path / "drr.nrrd")]
        + ["--slices", "20", "--scheduler", client.scheduler.address]
    )
    np.testing.assert_allclose(radiography.slice_of(itk.imread(str(tmp_path / "drr.nrrd"))), expected, atol=4e-6)


def test_a_killed_worker_costs_nothing_but_time(client, case):
    import dask_registration

    cases = dask_registration.random_starts(case, 12, seed=3)
    expected = [dask_registration.register_case(one) for one in cases]
    pids = list(client.run(os.getpid).values())
    table = dask_registration.register_all(client, cases, on_row=kill_once(pids, 3))
    assert len(table) == 12 and not any(table["error"])
    assert results(table) == [
        (row["name"], row["verdict"], row["objective"], tuple(row["parameters"])) for row in expected
    ]
    assert pids[0] not in client.run(os.getpid).values(), "no worker was killed"


def chest_case(folder, chest_mu, data):
    """Two X-ray images of the chest CT, made by Siddon, 128 x 128 pixels."""
    truth = phantom.pose((0.03, -0.02, 0.02), (5.0, -4.0, 6.0))
    centre = radiography.center_of(chest_mu)
    truth.SetCenter(centre.tolist())
    paths = []
    for number, angle in enumerate((0, 90)):
        view = radiography.c_arm(
            primary_angle_deg=angle,
            secondary_angle_deg=0,
            source_isocenter_mm=800,
            source_detector_mm=1200,
            pixels=128,
            pitch_mm=4,
            isocenter_mm=centre,
        )
        radiography.write_view(view, folder / f"{number}.json")
        itk.imwrite(phantom.counts(chest_mu, view, truth, 1e5, number + 1), str(folder / f"{number}.nrrd"))
        paths.append([str(folder / f"{number}.json"), str(folder / f"{number}.nrrd")])
    settings = {"open_beam_counts": 1e5, "full_resolution": False, "compare_halves": False}
    return {"name": "chest", "ct": str(data / "ct-chest-lidc-0001"), "views": paths, "settings": settings}, truth


def test_the_chest_from_32_starts_on_two_workers_one_killed(client, data, chest_mu, tmp_path):
    import dask_registration
    from itk_optimizers import largest_error

    case, truth = chest_case(tmp_path, chest_mu, data)
    cases = dask_registration.random_starts(case, 32, seed=5, rotation_rad=0.08, translation_mm=12.0)
    client.wait_for_workers(2, timeout=120)
    pids = list(client.run(os.getpid).values())
    begin = time.perf_counter()
    table = dask_registration.register_all(client, cases, on_row=kill_once(pids, 8))
    wall = time.perf_counter() - begin
    assert len(table) == 32 and not any(table["error"])
    assert len(set(table["worker"])) >= 2
    centre = radiography.center_of(chest_mu)
    errors = [largest_error(dask_registration.euler(row["parameters"], centre), truth) for row in table.rows()]
    busy = table["seconds"].sum()
    print(f"32 starts: {wall:.1f} s on two workers, one killed; {busy:.1f} s of registration; errors {np.round(errors, 2)}")
    assert np.median(errors) < 2
