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
"""The law and its adjoint against NumPy."""

import itk
import itk_radiography as radiography
import numpy as np
import pytest

RANDOM = np.random.default_rng(20)
DEPTHS = RANDOM.uniform(0, 12, (7, 11)).astype(np.float32)


def ulps(actual, expected):
    """Distances in units in the last place of binary32."""
    return np.abs(actual.astype(np.float64) - expected) / np.spacing(np.abs(expected).astype(np.float32))


def test_all_outputs_within_one_ulp_of_numpy():
    law = itk.TransmissionImageFilter.New(radiography.as_image(DEPTHS))
    law.SetOpenBeamCounts(1e4)
    for output in ("Counts", "LogTransmission", "Removed"):
        getattr(law, f"Compute{output}On")()
    law.Update()
    depths = DEPTHS.astype(np.float64)
    expected = {
        "Transmission": np.exp(-depths),
        "Counts": 1e4 * np.exp(-depths),
        "LogTransmission": -depths,
        "Removed": -np.expm1(-depths),
    }
    for output, values in expected.items():
        assert ulps(radiography.slice_of(getattr(law, f"Get{output}")()), values).max() <= 1, output


def test_an_image_of_open_beam_counts():
    counts = RANDOM.uniform(1, 1e5, DEPTHS.shape).astype(np.float32)
    law = itk.TransmissionImageFilter.New(radiography.as_image(DEPTHS))
    law.SetOpenBeamCountsImage(radiography.as_image(counts))
    law.ComputeCountsOn()
    law.Update()
    expected = counts.astype(np.float64) * np.exp(-DEPTHS.astype(np.float64))
    assert ulps(radiography.slice_of(law.GetCounts()), expected).max() <= 1


def test_the_adjoint_against_numpy():
    cotangents = {name: RANDOM.normal(size=DEPTHS.shape).astype(np.float32) for name in ("t", "c", "l", "r")}
    counts = RANDOM.uniform(1, 1e3, DEPTHS.shape).astype(np.float32)
    adjoint = itk.TransmissionAdjointImageFilter.New(radiography.as_image(DEPTHS))
    adjoint.SetOpenBeamCountsImage(radiography.as_image(counts))
    adjoint.OpenBeamActiveOn()
    adjoint.SetTransmissionCotangent(radiography.as_image(cotangents["t"]))
    adjoint.SetCountsCotangent(radiography.as_image(cotangents["c"]))
    adjoint.SetLogTransmissionCotangent(radiography.as_image(cotangents["l"]))
    adjoint.SetRemovedCotangent(radiography.as_image(cotangents["r"]))
    adjoint.Update()
    t, c, l, r = (cotangents[name].astype(np.float64) for name in ("t", "c", "l", "r"))
    transmission = np.exp(-DEPTHS.astype(np.float64))
    of_depth = (r - t - c * counts.astype(np.float64)) * transmission - l
    np.testing.assert_allclose(radiography.slice_of(adjoint.GetDepthCotangent()), of_depth, rtol=2e-7, atol=1e-12)
    np.testing.assert_allclose(radiography.slice_of(adjoint.GetOpenBeamCotangent()), c * transmission, rtol=2e-7)


def test_cotangents_are_consumed_once():
    adjoint = itk.TransmissionAdjointImageFilter.New(radiography.as_image(DEPTHS))
    adjoint.SetTransmissionCotangent(radiography.as_image(np.ones_like(DEPTHS)))
    adjoint.Update()
    adjoint.Modified()
    with pytest.raises(RuntimeError, match="RetainCotangents"):
        adjoint.Update()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
def test_bad_depths_are_named_by_index_and_value(bad):
    depths = DEPTHS.copy()
    depths[3, 5] = bad
    with pytest.raises(RuntimeError, match=r"\[5, 3, 0\]"):
        itk.transmission_image_filter(radiography.as_image(depths))


def test_snake_case_functions_take_keywords():
    outputs = itk.transmission_image_filter(
        radiography.as_image(DEPTHS), compute_transmission=False, compute_counts=True, open_beam_counts=100.0
    )
    expected = 100 * np.exp(-DEPTHS.astype(np.float64))
    assert ulps(radiography.slice_of(outputs[1]), expected).max() <= 1


def test_detector_response_and_noise():
    counts = np.full((64, 64), 400.0, np.float32)
    response = itk.detector_response_image_filter(radiography.as_image(counts), gain=2.0, scatter=10.0, offset=5.0)
    assert np.all(radiography.slice_of(response) == 2 * (400 + 10) + 5)
    noisy = radiography.slice_of(itk.photon_noise_image_filter(radiography.as_image(counts), seed=3))
    assert abs(noisy.mean() - 400) < 5 * 20 / 64 and 15 < noisy.std() < 25
