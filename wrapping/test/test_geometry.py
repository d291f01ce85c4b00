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
"""Views from keyword arguments, files and RTK."""

import itk
import itk_radiography as radiography
import numpy as np
import phantom
import pytest

RIGHT = {"source_isocenter_mm": 800, "source_detector_mm": 1200, "pixels": (64, 48), "pitch_mm": (2.0, 3.0)}


def test_a_c_arm_is_that_of_the_struct_in_radians():
    view = radiography.c_arm(
        primary_angle_deg=30, secondary_angle_deg=10, roll_deg=5, isocenter_mm=(1, 2, 3), **RIGHT
    )
    arm = itk.RadiographGeometry.CArm(
        primaryAngle=np.deg2rad(30),
        secondaryAngle=np.deg2rad(10),
        roll=np.deg2rad(5),
        sourceIsocenterDistance=800.0,
        sourceDetectorDistance=1200.0,
        isocenter=[1, 2, 3],
    )
    expected = itk.RadiographGeometry.New()
    expected.SetCArm(arm, itk.RadiographGeometry.DetectorGrid(columns=64, rows=48, columnSpacing=2.0, rowSpacing=3.0))
    assert radiography.view_to_dict(view) == radiography.view_to_dict(expected)


def test_the_angles_say_where_the_detector_is():
    frontal = radiography.c_arm(primary_angle_deg=0, secondary_angle_deg=0, **RIGHT)
    assert np.allclose(list(frontal.GetSource()), [0, 800, 0])
    left = radiography.c_arm(primary_angle_deg=90, secondary_angle_deg=0, **RIGHT)
    assert np.allclose(list(left.GetSource()), [-800, 0, 0])
    assert list(left.GetDetectorSize()) == [64, 48, 1]
    assert np.allclose(list(left.GetDetectorSpacing())[:2], [2, 3])


def test_a_gantry_at_0_looks_from_the_front():
    view = radiography.gantry(gantry_angle_deg=0, patient_position="HFS", isocenter_mm=(1, 2, 3), **RIGHT)
    assert np.allclose(list(view.GetSource()), [1, 2 - 800, 3])
    turned = radiography.gantry(
        gantry_angle_deg=0, couch_angle_deg=0, patient_position="FFS", isocenter_mm=(1, 2, 3), **RIGHT
    )
    assert np.allclose(list(turned.GetSource()), [1, 2 - 800, 3])
    with pytest.raises(ValueError, match="'HFX'; expected is one of HFS"):
        radiography.gantry(gantry_angle_deg=0, patient_position="HFX", isocenter_mm=(0, 0, 0), **RIGHT)


def test_a_projection_matrix_gives_its_view_back():
    view = phantom.view(30, (64, 48), (2.0, 3.0))
    matrix = itk.array_from_matrix(view.GetProjectionMatrix())
    again = radiography.projection_matrix(matrix, pixels=(64, 48), pitch_mm=(2.0, 3.0))
    assert np.allclose(list(again.GetSource()), list(view.GetSource()))
    assert np.allclose(list(again.GetDetectorOrigin()), list(view.GetDetectorOrigin()))
    with pytest.raises(RuntimeError):
        radiography.projection_matrix(np.zeros((3, 4)), pixels=(64, 48), pitch_mm=(2.0, 3.0))


def test_cone_and_parallel_beams_anywhere():
    detector = {
        "origin_mm": (-50, -300, 40),
        "column_direction": (1, 0, 0),
        "row_direction": (0, 0, -1),
        "pixels": (101, 81),
        "pitch_mm": 1.0,
    }
    cone = radiography.cone_beam((0, 700, 0), **detector)
    assert np.allclose(list(cone.GetPixelCenter(100, 80)), [50, -300, -40])
    parallel = radiography.parallel_beam((0, -1, 0), **detector)
    assert np.allclose(list(parallel.GetBeamDirection()), [0, -1, 0])
    with pytest.raises(RuntimeError, match="(?i)source"):
        parallel.GetSource()


def test_files_read_back_to_the_same_bits(tmp_path):
    view = phantom.view(12.3, (17, 19), (0.7, 1.1), 4.5)
    radiography.write_view(view, tmp_path / "view.json")
    again = radiography.read_view(tmp_path / "view.json")
    assert radiography.view_to_dict(again) == radiography.view_to_dict(view)
    with pytest.raises(RuntimeError, match="no-such-file"):
        radiography.read_view(tmp_path / "no-such-file.json")


def test_errors_come_with_their_message():
    with pytest.raises(RuntimeError, match="source_isocenter_mm|source-isocentre|isocenter"):
        radiography.c_arm(primary_angle_deg=0, secondary_angle_deg=0, **{**RIGHT, "source_isocenter_mm": -1})
    with pytest.raises(RuntimeError, match="focal_spot"):
        radiography.view_from_dict({"radiography_view": 1, "focal_spot": 3})
    with pytest.raises(ValueError, match="one number is expected, or two"):
        radiography.c_arm(primary_angle_deg=0, secondary_angle_deg=0, **{**RIGHT, "pitch_mm": (1, 2, 3)})


def test_rtk_s_geometry_file(tmp_path):
    (tmp_path / "broken.xml").write_text("<RTK")
    with pytest.raises(RuntimeError, match="broken.xml"):
        radiography.read_rtk(tmp_path / "broken.xml", pixels=8, pitch_mm=4.0, origin_mm=(0, 0))
    rtk = pytest.importorskip("itk").RTK if hasattr(itk, "RTK") else pytest.skip("itk-rtk is not installed")
    geometry = rtk.ThreeDCircularProjectionGeometry.New()
    for angle in (0.0, 90.0, 200.0):
        geometry.AddProjection(1000.0, 1500.0, angle, 3.0, -4.0, 5.0, 6.0, 7.0, -8.0)
    geometry.SetCollimationOfLastProjection(40.0, 50.0, 60.0, 70.0)
    writer = rtk.ThreeDCircularProjectionGeometryXMLFileWriter.New()
    writer.SetFilename(str(tmp_path / "geometry.xml"))
    writer.SetObject(geometry)
    writer.WriteFile()
    views = radiography.read_rtk(tmp_path / "geometry.xml", pixels=(32, 24), pitch_mm=4.0, origin_mm=(-62, -46))
    assert len(views) == 3
    for number, projection in enumerate(views):
        theirs = list(geometry.GetSourcePosition(number))
        assert np.allclose(list(projection.view.GetSource()), theirs[:3])
        corner = itk.array_from_matrix(geometry.GetProjectionCoordinatesToFixedSystemMatrix(number)) @ [-62, -46, 0, 1]
        assert np.allclose(list(projection.view.GetDetectorOrigin()), corner[:3])
    assert views[2][1:] == (40.0, 50.0, 60.0, 70.0) and np.isinf(views[0].u_inf)
