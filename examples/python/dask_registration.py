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
"""Many registrations on a Dask cluster, and one table of what came out.

    dask_registration.py CT VIEW.json:IMAGE.nrrd... --starts 32 --table starts.csv
    dask_registration.py --cases cases.json --scheduler tcp://host:8786 --table cases.csv

A case is a CT (DICOM folder, or image file in HU), X-ray images with their views, and a start; cases.json is a list of

    {"name": "...", "ct": "...", "views": [["view.json", "counts.nrrd"], ...], "initial": [6 numbers],
     "settings": {"metric": "poisson", "open_beam_counts": 10000}}

in which "initial" (three Euler angles in rad, three mm, about the CT's centre; world to CT) and "settings" may be missing. Paths
must mean the same on every worker. A case depends on nothing but itself: a worker that dies loses what it was computing,
which another one computes again. A case that fails is a row that says why.
"""

import argparse
import functools
import json
import os
import pathlib
import socket
import time

import itk
import itk_radiography as radiography
import numpy as np

COLUMNS = ("name", "verdict", "objective", "deviance_per_pixel", "parameters", "target_standard_errors_mm", "seconds")
COLUMNS += ("worker", "error")


@functools.lru_cache(maxsize=2)
def read_ct(path, energy_kev):
    """mu in 1/mm; a worker reads a CT once."""
    hounsfield = itk.dicomct_volume_reader(path=path) if os.path.isdir(path) else itk.imread(path, itk.F)
    return itk.hounsfield_to_attenuation_image_filter(hounsfield, energy=energy_kev)


@functools.lru_cache(maxsize=8)
def read_view(view_path, image_path):
    view = radiography.read_view(view_path)
    return view, radiography.as_image(itk.imread(image_path, itk.F), view)


def euler(parameters, centre):
    transform = itk.Euler3DTransform[itk.D].New()
    transform.SetCenter(centre.tolist())
    transform.SetRotation(*map(float, parameters[:3]))
    transform.SetTranslation([float(x) for x in parameters[3:]])
    return transform


def register_case(case, threads=1):
    """One registration: what runs on a worker. Returns a row of the table."""
    itk.set_nthreads(threads)
    settings = dict(case.get("settings", {}))
    mu = read_ct(case["ct"], settings.pop("energy_kev", 60.0))
    views, images = zip(*(read_view(*paths) for paths in case["views"]))
    initial = euler(case.get("initial", np.zeros(6)), radiography.center_of(mu))
    found = radiography.register(mu, images, views, initial=initial, **settings).to_dict()
    found.update(name=case["name"], worker=f"{socket.gethostname()}:{os.getpid()}", error="")
    return {name: found[name] for name in COLUMNS}


def error_row(case, error):
    row = dict.fromkeys(COLUMNS, float("nan"))
    row.update(name=case["name"], verdict="error", parameters=[], target_standard_errors_mm=[])
    row.update(worker="", error=f"{type(error).__name__}: {error}")
    return row


def random_starts(case, count, seed, rotation_rad=0.15, translation_mm=20.0):
    """Cases that differ in their start only; start 0 is the case's own."""
    random = np.random.default_rng(seed)
    spread = np.array([rotation_rad] * 3 + [translation_mm] * 3)
    own = np.asarray(case.get("initial", np.zeros(6)), dtype=float)
    offsets = random.uniform(-1, 1, (count, 6)) * spread
    offsets[0] = 0
    return [
        {**case, "name": f"{case['name']}-{number:03d}", "initial": (own + offset).tolist()}
        for number, offset in enumerate(offsets)
    ]


def register_all(client, cases, *, threads=1, retries=2, on_row=None):
    """A table with a row for each case, in the order of the cases.

    :param retries: how often a case is tried again that raised an error; for workers that die Dask has a count of its
        own, `distributed.scheduler.allowed-failures`
    :param on_row: called with each row as it comes, in any order
    """
    from distributed import as_completed

    names = [case["name"] for case in cases]
    if len(set(names)) != len(names):
        raise ValueError("each case needs a name of its own")
    futures = {
        client.submit(register_case, case, threads, retries=retries, pure=False): case for case in cases
    }
    rows = {}
    for future in as_completed(futures):
        case, error = futures[future], future.exception()
        row = future.result() if error is None else error_row(case, error)
        rows[case["name"]] = row
        if on_row is not None:
            on_row(row)
    return radiography.Table([rows[name] for name in names], COLUMNS)


def local_cluster(workers):
    """Processes, one thread each: ITK brings its own. A nanny starts a worker anew that died."""
    from distributed import LocalCluster

    return LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None)


def show_progress(total):
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return lambda row: print(f"{row['name']}: {row['verdict']} {row['error']}")
    bar = tqdm(total=total, unit="case")

    def advance(row):
        bar.set_postfix_str(f"{row['name']}: {row['verdict']}")
        bar.update()

    return advance


def read_cases(options):
    if options.cases:
        return json.loads(pathlib.Path(options.cases).read_text(encoding="utf-8"))
    views = [[os.path.abspath(path) for path in pair.split(":")] for pair in options.views]
    settings = {"open_beam_counts": options.photons} if options.photons else {}
    return [{"name": "case", "ct": os.path.abspath(options.ct), "views": views, "settings": settings}]


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ct", nargs="?", help="a DICOM folder, or an image file in HU")
    parser.add_argument("views", nargs="*", help="VIEW.json:IMAGE.nrrd")
    parser.add_argument("--cases", help="a file with a list of cases, instead")
    parser.add_argument("--starts", type=int, default=1, help="random starts around each case's own")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--photons", type=float, help="open-beam photons per pixel; estimated without")
    parser.add_argument("--scheduler", help="address of a running Dask scheduler; else a cluster on this machine")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="of the cluster on this machine")
    parser.add_argument("--threads", type=int, default=1, help="ITK's threads in each worker")
    parser.add_argument("--table", default="registrations.csv")
    options = parser.parse_args(arguments)
    if bool(options.cases) == bool(options.ct and options.views):
        parser.error("either CT and VIEW:IMAGE..., or --cases")
    return options


def main(arguments=None):
    from distributed import Client

    options = parse(arguments)
    cases = read_cases(options)
    if options.starts > 1:
        cases = [start for case in cases for start in random_starts(case, options.starts, options.seed)]
    cluster = None if options.scheduler else local_cluster(options.workers)
    begin = time.perf_counter()
    with Client(options.scheduler or cluster) as client:
        table = register_all(client, cases, threads=options.threads, on_row=show_progress(len(cases)))
    if cluster is not None:
        cluster.close()
    table.write_csv(options.table)
    print(f"{len(table)} registrations in {time.perf_counter() - begin:.1f} s: {options.table}")
    return table


if __name__ == "__main__":
    main()
