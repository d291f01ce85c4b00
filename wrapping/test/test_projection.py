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
"""Line integrals: values, the transpose, the program's own bits, and memory that does not grow."""

import os
import subprocess

import itk
import itk_radiography as radiography
import numpy as np
import phantom
import pytest

PROJECTORS = ("Joseph", "CellGauss", "Siddon")


def projector(name):
    return getattr(itk.DigitallyReconstructedRadiographImageFilterEnums, "Projector_" + name)


def block_along_y(size_mm):
    """A detector of parallel rays along y, as wide as the block."""
    return radiography.parallel_beam(
        (0, -1, 0),
        origin_mm=(-8, -size_mm, 8),
        column_direction=(1, 0, 0),
        row_direction=(0, 0, -1),
        pixels=(17, 9),
        pitch_mm=(1, 2),
    )


@pytest.mark.parametrize("name", PROJECTORS)
def test_a_block_is_as_thick_as_its_voxels(name):
    array = np.zeros((30, 20, 40), np.float32)  # z, y, x
    array[5:25, 4:16, 8:32] = 0.02  # 12 voxels of 1.5 mm along y
    mu = radiography.as_volume(array, spacing=(1, 1.5, 1), origin=(-19.5, -14.25, -14.5))
    drr = itk.digitally_reconstructed_radiograph_image_filter(mu, geometry=block_along_y(200), projector=projector(name))
    depths = radiography.slice_of(drr)
    assert depths.shape == (9, 17)
    np.testing.assert_allclose(depths, 0.02 * 12 * 1.5, rtol=1e-5)


@pytest.mark.parametrize("name", PROJECTORS)
def test_back_projection_is_the_transpose(name, trunk):
    view, pose = phantom.view(33, (24, 20), 20.0), phantom.pose((0.1, -0.05, 0.2), (5, 6, -7))
    drr = itk.DigitallyReconstructedRadiographImageFilter.New(trunk, Geometry=view, Transform=pose)
    drr.SetProjector(projector(name))
    drr.Update()
    pixels = np.random.default_rng(4).normal(size=(20, 24)).astype(np.float32)
    back = itk.RadiographBackProjectionImageFilter.New(radiography.as_image(pixels, view), Geometry=view, Transform=pose)
    back.SetReferenceImage(trunk)
    back.SetProjector(projector(name))
    back.Update()
    forward = float(np.vdot(radiography.slice_of(drr.GetOutput()).astype(float), pixels.astype(float)))
    backward = float(np.vdot(radiography.array_of(trunk).astype(float), radiography.array_of(back.GetOutput()).astype(float)))
    assert forward == pytest.approx(backward, rel=1e-5, abs=1e-4)


def test_the_transform_maps_world_to_ct(trunk):
    """The CT moves by +20 mm along x where the transform says -20 mm."""
    view = phantom.view(0, (65, 33), 4.0)
    drr = itk.DigitallyReconstructedRadiographImageFilter.New(trunk, Geometry=view)
    drr.SetTransform(phantom.pose(translation=(-20, 0, 0)))
    drr.Update()
    moved = radiography.slice_of(drr.GetOutput()).copy()
    shifted = itk.image_duplicator(trunk)
    shifted.SetOrigin([trunk.GetOrigin()[0] + 20, trunk.GetOrigin()[1], trunk.GetOrigin()[2]])
    expected = itk.digitally_reconstructed_radiograph_image_filter(shifted, geometry=view)
    np.testing.assert_allclose(moved, radiography.slice_of(expected), rtol=1e-4, atol=1e-4)


def test_pose_derivatives_against_differences(trunk):
    view, parameters = phantom.view(30, (16, 12), 30.0), np.array([0.05, -0.02, 0.03, 4.0, -3.0, 2.0])
    weights = np.random.default_rng(5).normal(size=(12, 16)).astype(np.float32)

    def depths(values):
        drr = itk.DigitallyReconstructedRadiographImageFilter.New(trunk, Geometry=view)
        drr.SetTransform(phantom.pose(values[:3], values[3:]))
        drr.SetProjector(projector("CellGauss"))
        drr.SetPolicy("simd=0")
        drr.Update()
        return radiography.slice_of(drr.GetOutput()).astype(float).copy()

    rays = itk.RadiographSensitivityCalculator.New()
    rays.SetImage(trunk)
    rays.SetGeometry(view)
    rays.SetTransform(phantom.pose(parameters[:3], parameters[3:]))
    rays.SetProjector(projector("CellGauss"))
    rays.SetScore(radiography.as_image(weights, view))
    radiography.run(rays, progress=False)
    gradient = np.array(list(rays.GetParameterGradient()))
    steps = np.array([1e-3] * 3 + [0.1] * 3)
    for number, step in enumerate(steps):
        offset = step * np.eye(6)[number]
        difference = ((depths(parameters + offset) - depths(parameters - offset)) * weights).sum() / (2 * step)
        assert gradient[number] == pytest.approx(difference, rel=0.02, abs=0.02 * np.abs(gradient[:3]).max() * step)


def test_volumes_in_hounsfield_units_are_refused_by_name(trunk):
    hounsfield = radiography.as_volume(radiography.array_of(trunk) * 50000 - 1000)
    with pytest.raises(RuntimeError, match="(?i)hounsfield"):
        itk.digitally_reconstructed_radiograph_image_filter(hounsfield, geometry=phantom.view())


def test_wrong_inputs_raise_with_their_message(trunk):
    drr = itk.DigitallyReconstructedRadiographImageFilter.New(trunk)
    with pytest.raises(RuntimeError, match="Geometry"):
        drr.Update()
    with pytest.raises(RuntimeError, match="josephSlopeLimitt"):
        drr.SetPolicy("josephSlopeLimitt=2")
    with pytest.raises((TypeError, RuntimeError)):
        itk.DigitallyReconstructedRadiographImageFilter.New(itk.image_from_array(np.zeros((4, 4, 4), np.float64)))
    with pytest.raises((TypeError, RuntimeError)):
        itk.DigitallyReconstructedRadiographImageFilter.New(itk.image_from_array(np.zeros((4, 4), np.float32)))


def test_bands_add_up(trunk):
    view = phantom.view(30)
    whole = itk.digitally_reconstructed_radiograph_image_filter(trunk, geometry=view)
    banded = itk.BandedRadiographImageFilter.New(trunk, Geometry=view)
    size = itk.size(trunk)
    banded.SetMemoryBudget(int(size[0] * size[1]) * 4 * 4 + 64 * 64 * 16)
    banded.Update()
    assert banded.ComputeNumberOfBands() > 2
    np.testing.assert_allclose(
        radiography.slice_of(banded.GetOutput()), radiography.slice_of(whole), rtol=4e-6, atol=4e-7
    )


def test_the_report_says_what_ran(trunk):
    drr = itk.DigitallyReconstructedRadiographImageFilter.New(trunk, Geometry=phantom.view())
    drr.Update()
    report = drr.GetComputeReport()
    assert report.projector == "joseph" and report.threads >= 1 and "cuda" in report.notUsed


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="no /proc here")
def test_memory_is_stable_over_1000_drrs():
    mu = phantom.trunk((16.0, 16.0, 16.0))
    array = radiography.array_of(mu).copy()
    seen = []
    for number in range(1100):
        volume = radiography.as_volume(array.copy(), spacing=mu.GetSpacing(), origin=mu.GetOrigin())
        drr = itk.digitally_reconstructed_radiograph_image_filter(volume, geometry=phantom.view(number % 360, 128, 4.0))
        picture = radiography.Radiograph(drr).view()
        if number % 100 == 99:
            seen.append(resident_bytes())
    # One DRR that leaked with its volume in each round would be 100 MB and more.
    assert seen[-1] - seen[0] < 20e6, [round(bytes_ / 1e6, 1) for bytes_ in seen]
    assert picture.max() > 0


@pytest.mark.parametrize("rounds", [2])
def test_the_chest_is_the_program_s_to_the_bit(chest_mu, data, program, tmp_path, rounds):
    """At most 2 ULP; to the bit where the program was built with the same ITK and compiler."""
    for angle in (0, 63)[:rounds]:
        view = radiography.c_arm(
            primary_angle_deg=angle,
            secondary_angle_deg=5,
            source_isocenter_mm=700,
            source_detector_mm=1100,
            pixels=(256, 200),
            pitch_mm=2,
            isocenter_mm=radiography.center_of(chest_mu),
        )
        radiography.write_view(view, tmp_path / "view.json")
        command = [program, "drr", data / "ct-chest-lidc-0001", tmp_path / "drr.nrrd", "--view", tmp_path / "view.json"]
        subprocess.run([*map(str, command), "--energy-kev", "60", "--quiet"], check=True)
        theirs = radiography.slice_of(itk.imread(str(tmp_path / "drr.nrrd"), itk.F)).astype(float)
        drr = itk.digitally_reconstructed_radiograph_image_filter(chest_mu, geometry=view)
        ours = radiography.slice_of(drr)
        distance = np.abs(ours.astype(float) - theirs) / np.spacing(np.abs(theirs).astype(np.float32))
        print(f"{angle} degrees: {np.count_nonzero(distance)} of {distance.size} pixels differ, by {distance.max()} ULP")
        assert distance.max() <= 2
