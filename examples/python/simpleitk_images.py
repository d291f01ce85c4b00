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
"""Images from SimpleITK and back: simpleitk_images.py CT_IN_HU.nrrd DRR.nrrd

The two packages have different image classes; pixels cross as NumPy arrays, the grid in numbers.
"""

import sys

import itk
import itk_radiography as radiography
import numpy as np
import SimpleITK


def from_simpleitk(image):
    """A float itk.Image of three dimensions. Pixels are shared if they are float32, else converted."""
    array = SimpleITK.GetArrayViewFromImage(image)
    return radiography.as_volume(
        array,
        spacing=image.GetSpacing(),
        origin=image.GetOrigin(),
        direction=np.reshape(image.GetDirection(), (3, 3)),
    )


def to_simpleitk(image):
    """Pixels are copied: SimpleITK takes over no memory of others."""
    result = SimpleITK.GetImageFromArray(radiography.array_of(image))
    result.SetSpacing(list(image.GetSpacing()))
    result.SetOrigin(list(image.GetOrigin()))
    result.SetDirection(itk.array_from_matrix(image.GetDirection()).ravel().tolist())
    return result


def main(ct_file, drr_file):
    ct = from_simpleitk(SimpleITK.ReadImage(ct_file, SimpleITK.sitkFloat32))
    mu = itk.hounsfield_to_attenuation_image_filter(ct)
    view = radiography.c_arm(
        primary_angle_deg=30, secondary_angle_deg=0, source_isocenter_mm=700, source_detector_mm=1100,
        pixels=(256, 192), pitch_mm=2, isocenter_mm=radiography.center_of(ct),
    )
    drr = itk.digitally_reconstructed_radiograph_image_filter(mu, geometry=view)
    SimpleITK.WriteImage(to_simpleitk(drr), drr_file)


if __name__ == "__main__":
    main(*sys.argv[1:])
