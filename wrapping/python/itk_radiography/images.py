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
"""Arrays as images and images as arrays, without a copy where none is needed.

ITK counts indices x, y, z (columns, rows, slices), NumPy the other way round: the array of an image of 4 x 3 x 2 voxels has
the shape (2, 3, 4). Spacings, origins and directions are always ITK's: x, y, z, in mm.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

import itk
import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["as_image", "as_volume", "as_mask", "array_of", "center_of", "slice_of"]


def _keep(image: Any, owner: Any) -> Any:
    """Ties the life of `owner`, whose memory the image uses, to that of the image itself.

    ITK's own view forgets the array together with the Python object that stands for the image, while filters may still
    read its pixels. Here the image holds a command that is never called, and the command holds the owner.
    """
    image.AddObserver(itk.UserEvent(), lambda: owner)
    return image


def _array(values: ArrayLike, dtype: Any, what: str) -> NDArray:
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{what} has values of type {array.dtype}; real numbers are expected")
    if array.ndim == 2:
        array = array[np.newaxis]
    if array.ndim != 3:
        raise ValueError(
            f"{what} has the shape {array.shape}; expected is (slices, rows, columns), or (rows, columns) for one slice"
        )
    if array.size == 0:
        raise ValueError(f"{what} has the shape {array.shape}: there is no pixel")
    return np.ascontiguousarray(array, dtype=dtype)


def _image(values: Any, dtype: Any, pixel: Any, what: str) -> Any:
    if not isinstance(values, itk.DataObject) and not isinstance(values, itk.ProcessObject):
        array = _array(values, dtype, what)
        return _keep(itk.image_view_from_array(array), array)
    image = itk.output(values)
    if isinstance(image, itk.Image[pixel, 3]):
        return image
    if image.GetNumberOfComponentsPerPixel() != 1:
        raise TypeError(f"{what} has {image.GetNumberOfComponentsPerPixel()} numbers in each pixel; one is expected")
    if hasattr(values, "UpdateLargestPossibleRegion"):
        values.UpdateLargestPossibleRegion()
    array = _array(itk.array_view_from_image(image), dtype, what)
    result = _keep(itk.image_view_from_array(array), (array, image))
    _copy_grid(image, result)
    return result


def _copy_grid(source: Any, target: Any) -> None:
    """A 2-D image lies in the plane z = 0."""
    dimension = source.GetImageDimension()
    spacing, origin, direction = np.ones(3), np.zeros(3), np.eye(3)
    spacing[:dimension] = source.GetSpacing()
    origin[:dimension] = source.GetOrigin()
    direction[:dimension, :dimension] = itk.array_from_matrix(source.GetDirection())
    _set_grid(target, spacing, origin, direction)


def _set_grid(image: Any, spacing: ArrayLike, origin: ArrayLike, direction: ArrayLike) -> None:
    image.SetSpacing([float(x) for x in np.asarray(spacing)])
    image.SetOrigin([float(x) for x in np.asarray(origin)])
    image.SetDirection(np.asarray(direction, dtype=float))


def as_volume(
    values: Any,
    *,
    spacing: Union[float, Sequence[float], None] = None,
    origin: Optional[Sequence[float]] = None,
    direction: Optional[ArrayLike] = None,
) -> Any:
    """An `itk.Image[itk.F, 3]` of an array (slices, rows, columns), or of an image of another pixel type.

    An array of C order and float32 is not copied: image and array share their memory, and the image keeps it alive.
    Anything else is converted. The array's first axis is ITK's last one.

    :param spacing: mm along x, y, z; one number for all three; 1 mm by default
    :param origin: centre of the first voxel, x, y, z in mm; 0 by default
    :param direction: 3 x 3, columns are the axes' directions; identity by default
    :raises TypeError: values that are no real numbers
    :raises ValueError: a shape that is no volume
    """
    image = _image(values, np.float32, itk.F, "the volume")
    if spacing is not None:
        image.SetSpacing([float(x) for x in np.broadcast_to(spacing, 3)])
    if origin is not None:
        image.SetOrigin([float(x) for x in origin])
    if direction is not None:
        image.SetDirection(np.asarray(direction, dtype=float))
    return image


def _on_detector(image: Any, view: Any, what: str) -> Any:
    """Gives the image the view's grid, which says where in the world its pixels are."""
    expected = [int(n) for n in view.GetDetectorSize()]
    size = [int(n) for n in itk.size(image)]
    if size != expected:
        hint = "; rows and columns may be exchanged" if size == [expected[1], expected[0], 1] else ""
        raise ValueError(
            f"{what} has {size[0]} columns, {size[1]} rows and {size[2]} slice(s), the view's detector "
            f"{expected[0]} columns and {expected[1]} rows (an array of the shape {(expected[1], expected[0])}){hint}"
        )
    detector = view.MakeDetectorImage()
    image.SetSpacing(detector.GetSpacing())
    image.SetOrigin(detector.GetOrigin())
    image.SetDirection(detector.GetDirection())
    return image


def as_image(values: Any, view: Any = None) -> Any:
    """An `itk.Image[itk.F, 3]` of one slice, as all filters of radiographs take it.

    :param values: an array (rows, columns) or (1, rows, columns), or an image of two dimensions or of another pixel type;
        not copied where it is float32 and in C order
    :param view: an `itk.RadiographGeometry`; the image is then laid on its detector
    :raises ValueError: a shape that is no picture, or not that of the view's detector
    """
    image = _image(values, np.float32, itk.F, "the image")
    return image if view is None else _on_detector(image, view, "the image")


def as_mask(values: Any, view: Any = None) -> Any:
    """An `itk.Image[itk.UC, 3]` of one slice: pixels that are 0 or false are left out. Parameters as `as_image`."""
    if not isinstance(values, (itk.DataObject, itk.ProcessObject)):
        values = np.asarray(values) != 0
    mask = _image(values, np.uint8, itk.UC, "the mask")
    return mask if view is None else _on_detector(mask, view, "the mask")


def array_of(image: Any) -> NDArray:
    """The pixels of an image as an array (slices, rows, columns) that shares its memory.

    The array keeps the image, but not the image its pixels: a filter that runs again writes into them, or moves them where
    there are more of them now. Take a copy, or `image.DisconnectPipeline()`, before such a filter runs again.
    """
    array = itk.array_view_from_image(itk.output(image))
    if array is None:
        raise ValueError("the image has no pixels: Update() has not run, or this output was not asked for")
    return array


def slice_of(image: Any) -> NDArray:
    """The pixels of an image of one slice as an array (rows, columns) that shares its memory."""
    array = array_of(image)
    if array.ndim == 3 and array.shape[0] != 1:
        raise ValueError(f"the image has {array.shape[0]} slices; one is expected")
    return array[0] if array.ndim == 3 else array


def center_of(image: Any) -> NDArray:
    """The middle of the voxel grid in the world, mm: the program's default isocentre and centre of rotation."""
    image = itk.output(image)
    image.UpdateOutputInformation()
    region = image.GetLargestPossibleRegion()
    index = np.asarray(list(region.GetIndex())) + (np.asarray(list(region.GetSize())) - 1) / 2
    steps = np.asarray(list(image.GetSpacing())) * index
    return np.asarray(list(image.GetOrigin())) + itk.array_from_matrix(image.GetDirection()) @ steps
