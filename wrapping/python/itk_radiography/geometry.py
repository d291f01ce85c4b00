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
"""Views from keyword arguments. Lengths are in mm, angles in degrees: every name says which, as in the program's options.

Each function returns an `itk.RadiographGeometry`. World is LPS; `doc/geometry.md` has the drawings.
"""

from __future__ import annotations

import copyreg
import json
import os
from typing import Any, Mapping, NamedTuple, Sequence, Tuple, Union

import itk
import numpy as np
from numpy.typing import ArrayLike

__all__ = [
    "Pair",
    "RTKView",
    "c_arm",
    "cone_beam",
    "gantry",
    "parallel_beam",
    "projection_matrix",
    "read_rtk",
    "read_view",
    "view_from_dict",
    "view_to_dict",
    "write_view",
]

Pair = Union[float, Tuple[float, float]]

_POSITIONS = ("HFS", "HFP", "FFS", "FFP")


def _pair(value: Any) -> list:
    """One number for columns and rows, or one for each."""
    numbers = np.atleast_1d(np.asarray(value)).tolist()
    if len(numbers) not in (1, 2):
        raise ValueError(f"{value!r}: one number is expected, or two (columns, rows)")
    return [numbers[0], numbers[-1]]


def _numbers(values: ArrayLike) -> list:
    return np.asarray(values, dtype=float).tolist()


def _grid(pixels: Pair, pitch_mm: Pair) -> Any:
    columns, rows = (int(n) for n in _pair(pixels))
    column_spacing, row_spacing = _numbers(_pair(pitch_mm))
    return itk.RadiographGeometry.DetectorGrid(
        columns=columns, rows=rows, columnSpacing=column_spacing, rowSpacing=row_spacing
    )


def view_from_dict(view: Mapping[str, Any]) -> Any:
    """A view from the content of a view file (doc/geometry.md)."""
    return itk.RadiographGeometryJSON.Parse(json.dumps(view))


def view_to_dict(view: Any) -> dict:
    """Source and detector of a view, as a view file has them; numbers read back to the same bits."""
    return json.loads(itk.RadiographGeometryJSON.Serialize(view))


def read_view(path: Union[str, os.PathLike]) -> Any:
    """A view file, as the program's `--save-view` writes it."""
    return itk.RadiographGeometryJSON.ReadFile(os.fspath(path))


def write_view(view: Any, path: Union[str, os.PathLike]) -> None:
    itk.RadiographGeometryJSON.WriteFile(view, os.fspath(path))


def c_arm(
    *,
    primary_angle_deg: float,
    secondary_angle_deg: float,
    source_isocenter_mm: float,
    source_detector_mm: float,
    pixels: Pair,
    pitch_mm: Pair,
    roll_deg: float = 0.0,
    isocenter_mm: Sequence[float] = (0.0, 0.0, 0.0),
) -> Any:
    """A C-arm as DICOM XA describes it: the angles say where the detector is, seen from the patient.

    :param primary_angle_deg: 0: in front of the patient, +90: at the patient's left
    :param secondary_angle_deg: +90: cranial
    :param pixels: columns, rows; one number for both
    :param pitch_mm: between columns, between rows; one number for both
    """
    return view_from_dict(
        {
            "radiography_view": 1,
            "beam": "cone",
            "c_arm": {
                "primary_angle_deg": float(primary_angle_deg),
                "secondary_angle_deg": float(secondary_angle_deg),
                "roll_deg": float(roll_deg),
                "source_isocenter_mm": float(source_isocenter_mm),
                "source_detector_mm": float(source_detector_mm),
                "isocenter_mm": _numbers(isocenter_mm),
            },
            "detector": {"size": _pair(pixels), "spacing_mm": _pair(pitch_mm)},
        }
    )


def gantry(
    *,
    gantry_angle_deg: float,
    patient_position: str,
    isocenter_mm: Sequence[float],
    source_isocenter_mm: float,
    source_detector_mm: float,
    pixels: Pair,
    pitch_mm: Pair,
    couch_angle_deg: float = 0.0,
) -> Any:
    """A treatment machine, IEC 61217.

    :param patient_position: "HFS", "HFP", "FFS" or "FFP"
    """
    positions = {name: getattr(itk.RadiographGeometryEnums, "PatientPosition_" + name) for name in _POSITIONS}
    if patient_position not in positions:
        raise ValueError(f"patient_position is {patient_position!r}; expected is one of {', '.join(_POSITIONS)}")
    view = itk.RadiographGeometry.New()
    view.SetGantry(
        itk.RadiographGeometry.Gantry(
            gantryAngle=float(np.deg2rad(gantry_angle_deg)),
            couchAngle=float(np.deg2rad(couch_angle_deg)),
            patientPosition=positions[patient_position],
            sourceIsocenterDistance=float(source_isocenter_mm),
            sourceDetectorDistance=float(source_detector_mm),
            isocenter=_numbers(isocenter_mm),
        ),
        _grid(pixels, pitch_mm),
    )
    return view


def projection_matrix(matrix: ArrayLike, *, pixels: Pair, pitch_mm: Pair) -> Any:
    """A calibrated view: 3 x 4, from (x, y, z, 1) in mm to (column, row, 1) times a factor above 0."""
    return view_from_dict(
        {
            "radiography_view": 1,
            "beam": "cone",
            "projection_matrix": _numbers(matrix),
            "detector": {"size": _pair(pixels), "spacing_mm": _pair(pitch_mm)},
        }
    )


def _detector(origin_mm: Any, column_direction: Any, row_direction: Any, pixels: Pair, pitch_mm: Pair) -> dict:
    return {
        "origin_mm": _numbers(origin_mm),
        "column_direction": _numbers(column_direction),
        "row_direction": _numbers(row_direction),
        "spacing_mm": _pair(pitch_mm),
        "size": _pair(pixels),
    }


def cone_beam(
    source_mm: Sequence[float],
    *,
    origin_mm: Sequence[float],
    column_direction: Sequence[float],
    row_direction: Sequence[float],
    pixels: Pair,
    pitch_mm: Pair,
) -> Any:
    """A point source and a detector anywhere.

    :param origin_mm: centre of pixel (0, 0)
    :param column_direction: the way of increasing column index
    """
    detector = _detector(origin_mm, column_direction, row_direction, pixels, pitch_mm)
    return view_from_dict(
        {"radiography_view": 1, "beam": "cone", "source_mm": _numbers(source_mm), "detector": detector}
    )


def parallel_beam(
    direction: Sequence[float],
    *,
    origin_mm: Sequence[float],
    column_direction: Sequence[float],
    row_direction: Sequence[float],
    pixels: Pair,
    pitch_mm: Pair,
) -> Any:
    """Parallel rays along `direction`, and a detector anywhere."""
    detector = _detector(origin_mm, column_direction, row_direction, pixels, pitch_mm)
    return view_from_dict(
        {"radiography_view": 1, "beam": "parallel", "direction": _numbers(direction), "detector": detector}
    )


class RTKView(NamedTuple):
    """One projection of a stack of RTK."""

    view: Any
    #: Jaws at the isocentre, mm: a ray is free if -u_inf < u < u_sup and -v_inf < v < v_sup.
    u_inf: float
    u_sup: float
    v_inf: float
    v_sup: float


def read_rtk(
    path: Union[str, os.PathLike],
    *,
    pixels: Pair,
    pitch_mm: Pair,
    origin_mm: Tuple[float, float],
) -> list:
    """The views of an RTK geometry file (XML), one for each projection, as `RTKView`. Their world is RTK's.

    :param origin_mm: first two components of the origin of the stack of projections
    """
    detector = itk.RadiographGeometryRTK.Detector(
        grid=_grid(pixels, pitch_mm), originU=float(origin_mm[0]), originV=float(origin_mm[1])
    )
    return [_rtk_view(projection) for projection in itk.RadiographGeometryRTK.ReadFile(os.fspath(path), detector)]


def _rtk_view(projection: Any) -> RTKView:
    jaws = projection.collimation
    return RTKView(projection.view, jaws.uInf, jaws.uSup, jaws.vInf, jaws.vSup)


def _unpickle_view(text: str) -> Any:
    return itk.RadiographGeometryJSON.Parse(text)


def _pickle_view(view: Any) -> Tuple:
    return _unpickle_view, (itk.RadiographGeometryJSON.Serialize(view),)


# ITK's images and transforms can be pickled; views too, from here on.
copyreg.pickle(itk.RadiographGeometry, _pickle_view)
