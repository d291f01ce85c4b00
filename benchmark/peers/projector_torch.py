"""nanodrr and DiffDRR on the CPU: depths, and the derivatives of their sum with respect to the pose, a 3 x 4 matrix.

Both get the rays in the camera's coordinates, source at the origin, and the pose as the camera-to-world matrix, so that
no convention of theirs on angles or on left and right comes in.
"""

import time

import itk
import numpy as np
import torch
from diffdrr import renderers
from nanodrr.data import Subject
from nanodrr.drr import DRR

from projector_contenders import Times

# Both libraries' default number of samples of a ray.
SAMPLES = 500


def camera_to_world(content):
    """Third axis: from the source, perpendicular to the detector; the first two as columns and rows."""
    detector = content["detector"]
    source, origin = np.array(content["source_mm"]), np.array(detector["origin_mm"])
    column, row = np.array(detector["column_direction"]), np.array(detector["row_direction"])
    way = origin - source
    away = way - column * (way @ column) - row * (way @ row)
    distance = np.linalg.norm(away)
    matrix = np.eye(4)
    matrix[:3, :] = np.stack([column, row, away / distance, source], axis=1)
    return torch.tensor(matrix, dtype=torch.float32), float(distance)


def voxel_to_world(image):
    matrix = torch.eye(4, dtype=torch.float64)
    matrix[:3, :3] = torch.diag(torch.tensor(list(image.GetSpacing()), dtype=torch.float64))
    matrix[:3, 3] = torch.tensor(list(image.GetOrigin()), dtype=torch.float64)
    return matrix


class Nanodrr:
    name = "nanodrr"

    def __init__(self, image):
        values = torch.from_numpy(itk.array_from_image(image))[None, None]
        to_world = voxel_to_world(image)
        self.subject = Subject(values, torch.zeros_like(values), to_world.float(), to_world.inverse().float(),
                               Subject._make_voxel_to_grid(values.shape), torch.zeros(3), convert_to_mu=False)

    def prepare(self, content, distance):
        (columns, rows), (dx, dy) = content["detector"]["size"], content["detector"]["spacing_mm"]
        drr = DRR.from_carm_intrinsics(distance, dx, dy, 0.0, 0.0, rows, columns)
        return lambda pose: drr(self.subject, pose[None], n_samples=SAMPLES)[0]


class DiffDRR:
    def __init__(self, image, renderer, **options):
        self.name = f"DiffDRR, {renderer}"
        self.options = options
        self.renderer = getattr(renderers, renderer)()
        # Its arrays are [x, y, z].
        self.values = torch.from_numpy(itk.array_from_image(image)).permute(2, 1, 0).contiguous()
        self.to_voxel = voxel_to_world(image).inverse().float()

    def prepare(self, content, distance):
        """As its class DRR renders: lengths in the world, then the rays in voxels."""
        (columns, rows), (dx, dy) = content["detector"]["size"], content["detector"]["spacing_mm"]
        y, x = torch.meshgrid((torch.arange(rows) - 0.5 * (rows - 1)) * dy,
                              (torch.arange(columns) - 0.5 * (columns - 1)) * dx, indexing="ij")
        target = torch.stack([x, y, torch.full_like(x, distance)], dim=-1).reshape(1, -1, 3)
        source = torch.zeros(1, 1, 3)
        length = target.norm(dim=-1)[:, None]

        def render(pose):
            matrix = self.to_voxel @ pose
            ends = [points @ matrix[:3, :3].T + matrix[:3, 3] for points in (source, target)]
            return self.renderer(self.values, *ends, length, **self.options).reshape(1, rows, columns)

        return render


class Rendering:
    """A library's forward rendering, or the same with the pose's derivatives."""

    def __init__(self, library, operation):
        self.library = library
        self.name = library.name
        self.operation = operation

    def time(self, view, threads, calls, want_image=False):
        torch.set_num_threads(threads)
        pose, distance = camera_to_world(view.content)
        render = self.library.prepare(view.content, distance)
        call = self.forward if self.operation == "forward" else self.gradient
        results = [call(render, pose) for _ in range(calls + 1)]
        elapsed, cpu = zip(*(seconds for _, seconds in results[1:]))
        result = results[-1][0].numpy().astype(np.float64)
        found = {"image": result} if self.operation == "forward" else {"gradient": result[:3, 3]}
        return Times([1e3 * s for s in elapsed], [1e3 * s for s in cpu], f"torch {torch.__version__}, CPU", **found)

    @staticmethod
    def forward(render, pose):
        begin = time.perf_counter(), time.process_time()
        with torch.no_grad():
            depths = render(pose)
        return depths, (time.perf_counter() - begin[0], time.process_time() - begin[1])

    @staticmethod
    def gradient(render, pose):
        pose = pose.clone().requires_grad_()
        begin = time.perf_counter(), time.process_time()
        render(pose).sum().backward()
        return pose.grad, (time.perf_counter() - begin[0], time.process_time() - begin[1])


def find(image):
    libraries = [Nanodrr(image), DiffDRR(image, "Trilinear", n_points=SAMPLES), DiffDRR(image, "Siddon")]
    return [Rendering(library, operation) for library in libraries for operation in ("forward", "gradient")]
