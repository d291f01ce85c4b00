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
"""From a DICOM folder to a picture: dicom_to_drr.py FOLDER PICTURE.png"""

import sys

import itk
import itk_radiography as radiography
import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot


def main(folder, picture):
    ct = itk.dicomct_volume_reader(path=folder)
    mu = itk.hounsfield_to_attenuation_image_filter(ct, energy=60.0)
    view = radiography.c_arm(
        primary_angle_deg=0, secondary_angle_deg=0, source_isocenter_mm=700, source_detector_mm=1100,
        pixels=512, pitch_mm=1, isocenter_mm=radiography.center_of(ct),
    )
    drr = itk.digitally_reconstructed_radiograph_image_filter(mu, geometry=view)
    pyplot.imsave(picture, radiography.slice_of(drr), cmap="gray")
    return drr


if __name__ == "__main__":
    main(*sys.argv[1:])
