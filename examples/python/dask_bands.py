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
"""The radiograph of a volume that is larger than a worker's memory: dask_bands.py MU.mha VIEW.json DRR.nrrd

Each task reads a band of slices of an uncompressed MetaImage file of mu, projects it as a volume of its own, and returns
optical depths, which add up: every voxel's part of the field between the voxels belongs to one band. CellGauss makes no
choice that depends on the volume; Joseph chooses the main axis from the view and the grid's axes, which bands share too.
On one machine, without Dask, itk.BandedRadiographImageFilter does the same within a memory budget.
"""

import argparse
import os

import itk
import itk_radiography as radiography
import numpy as np


def read_band(path, first, slices):
    """Slices [first, first + slices) of a MetaImage file; no other pixel is read."""
    reader = itk.ImageFileReader[itk.Image[itk.F, 3]].New(FileName=path)
    reader.UpdateOutputInformation()
    region = reader.GetOutput().GetLargestPossibleRegion()
    band = itk.ImageRegion[3](region)
    band.SetIndex(2, first)
    band.SetSize(2, slices)
    crop = itk.RegionOfInterestImageFilter.New(reader.GetOutput(), RegionOfInterest=band)
    crop.Update()
    return crop.GetOutput()


def project_band(path, view, first, slices, threads=1):
    """Optical depths of one band, (rows, columns), in binary64."""
    itk.set_nthreads(threads)
    drr = itk.DigitallyReconstructedRadiographImageFilter.New(read_band(path, first, slices))
    drr.SetGeometry(view)
    drr.SetProjector(itk.DigitallyReconstructedRadiographImageFilterEnums.Projector_CellGauss)
    drr.Update()
    return radiography.slice_of(drr.GetOutput()).astype(np.float64)


def number_of_slices(path):
    reader = itk.ImageFileReader[itk.Image[itk.F, 3]].New(FileName=path)
    reader.UpdateOutputInformation()
    return int(itk.size(reader.GetOutput())[2])


def project(client, path, view, slices_of_band, threads=1, retries=2):
    """The radiograph, (rows, columns). Depths are added in the order of the slices, whichever band comes first."""
    path, total = os.path.abspath(path), number_of_slices(path)
    bands = [
        client.submit(
            project_band, path, view, first, min(slices_of_band, total - first), threads, retries=retries, pure=False
        )
        for first in range(0, total, slices_of_band)
    ]
    # Sums of neighbours, on the workers: few images travel, and the order is fixed.
    while len(bands) > 1:
        pairs = [bands[k : k + 2] for k in range(0, len(bands), 2)]
        bands = [client.submit(np.add, *pair, pure=False) if len(pair) == 2 else pair[0] for pair in pairs]
    return bands[0].result()


def main(arguments=None):
    from dask_registration import local_cluster
    from distributed import Client

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("volume", help="uncompressed .mha or .mhd, mu in 1/mm")
    parser.add_argument("view", help="view file")
    parser.add_argument("drr", help="image file to write")
    parser.add_argument("--slices", type=int, default=64, help="slices of a band")
    parser.add_argument("--scheduler", help="address of a running Dask scheduler; else a cluster on this machine")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    options = parser.parse_args(arguments)
    view = radiography.read_view(options.view)
    cluster = None if options.scheduler else local_cluster(options.workers)
    with Client(options.scheduler or cluster) as client:
        depths = project(client, options.volume, view, options.slices)
    if cluster is not None:
        cluster.close()
    itk.imwrite(radiography.as_image(depths, view), options.drr)


if __name__ == "__main__":
    main()
