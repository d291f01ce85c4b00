"""Types of the wrapped classes, as a checker sees them."""

import importlib.metadata
import sys

import itk
import pytest

mypy = pytest.importorskip("mypy.api")

RIGHT = """
import itk

view = itk.RadiographGeometry.New()
distance: float = view.GetSourceDetectorDistance()
itk.RadiographGeometry.WriteFile(view, "view.json")
method = itk.RadiographRegistrationMethod.New(NumberOfStarts=10)
number: int = method.GetNumberOfViews()
drr = itk.digitally_reconstructed_radiograph_image_filter(None, geometry=view)
arm = itk.RadiographGeometry.CArm(primaryAngle=0.1)
itk.RadiographRegistrationEnums.Metric_Poisson
itk.Image[itk.F, 3].New()  # ITK's own names stay untyped
"""

WRONG = """
import itk

distance: str = itk.RadiographGeometry.New().GetSourceDetectorDistance()
itk.RadiographGeometry.New().GetPixelCenter(1.0)
"""


def check(folder, text):
    """What mypy says of a module."""
    path = folder / "module.py"
    path.write_text(text)
    said, broken, status = mypy.run(
        [str(path), "--no-incremental", "--cache-dir", str(folder / "cache"), "--python-executable", sys.executable]
    )
    assert not broken
    return status, said


def test_right_calls_pass(tmp_path):
    status, said = check(tmp_path, RIGHT)
    assert status == 0, said


def test_wrong_calls_are_seen(tmp_path):
    status, said = check(tmp_path, WRONG)
    assert status == 1
    assert "has type \"float\"" in said or "type \"float\"" in said, said
    assert "GetPixelCenter" in said, said


def test_every_class_is_in_them():
    files = importlib.metadata.files("itk-radiography")
    stubs = next(path for path in files if str(path).endswith("itk-stubs/__init__.pyi")).read_text()
    for name in ("RadiographGeometry", "PoissonRadiographToVolumeMetricv4", "DICOMCTVolumeReader", "ProjectionVolume"):
        assert f"class {name}(" in stubs
        assert hasattr(itk, name)
    assert "def transmission_image_filter(" in stubs
