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
"""Metric, optimizers, the method, covariance, and how results look."""

import json

import itk
import itk_optimizers
import itk_radiography as radiography
import numpy as np
import phantom
import pytest


@pytest.fixture(scope="module")
def result(two_views, trunk):
    views, _, images = two_views
    return radiography.register(trunk, images, views, open_beam_counts=1e4)


def test_the_pose_is_found_and_known_how_well(result, two_views):
    _, truth, _ = two_views
    assert result.verdict in ("converged", "doubtful")
    assert itk_optimizers.largest_error(result.transform, truth) < 0.3
    np.testing.assert_allclose(result.matrix, radiography.matrix_of(truth), atol=0.2)


def test_covariances_are_symmetric_arrays(result):
    for matrix, size in (
        (result.covariance, 6),
        (result.inflated_covariance, 6),
        (result.information, 6),
        (result.target_covariance, 3),
        (result.inflated_target_covariance, 3),
    ):
        assert matrix.shape == (size, size) and matrix.dtype == float
        np.testing.assert_allclose(matrix, matrix.T, rtol=1e-9, atol=1e-15)
        assert np.linalg.eigvalsh(matrix).min() > 0
    np.testing.assert_allclose(np.sqrt(np.diag(result.inflated_covariance)), result.standard_errors)
    np.testing.assert_allclose(np.sqrt(np.diag(result.inflated_target_covariance)), result.target_standard_errors)
    np.testing.assert_allclose(result.covariance @ result.information, np.eye(6), atol=1e-6)


def test_the_log_is_a_table(result, tmp_path):
    steps = result.iterations
    assert len(steps) > 3
    accepted = steps["value"][steps["accepted"] & (steps["level"] == steps["level"].max())]
    assert np.all(np.diff(accepted) <= 1e-6 * accepted[0])
    assert "stationarity" in str(steps).splitlines()[0]
    steps.write_csv(tmp_path / "steps.csv")
    assert len((tmp_path / "steps.csv").read_text().splitlines()) == len(steps) + 1
    assert steps._repr_html_().startswith("<table>")


def test_it_looks_well_in_a_notebook(result):
    page = result._repr_html_()
    assert page.count("data:image/png;base64,") == 8 and result.verdict in page
    assert result.verdict in repr(result)


def test_pictures_are_radiographs(result):
    for kind in ("image", "initial_prediction", "prediction", "initial_residual", "residual"):
        assert [picture.view().shape for picture in result.images(kind)] == [(48, 48)] * 2
    assert np.abs(result.images("residual")[0].view()).mean() < 2


def test_the_answer_goes_into_json(result):
    answer = json.loads(json.dumps(result.to_dict()))
    assert answer["verdict"] == result.verdict and len(answer["parameters"]) == 6


def test_nuisances_are_a_table(two_views, trunk):
    views, _, images = two_views
    found = radiography.register(trunk, images, views, full_resolution=False)
    assert found.nuisances["exposure_is_estimated"].all()
    counts = found.nuisances["open_beam_counts"] * found.nuisances["exposure"]
    np.testing.assert_allclose(counts, 1e4, rtol=0.02)


def test_arrays_and_masks_are_taken(two_views, trunk):
    views, truth, images = two_views
    arrays = [radiography.slice_of(image).astype(float) for image in images]
    arrays[0][:, :10] = 77  # what is not true is masked
    mask = np.ones((48, 48), bool)
    mask[:, :10] = False
    found = radiography.register(trunk, arrays, views, masks=[mask, None], open_beam_counts=[1e4, 1e4])
    assert itk_optimizers.largest_error(found.transform, truth) < 0.3


def test_settings_are_checked_by_name(two_views, trunk):
    views, _, images = two_views
    with pytest.raises(TypeError, match="'number_of_starts' is"):
        radiography.register(trunk, images, views, number_of_start=3)
    with pytest.raises(ValueError, match="gradientcorrelation"):
        radiography.register(trunk, images, views, metric="mutual information")
    with pytest.raises(ValueError, match="2 images but 1 views"):
        radiography.register(trunk, images, views[:1])
    with pytest.raises(ValueError, match="2 images but 3 masks"):
        radiography.register(trunk, images, views, masks=[None] * 3)


def test_correlations_register_too(two_views, trunk):
    views, truth, images = two_views
    depths = [np.log(1e4 / np.maximum(radiography.slice_of(image), 1)) for image in images]
    for metric in ("gradient-correlation", "NormalizedCorrelation"):
        found = radiography.register(trunk, depths, views, metric=metric)
        assert found.correlations.min() > 0.99
        assert itk_optimizers.largest_error(found.transform, truth) < 0.5


def test_a_ct_that_no_view_sees_is_a_failure(two_views, trunk):
    views, _, images = two_views
    found = radiography.register(trunk, images, views, open_beam_counts=1e4, initial=phantom.pose((0, 0, 0), (0, 0, 5000)))
    assert found.verdict == "failed" and found.reasons and found.transform is None
    assert found.covariance.size == 0
    with pytest.raises(ValueError, match="failed"):
        found.matrix


def test_negative_counts_are_refused_by_name(two_views, trunk):
    views, _, images = two_views
    bad = radiography.slice_of(images[0]).copy()
    bad[3, 4] = -5
    with pytest.raises(RuntimeError, match=r"\[4, 3"):
        radiography.register(trunk, [bad], views[:1], open_beam_counts=1e4)


def test_two_optimizers_of_itk_drive_the_metric():
    errors = itk_optimizers.main()
    assert len(errors) == 2 and max(errors.values()) < 0.5


def test_the_metric_s_derivative_against_differences(two_views, trunk):
    views, _, images = two_views
    metric = itk_optimizers.make_metric(trunk, images, views, 1e4)
    metric.SetFixedImage(images[0])
    pose = phantom.pose((0.02, 0.01, -0.01), (2, 1, -2))
    metric.SetMovingTransform(pose)
    metric.SetProjector(itk.DigitallyReconstructedRadiographImageFilterEnums.Projector_CellGauss)
    metric.SetPolicy("simd=0")
    metric.Initialize()
    derivative = itk.Array[itk.D](6)
    metric.GetDerivative(derivative)
    parameters = np.array(list(pose.GetParameters()))

    def value(values):
        pose.SetParameters(itk.OptimizerParameters[itk.D](values.tolist()))
        return metric.GetValue()

    for number, step in enumerate([1e-4] * 3 + [1e-2] * 3):
        offset = step * np.eye(6)[number]
        difference = (value(parameters + offset) - value(parameters - offset)) / (2 * step)
        assert -derivative[number] == pytest.approx(difference, rel=2e-3, abs=1.0)
