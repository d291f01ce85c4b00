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
"""Radiography for Python, beside `itk`: what ITK-Python leaves to its users.

Filters, readers, metrics and the registration method are `itk.<Class>` and `itk.<snake_case>()`, as everything in ITK.
Here are views from keyword arguments, arrays in and out without copies, progress and abort, and the result of a
registration as arrays, tables and pictures. doc/python.md has examples and pitfalls.
"""

from importlib.metadata import PackageNotFoundError as _NotInstalled
from importlib.metadata import version as _version

from .geometry import (
    RTKView,
    c_arm,
    cone_beam,
    gantry,
    parallel_beam,
    projection_matrix,
    read_rtk,
    read_view,
    view_from_dict,
    view_to_dict,
    write_view,
)
from .images import array_of, as_image, as_mask, as_volume, center_of, slice_of
from .radiograph import Radiograph
from .registration import Registration, matrix_of, prepare_registration, register
from .running import Aborted, run
from .table import Table

try:
    __version__ = _version("itk-radiography")
except _NotInstalled:  # run from the sources
    __version__ = "0+sources"

__all__ = [
    "Aborted",
    "RTKView",
    "Radiograph",
    "Registration",
    "Table",
    "array_of",
    "as_image",
    "as_mask",
    "as_volume",
    "c_arm",
    "center_of",
    "cone_beam",
    "gantry",
    "matrix_of",
    "parallel_beam",
    "prepare_registration",
    "projection_matrix",
    "read_rtk",
    "read_view",
    "register",
    "run",
    "slice_of",
    "view_from_dict",
    "view_to_dict",
    "write_view",
]
