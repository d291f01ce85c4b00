"""The volume and the views that every projector gets: one cone, whatever the number of voxels and pixels."""

import itk
import numpy as np

SIDE_MM = 256.0
DETECTOR_MM = 400.0
SOURCE_TO_MIDDLE_MM = 1000.0
SOURCE_TO_DETECTOR_MM = 1500.0
AXES = "xyz"

# Ellipsoids: middle and half axes in mm, what each adds to mu in 1/mm. Air all round, so that projectors which end the
# volume at the centres of its outermost voxels lose nothing.
ELLIPSOIDS = [
    ((0, 0, 0), (105, 80, 110), 0.020),
    ((-45, -5, 10), (35, 50, 70), -0.014),
    ((45, -5, 10), (35, 50, 70), -0.014),
    ((0, 55, 0), (14, 14, 95), 0.025),
    *(((-60 + 20 * i, 10 * (i % 3), -90 + 7 * i), (3, 3, 3), 0.03) for i in range(7)),
]
TEXTURE_MM = 11.0
TEXTURE = 0.001


def make_slice(x, y, z):
    """mu in the plane z. Edges are 2 mm wide; inside the body a texture keeps any voxel from being like its neighbour."""
    mu = np.zeros((y.size, x.size))
    for number, (middle, half, added) in enumerate(ELLIPSOIDS):
        squares = [((at - m) / h) ** 2 for at, m, h in zip((x[None, :], y[:, None], z), middle, half)]
        inside = np.clip((1.0 - np.sqrt(sum(squares))) * min(half) / 2.0 + 0.5, 0.0, 1.0)
        mu += added * inside
        if number == 0:
            waves = [np.sin(2 * np.pi * at / TEXTURE_MM) for at in (x[None, :], y[:, None], z)]
            mu += TEXTURE * inside * waves[0] * waves[1] * waves[2]
    return mu


def make_volume(voxels):
    """A cube of SIDE_MM about the world's origin, mu in 1/mm, binary32."""
    pitch = SIDE_MM / voxels
    centres = (np.arange(voxels) - 0.5 * (voxels - 1)) * pitch
    values = np.empty((voxels, voxels, voxels), dtype=np.float32)
    for k, z in enumerate(centres):
        values[k] = np.maximum(make_slice(centres, centres, z), 0.0)
    image = itk.image_view_from_array(values)
    image.SetSpacing([pitch] * 3)
    image.SetOrigin([float(centres[0])] * 3)
    return image, values


def make_view(axis, roll_degrees, pixels, pitch=None, middle=(0.0, 0.0, 0.0)):
    """A view file's content: principal ray along an axis through `middle`, the detector rolled about it."""
    along = np.eye(3)[AXES.index(axis)]
    column, row = (np.eye(3)[a] for a in range(3) if AXES[a] != axis)
    angle = np.deg2rad(roll_degrees)
    column, row = np.cos(angle) * column + np.sin(angle) * row, np.cos(angle) * row - np.sin(angle) * column
    pitch = pitch or DETECTOR_MM / pixels
    source = np.array(middle) - SOURCE_TO_MIDDLE_MM * along
    origin = source + SOURCE_TO_DETECTOR_MM * along - 0.5 * (pixels - 1) * pitch * (column + row)
    return {
        "radiography_view": 1,
        "beam": "cone",
        "source_mm": source.tolist(),
        "detector": {
            "origin_mm": origin.tolist(),
            "column_direction": column.tolist(),
            "row_direction": row.tolist(),
            "spacing_mm": [pitch, pitch],
            "size": [pixels, pixels],
        },
    }
