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
"""A radiograph as a step of a PyTorch model: torch_radiograph.py

transmission(mu, pose) = exp(-L), with exact first derivatives for the volume and the pose. Tensors are on the CPU and share
their memory with ITK where they are float32. Derivatives are of first order: a second backward through them raises.
"""

import itk
import itk_radiography as radiography
import numpy as np
import phantom
import torch
from torch.autograd.function import once_differentiable


def _numpy(tensor, dtype, name):
    if tensor.device.type != "cpu":
        raise ValueError(f"{name} is on {tensor.device}; this module computes on the CPU: call {name}.cpu()")
    return tensor.detach().to(dtype).contiguous().numpy()


class Scene:
    """What is not differentiated: where the voxels are, and the view."""

    def __init__(self, grid, view, projector=None):
        self.spacing, self.origin = list(grid.GetSpacing()), list(grid.GetOrigin())
        self.direction = itk.array_from_matrix(grid.GetDirection())
        self.view = view
        self.projector = projector

    def volume(self, mu):
        array = _numpy(mu, torch.float32, "mu")
        return radiography.as_volume(array, spacing=self.spacing, origin=self.origin, direction=self.direction)

    def transform(self, pose):
        return phantom.pose(*np.split(_numpy(pose, torch.float64, "pose"), 2))

    def prepare(self, step, transform):
        """The view, transform and projector that forward and backward share."""
        step.SetGeometry(self.view)
        step.SetTransform(transform)
        if self.projector is not None:
            step.SetProjector(self.projector)
        return step


class Transmission(torch.autograd.Function):
    """mu (slices, rows, columns) in 1/mm and a pose (3 Euler angles, 3 mm; world to CT) to exp(-L) (rows, columns)."""

    @staticmethod
    def forward(ctx, mu, pose, scene):
        drr = itk.DigitallyReconstructedRadiographImageFilter.New(scene.volume(mu))
        scene.prepare(drr, scene.transform(pose))
        law = itk.TransmissionImageFilter.New(drr.GetOutput())
        law.Update()
        ctx.save_for_backward(mu, pose)
        ctx.scene, ctx.depth = scene, drr.GetOutput()
        return torch.from_numpy(radiography.slice_of(law.GetTransmission()))

    @staticmethod
    @once_differentiable
    def backward(ctx, cotangent):
        mu, pose = ctx.saved_tensors
        scene, volume, transform = ctx.scene, ctx.scene.volume(mu), ctx.scene.transform(pose)
        law = itk.TransmissionAdjointImageFilter.New(ctx.depth)
        law.SetTransmissionCotangent(radiography.as_image(_numpy(cotangent, torch.float32, "cotangent"), scene.view))
        law.Update()
        depth_cotangent = law.GetDepthCotangent()
        depth_cotangent.DisconnectPipeline()
        of_mu = of_pose = None
        if ctx.needs_input_grad[0]:
            spread = scene.prepare(itk.RadiographBackProjectionImageFilter.New(depth_cotangent), transform)
            spread.SetReferenceImage(volume)
            spread.Update()
            of_mu = torch.from_numpy(radiography.array_of(spread.GetOutput())).to(mu.dtype)
        if ctx.needs_input_grad[1]:
            rays = scene.prepare(itk.RadiographSensitivityCalculator.New(), transform)
            rays.SetImage(volume)
            rays.SetScore(depth_cotangent)
            rays.Compute()
            of_pose = torch.tensor(list(rays.GetParameterGradient()), dtype=pose.dtype)
        return of_mu, of_pose, None


def fit_pose(mu, scene, measured, steps=60):
    """Adam on a pose: angles in units of 0.01 rad, so that one rate serves all six parameters."""
    unit = torch.tensor([0.01] * 3 + [1.0] * 3, dtype=torch.float64)
    scaled = torch.zeros(6, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Adam([scaled], lr=0.5)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = ((Transmission.apply(mu, scaled * unit, scene) - measured) ** 2).sum()
        loss.backward()
        optimizer.step()
    return (scaled * unit).detach(), float(loss)


def main():
    grid = phantom.trunk((10.0, 10.0, 12.0))
    mu = torch.from_numpy(radiography.array_of(grid))
    scene = Scene(grid, phantom.view(30, 48, 12.0))
    truth = torch.tensor([0.02, -0.01, 0.03, 3.0, -2.0, 4.0], dtype=torch.float64)
    measured = Transmission.apply(mu, truth, scene)
    found, loss = fit_pose(mu, scene, measured)
    print(f"pose {[round(x, 4) for x in found.tolist()]}, true {truth.tolist()}, loss {loss:.2g}")
    return found, truth


if __name__ == "__main__":
    main()
