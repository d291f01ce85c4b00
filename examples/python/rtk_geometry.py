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
"""DRRs in the views of a geometry file of RTK: rtk_geometry.py GEOMETRY.xml MU.nrrd STACK.nrrd

The volume lies in RTK's coordinates, as RTK reconstructs it: mu in 1/mm.
"""

import sys

import itk
import itk_radiography as radiography
import numpy as np


def project(path, mu, pixels, pitch_mm, origin_mm):
    """Optical depths as an array (projections, rows, columns)."""
    stack = []
    for projection in radiography.read_rtk(path, pixels=pixels, pitch_mm=pitch_mm, origin_mm=origin_mm):
        drr = itk.digitally_reconstructed_radiograph_image_filter(mu, geometry=projection.view)
        stack.append(radiography.slice_of(drr))
    return np.stack(stack)


def main(geometry, volume, out):
    mu = radiography.as_volume(itk.imread(volume, itk.F))
    stack = project(geometry, mu, pixels=256, pitch_mm=1.6, origin_mm=(-204, -204))
    itk.imwrite(itk.image_from_array(stack), out)


if __name__ == "__main__":
    main(*sys.argv[1:])
