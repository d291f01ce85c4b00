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
"""A pose found here opens in SimpleITK, and SimpleITK's open here: simpleitk_transforms.py POSE.tfm

Both read and write ITK's transform files. A transform maps world points to CT points; where the CT is in the world is
the inverse.
"""

import sys

import itk
import numpy as np
import SimpleITK


def read_transform(path):
    """The transform of a file, with what belongs to it if it is a composite one."""
    transforms = itk.transformread(path)
    if transforms[0].GetNameOfClass() == "CompositeTransform":
        # ITK's Python reader hands out the composite and its parts one after another; the composite holds the parts.
        return transforms[0]
    if len(transforms) != 1:
        raise ValueError(f"{path} holds {len(transforms)} transforms; one is expected")
    return transforms[0]


def largest_difference(here, theirs, points):
    """mm, over all points."""
    mine = np.array([list(here.TransformPoint(list(map(float, p)))) for p in points])
    other = np.array([theirs.TransformPoint(list(map(float, p))) for p in points])
    return float(np.abs(mine - other).max())


def main(path):
    here, theirs = read_transform(path), SimpleITK.ReadTransform(path)
    points = np.random.default_rng(1).uniform(-500, 500, (100, 3))
    difference = largest_difference(here, theirs, points)
    print(f"{theirs.GetName()}: {len(points)} points agree to {difference:.2g} mm")
    return difference


if __name__ == "__main__":
    main(*sys.argv[1:])
