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
"""Readers on real files."""

import itk
import itk_radiography as radiography
import numpy as np
import pytest


def test_the_chest_ct(chest):
    assert list(itk.size(chest)) == [512, 512, 133]
    assert np.allclose(list(chest.GetSpacing()), [0.703125, 0.703125, 2.5])
    assert np.array_equal(itk.array_from_matrix(chest.GetDirection()), np.eye(3))
    hounsfield = radiography.array_of(chest)
    assert hounsfield.shape == (133, 512, 512)
    assert hounsfield.min() == -2048 and hounsfield[0, 0, 0] == -2048


def test_attenuation_of_the_chest(chest_mu):
    mu = radiography.array_of(chest_mu)
    assert mu.min() == 0 and 0.019 < np.median(mu[mu > 0.015]) < 0.022


def test_the_inventory_has_a_word_on_every_file(data):
    reader = itk.DICOMCTVolumeReader.New(Path=str(data / "ct-messy-folder"))
    reader.ScanInventory()
    inventory = reader.GetInventory()
    chosen = [series for series in inventory.series if series.chosen]
    assert len(chosen) == 1 and chosen[0].loadable and list(chosen[0].size)[2] == 28
    assert all(file.used or file.reason for file in inventory.files)


def test_progress_of_a_reader(data):
    seen = []
    reader = itk.DICOMCTVolumeReader.New(Path=str(data / "ct-messy-folder"))
    radiography.run(reader, progress=seen.append)
    assert len(seen) > 20 and min(seen) == 0 and max(seen) == seen[-1] == 1


def test_what_cannot_be_read_is_named(tmp_path):
    with pytest.raises(RuntimeError, match="no-such-folder"):
        itk.dicomct_volume_reader(path=str(tmp_path / "no-such-folder"))


def test_a_real_x_ray_image_has_its_view(data):
    reader = itk.DICOMRadiographReader.New(FileName=str(next((data / "rtimage").glob("varian*"))))
    reader.SetPatientPosition(itk.RadiographGeometryEnums.PatientPosition_HFS)
    reader.Update()
    assert radiography.slice_of(reader.GetOutput()).shape == (768, 1024)
    assert reader.GetGeometry().GetSourceDetectorDistance() == pytest.approx(1500.033)
    quantities = [number.quantity for number in reader.GetInformation().provenance]
    assert quantities
