"""Every public class, struct and enumeration is there in Python: the list is read from the headers."""

import keyword

import itk
import pytest
from public_headers import all_declarations

DECLARATIONS = {declaration.path: declaration for declaration in all_declarations()}

# Arrays of C are reached through the functions named.
FIELDS_REACHED_OTHERWISE = {"RadiographRegistrationResult.Content": {"halvesParameters": "GetHalvesParameters"}}


def reach(path):
    found = itk
    for name in path.split("."):
        found = getattr(found, name)
    return found


def instance_of(path):
    found = reach(path)
    if hasattr(found, "values"):
        found = found.values()[0]
    return found.New() if DECLARATIONS[path].has_new else found()


def test_the_headers_are_read():
    assert len(DECLARATIONS) > 80
    assert DECLARATIONS["RadiographGeometry"].has_new
    assert DECLARATIONS["RadiographGeometry.CArm"].fields[0] == "primaryAngle"
    assert DECLARATIONS["RadiographGeometryEnums"].enums["Beam"] == ["Cone", "Parallel"]
    assert not DECLARATIONS["FirstDerivativeOnly"].is_constructible


@pytest.mark.parametrize("path", DECLARATIONS)
def test_is_reached(path):
    assert reach(path) is not None


@pytest.mark.parametrize("path", [path for path, d in DECLARATIONS.items() if d.has_new or d.is_constructible])
def test_is_constructed(path):
    made = instance_of(path)
    if DECLARATIONS[path].has_new:
        assert made.GetNameOfClass() == path.split(".")[-1]
        assert path.split(".")[-1] in str(made)


@pytest.mark.parametrize("path", [path for path, d in DECLARATIONS.items() if d.enums])
def test_has_all_enumerators(path):
    for enum, values in DECLARATIONS[path].enums.items():
        # SWIG puts an underscore before a word of Python.
        names = [f"{enum}__{value}" if keyword.iskeyword(value) else f"{enum}_{value}" for value in values]
        numbers = [getattr(reach(path), name) for name in names]
        assert len(set(numbers)) == len(values)


@pytest.mark.parametrize("path", [path for path, d in DECLARATIONS.items() if d.fields])
def test_has_all_fields(path):
    otherwise = FIELDS_REACHED_OTHERWISE.get(path, {})
    made = instance_of(path)
    for name in DECLARATIONS[path].fields:
        if name in otherwise:
            assert hasattr(reach(path.split(".")[0]), otherwise[name])
        else:
            value = getattr(made, name)
            setattr(made, name, value)
            assert "SwigPyObject" not in repr(value), f"{name} is a bare pointer"
