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
"""Arrays in and out: index order, memory, and clear words for what does not fit."""

import gc
import pickle
import sys

import itk
import itk_radiography as radiography
import numpy as np
import phantom
import pytest


def address(array):
    return array.__array_interface__["data"][0]


def test_index_order_is_reversed_and_anisotropic_sizes_tell():
    array = np.arange(2 * 3 * 5, dtype=np.float32).reshape(2, 3, 5)
    image = radiography.as_volume(array, spacing=(1, 2, 3), origin=(4, 5, 6))
    assert list(itk.size(image)) == [5, 3, 2]
    assert list(image.GetSpacing()) == [1, 2, 3]
    assert image.GetPixel([4, 1, 0]) == array[0, 1, 4]
    assert list(image.TransformIndexToPhysicalPoint([4, 1, 1])) == [8, 7, 9]
    np.testing.assert_array_equal(radiography.array_of(image), array)


def test_a_float_array_is_not_copied_in_or_out():
    array = np.random.default_rng(1).random((4, 6, 8), dtype=np.float32)
    image = radiography.as_volume(array)
    assert np.shares_memory(array, radiography.array_of(image))
    assert address(radiography.array_of(image)) == address(array)
    picture = np.ones((6, 8), np.float32)
    assert address(radiography.slice_of(radiography.as_image(picture))) == address(picture)
    radiography.slice_of(radiography.as_image(picture))[2, 3] = 7
    assert picture[2, 3] == 7


def test_results_are_views_of_the_filter_s_own_memory(trunk):
    drr = itk.DigitallyReconstructedRadiographImageFilter.New(trunk, Geometry=phantom.view())
    drr.Update()
    array = radiography.slice_of(drr.GetOutput())
    assert array.shape == (64, 64)
    assert np.shares_memory(array, itk.array_view_from_image(drr.GetOutput()))
    del drr
    gc.collect()
    assert np.isfinite(array).all() and array.max() > 1


def test_an_array_lives_as_long_as_a_filter_reads_it():
    array = np.full((40, 64, 64), 0.02, np.float32)
    references = sys.getrefcount(array)
    drr = itk.DigitallyReconstructedRadiographImageFilter.New(radiography.as_volume(array), Geometry=phantom.view())
    gc.collect()
    assert sys.getrefcount(array) > references
    drr.Update()
    del drr
    gc.collect()
    assert sys.getrefcount(array) == references


@pytest.mark.parametrize("dtype", ["int16", "uint8", "float64", "float16", "bool", ">f4"])
def test_other_types_are_converted(dtype):
    array = np.array([[0, 1], [1, 0], [1, 1]]).astype(dtype)
    image = radiography.as_image(array)
    assert isinstance(image, itk.Image[itk.F, 3])
    np.testing.assert_array_equal(radiography.slice_of(image), array.astype(np.float32))


def test_non_contiguous_arrays_work():
    array = np.arange(48, dtype=np.float32).reshape(6, 8)
    for other in (array[::2, ::3], array.T, np.asfortranarray(array), array[::-1]):
        np.testing.assert_array_equal(radiography.slice_of(radiography.as_image(other)), other)


@pytest.mark.parametrize(
    "values, error, message",
    [
        (np.ones(3), ValueError, r"shape \(3,\)"),
        (np.ones((2, 2, 2, 2)), ValueError, "expected is"),
        (np.ones((0, 4)), ValueError, "no pixel"),
        (np.ones((2, 2), complex), TypeError, "complex128"),
        (np.array([["a"]]), TypeError, "real numbers"),
        ([[1, None]], TypeError, "object"),
    ],
)
def test_what_is_no_image_is_named(values, error, message):
    with pytest.raises(error, match=message):
        radiography.as_image(values)


def test_vector_images_are_refused():
    image = itk.Image[itk.Vector[itk.F, 3], 3].New(Regions=[2, 2, 1])
    image.Allocate()
    with pytest.raises(TypeError, match="3 numbers in each pixel"):
        radiography.as_image(image)


def test_images_of_two_dimensions_get_one_slice_and_keep_their_grid():
    flat = itk.image_from_array(np.arange(12, dtype=np.float32).reshape(3, 4))
    flat.SetSpacing([0.5, 2])
    flat.SetOrigin([7, 8])
    image = radiography.as_image(flat)
    assert list(itk.size(image)) == [4, 3, 1]
    assert list(image.GetSpacing()) == [0.5, 2, 1] and list(image.GetOrigin()) == [7, 8, 0]


def test_an_image_is_laid_on_its_detector():
    view = phantom.view(30, (32, 24))
    image = radiography.as_image(np.zeros((24, 32)), view)
    assert list(image.GetOrigin()) == list(view.GetDetectorOrigin())
    with pytest.raises(ValueError, match="rows and columns may be exchanged"):
        radiography.as_image(np.zeros((32, 24)), view)


def test_several_slices_are_no_radiograph(trunk):
    with pytest.raises(ValueError, match="slices; one is expected"):
        radiography.slice_of(trunk)


def test_an_output_that_was_not_computed_is_named(trunk):
    drr = itk.DigitallyReconstructedRadiographImageFilter.New(trunk, Geometry=phantom.view())
    law = itk.TransmissionImageFilter.New(drr.GetOutput())
    law.Update()
    with pytest.raises(ValueError, match="no pixels"):
        radiography.array_of(law.GetCounts())


def test_radiographs_are_arrays_and_pictures(trunk):
    view = phantom.view(30, (32, 24))
    drr = itk.digitally_reconstructed_radiograph_image_filter(trunk, geometry=view)
    radiograph = radiography.Radiograph(drr, view, quantity="optical depth", unit="1")
    assert np.shares_memory(radiograph.view(), radiography.array_of(drr))
    assert np.asarray(radiograph).shape == (24, 32) and np.asarray(radiograph, dtype=float).dtype == float
    assert "24 rows x 32 columns" in repr(radiograph)
    assert radiograph._repr_png_().startswith(b"\x89PNG")


def test_radiographs_as_xarray(trunk):
    pytest.importorskip("xarray")
    view = phantom.view(30, (32, 24), pitch_mm=(2.0, 3.0))
    drr = itk.digitally_reconstructed_radiograph_image_filter(trunk, geometry=view)
    array = radiography.Radiograph(drr, view, quantity="optical depth", unit="1").to_xarray()
    assert array.dims == ("row", "column") and array.name == "optical depth"
    assert array.row[-1] == 23 * 3.0 and array.column[-1] == 31 * 2.0
    source = np.asarray(array.attrs["source_mm"])
    assert np.allclose(source, list(view.GetSource()))


def test_images_transforms_and_views_can_be_pickled(trunk):
    image = pickle.loads(pickle.dumps(trunk))
    np.testing.assert_array_equal(radiography.array_of(image), radiography.array_of(trunk))
    assert list(image.GetOrigin()) == list(trunk.GetOrigin())
    pose = phantom.pose((0.1, 0.2, 0.3), (4, 5, 6))
    again = pickle.loads(pickle.dumps(pose))
    assert list(again.TransformPoint([1.0, 2.0, 3.0])) == list(pose.TransformPoint([1.0, 2.0, 3.0]))
    view = phantom.view(33.3)
    again = pickle.loads(pickle.dumps(view))
    assert radiography.view_to_dict(again) == radiography.view_to_dict(view)
