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
"""A radiograph for people: its pixels as an array, as xarray, as a picture in a notebook."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Optional

import itk
import numpy as np
from numpy.typing import NDArray

from .images import as_image, slice_of

__all__ = ["Radiograph"]


def _grey_levels(array: NDArray) -> NDArray:
    """Black to white from the 1st to the 99th percentile, for display only."""
    finite = array[np.isfinite(array)]
    low, high = np.percentile(finite, [1, 99]) if finite.size else (0.0, 1.0)
    scaled = (np.nan_to_num(array, nan=low, posinf=high, neginf=low) - low) / ((high - low) or 1.0)
    return np.clip(255 * scaled + 0.5, 0, 255).astype(np.uint8)


def _png(levels: NDArray) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture.png")
        itk.imwrite(itk.image_from_array(levels), path)
        with open(path, "rb") as file:
            return file.read()


class Radiograph:
    """An image of one slice, and the view that it is seen in.

    >>> radiograph = Radiograph(drr_filter.GetOutput(), view)
    >>> radiograph.view()[row, column]
    """

    def __init__(self, image: Any, geometry: Any = None, *, quantity: str = "", unit: str = "") -> None:
        """:param image: an itk.Image of one slice, a filter that has made one, or an array (rows, columns)"""
        self.image = as_image(image, geometry)
        self.geometry = geometry
        self.quantity = quantity
        self.unit = unit

    def view(self) -> NDArray[np.float32]:
        """The pixels as (rows, columns), in the image's own memory (see `array_of`)."""
        return slice_of(self.image)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> NDArray:
        array = self.view()
        if dtype is not None and np.dtype(dtype) != array.dtype:
            if copy is False:
                raise ValueError(f"{array.dtype} becomes {np.dtype(dtype)} by a copy only")
            return array.astype(dtype)
        return array.copy() if copy else array

    def to_xarray(self) -> Any:
        """An xarray.DataArray (a copy) with `row` and `column` in mm on the detector, and where that is in the world."""
        import xarray

        array = self.view()
        spacing = list(self.image.GetSpacing())
        direction = itk.array_from_matrix(self.image.GetDirection())
        attributes = {
            "origin_mm": list(self.image.GetOrigin()),
            "column_direction": direction[:, 0].tolist(),
            "row_direction": direction[:, 1].tolist(),
        }
        if self.geometry is not None and self.geometry.GetBeam() == itk.RadiographGeometryEnums.Beam_Cone:
            attributes["source_mm"] = list(self.geometry.GetSource())
        if self.unit:
            attributes["units"] = self.unit
        return xarray.DataArray(
            array.copy(),
            dims=("row", "column"),
            coords={
                "row": ("row", np.arange(array.shape[0]) * spacing[1], {"units": "mm"}),
                "column": ("column", np.arange(array.shape[1]) * spacing[0], {"units": "mm"}),
            },
            name=self.quantity or None,
            attrs=attributes,
        )

    def _repr_png_(self) -> bytes:
        """For notebooks: grey levels from the 1st to the 99th percentile, more is brighter."""
        return _png(_grey_levels(self.view()))

    def __repr__(self) -> str:
        array = self.view()
        name = " ".join(text for text in (self.quantity, f"[{self.unit}]" if self.unit else "") if text)
        return (
            f"<Radiograph {name + ', ' if name else ''}{array.shape[0]} rows x {array.shape[1]} columns, "
            f"{array.min():.6g} to {array.max():.6g}>"
        )
