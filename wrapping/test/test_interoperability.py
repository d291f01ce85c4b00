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
"""The examples, and other packages on both sides of them."""

import itk
import itk_radiography as radiography
import numpy as np
import phantom
import pytest


def test_a_dicom_folder_becomes_a_picture(data, tmp_path):
    pytest.importorskip("matplotlib")
    import dicom_to_drr

    drr = dicom_to_drr.main(str(data / "ct-messy-folder"), tmp_path / "drr.png")
    assert radiography.slice_of(drr).max() > 1
    assert (tmp_path / "drr.png").read_bytes().startswith(b"\x89PNG")


def test_images_from_simpleitk_and_back(tmp_path):
    sitk = pytest.importorskip("SimpleITK")
    import simpleitk_images

    array = np.random.default_rng(6).random((4, 5, 7), dtype=np.float32)
    image = sitk.GetImageFromArray(array)
    image.SetSpacing((1, 2, 3))
    image.SetOrigin((-4, 5, 6))
    image.SetDirection((0, 1, 0, 1, 0, 0, 0, 0, -1))
    here = simpleitk_images.from_simpleitk(image)
    assert list(itk.size(here)) == list(image.GetSize()) == [7, 5, 4]
    index = (6, 1, 3)
    assert here.GetPixel(index) == image.GetPixel(*index)
    assert np.allclose(
        list(here.TransformIndexToPhysicalPoint(index)), image.TransformIndexToPhysicalPoint(index), atol=1e-12
    )
    again = simpleitk_images.to_simpleitk(here)
    assert sitk.Hash(again) == sitk.Hash(image)
    for get in ("GetSpacing", "GetOrigin", "GetDirection"):
        assert getattr(again, get)() == getattr(image, get)()


def test_a_drr_of_simpleitk_s_file(tmp_path, trunk):
    sitk = pytest.importorskip("SimpleITK")
    import simpleitk_images

    hounsfield = simpleitk_images.to_simpleitk(trunk) * 48000 - 1000
    sitk.WriteImage(hounsfield, str(tmp_path / "ct.nrrd"))
    simpleitk_images.main(str(tmp_path / "ct.nrrd"), str(tmp_path / "drr.nrrd"))
    drr = sitk.ReadImage(str(tmp_path / "drr.nrrd"))
    assert drr.GetSize() == (256, 192, 1) and sitk.GetArrayViewFromImage(drr).max() > 1


def euler():
    transform = phantom.pose((0.1, -0.2, 0.3), (4.5, -5.25, 6.125))
    transform.SetCenter([10.0, 20.0, 30.0])
    return transform


def affine():
    transform = itk.AffineTransform[itk.D, 3].New()
    transform.SetMatrix(itk.matrix_from_array(np.array([[1.1, 0.1, 0.0], [-0.05, 0.9, 0.2], [0.0, 0.03, 1.05]])))
    transform.SetCenter([1.0, 2.0, 3.0])
    transform.SetTranslation([7.0, 8.0, 9.0])
    return transform


def composite():
    transform = itk.CompositeTransform[itk.D, 3].New()
    transform.AddTransform(affine())
    transform.AddTransform(euler())
    return transform


@pytest.mark.parametrize("make", [euler, affine, composite])
def test_transforms_written_here_open_in_simpleitk(make, tmp_path):
    pytest.importorskip("SimpleITK")
    import simpleitk_transforms

    path = str(tmp_path / "here.tfm")
    itk.transformwrite(make(), path)
    assert simpleitk_transforms.main(path) <= 1e-9


@pytest.mark.parametrize("kind", ["euler", "affine", "composite"])
def test_transforms_of_simpleitk_open_here(kind, tmp_path, trunk):
    sitk = pytest.importorskip("SimpleITK")
    import simpleitk_transforms

    rigid = sitk.Euler3DTransform((10, 20, 30), 0.1, -0.2, 0.3, (4.5, -5.25, 6.125))
    stretched = sitk.AffineTransform(np.array([[1.1, 0.1, 0], [-0.05, 0.9, 0.2], [0, 0.03, 1.05]]).ravel(), (7, 8, 9))
    theirs = {"euler": rigid, "affine": stretched, "composite": sitk.CompositeTransform([stretched, rigid])}[kind]
    path = str(tmp_path / "theirs.tfm")
    sitk.WriteTransform(theirs, path)
    assert simpleitk_transforms.main(path) <= 1e-9
    # And a view takes it as the pose.
    drr = itk.DigitallyReconstructedRadiographImageFilter.New(trunk, Geometry=phantom.view())
    drr.SetTransform(simpleitk_transforms.read_transform(path))
    drr.Update()
    assert radiography.slice_of(drr.GetOutput()).max() > 1


def test_a_registration_s_pose_opens_in_simpleitk(two_views, trunk, tmp_path):
    sitk = pytest.importorskip("SimpleITK")
    import simpleitk_transforms

    views, _, images = two_views
    found = radiography.register(trunk, images, views, open_beam_counts=1e4, full_resolution=False)
    path = str(tmp_path / "pose.tfm")
    itk.transformwrite(found.transform, path)
    theirs = sitk.ReadTransform(path)
    assert theirs.GetName() == "Euler3DTransform"
    points = np.random.default_rng(3).uniform(-300, 300, (50, 3))
    assert simpleitk_transforms.largest_difference(found.transform, theirs, points) <= 1e-9


def test_drrs_in_rtk_s_views_are_rtk_s(tmp_path):
    """RTK's Joseph integrates between the outermost voxel centres; within a rim of air the two agree."""
    if not hasattr(itk, "RTK"):
        pytest.skip("itk-rtk is not installed")
    import rtk_geometry

    rtk = itk.RTK
    mu = phantom.trunk((8.0, 8.0, 8.0), margin=40.0)
    geometry = rtk.ThreeDCircularProjectionGeometry.New()
    for angle in (0.0, 70.0):
        geometry.AddProjection(1000.0, 1500.0, angle)
    writer = rtk.ThreeDCircularProjectionGeometryXMLFileWriter.New()
    writer.SetFilename(str(tmp_path / "geometry.xml"))
    writer.SetObject(geometry)
    writer.WriteFile()
    ours = rtk_geometry.project(tmp_path / "geometry.xml", mu, (48, 40), 10.0, (-235.0, -195.0))
    stack = itk.image_from_array(np.zeros((2, 40, 48), np.float32))
    stack.SetSpacing([10, 10, 1])
    stack.SetOrigin([-235, -195, 0])
    image_type = itk.Image[itk.F, 3]
    joseph = rtk.JosephForwardProjectionImageFilter[image_type, image_type].New()
    joseph.SetInput(0, stack)
    joseph.SetInput(1, mu)
    joseph.SetGeometry(geometry)
    joseph.Update()
    theirs = radiography.array_of(joseph.GetOutput())
    assert ours.shape == theirs.shape and ours.max() > 2
    assert np.abs(ours - theirs).max() < 0.02 * ours.max()
    assert np.abs(ours - theirs).mean() < 1e-3 * ours.max()


class TestTorch:
    """A radiograph in PyTorch's graph."""

    @pytest.fixture(scope="class")
    def scene(self):
        pytest.importorskip("torch")
        import torch_radiograph

        grid = phantom.trunk((16.0, 16.0, 16.0))
        joseph_exact = itk.DigitallyReconstructedRadiographImageFilterEnums.Projector_CellGauss
        return grid, torch_radiograph.Scene(grid, phantom.view(30, (20, 16), 25.0), joseph_exact)

    def test_values_are_the_filters(self, scene):
        import torch
        import torch_radiograph

        grid, where = scene
        mu = torch.from_numpy(radiography.array_of(grid))
        pose = torch.tensor([0.1, 0, 0, 1, 2, 3], dtype=torch.float64)
        drr = itk.DigitallyReconstructedRadiographImageFilter.New(grid, Geometry=where.view)
        drr.SetTransform(where.transform(pose))
        drr.SetProjector(where.projector)
        drr.Update()
        expected = np.exp(-radiography.slice_of(drr.GetOutput()).astype(float))
        actual = torch_radiograph.Transmission.apply(mu, pose, where)
        np.testing.assert_allclose(actual.numpy(), expected, rtol=3e-7)

    def test_gradients_against_differences(self, scene):
        import torch
        import torch_radiograph

        grid, where = scene
        mu = torch.from_numpy(radiography.array_of(grid).copy()).requires_grad_()
        pose = torch.tensor([0.1, -0.05, 0.02, 1, 2, 3], dtype=torch.float64, requires_grad=True)
        weights = torch.from_numpy(np.random.default_rng(8).normal(size=(16, 20)).astype(np.float32))
        (torch_radiograph.Transmission.apply(mu, pose, where) * weights).sum().backward()

        def objective(volume, values):
            with torch.no_grad():
                return float((torch_radiograph.Transmission.apply(volume, values, where).double() * weights).sum())

        direction = torch.from_numpy(np.random.default_rng(9).random(mu.shape).astype(np.float32)) * mu.detach()
        step = 1e-3
        up, down = (objective(mu.detach() + sign * step * direction, pose.detach()) for sign in (1, -1))
        assert float((mu.grad * direction).sum()) == pytest.approx((up - down) / (2 * step), rel=5e-3)
        largest = float(pose.grad.abs().max())
        for number, step in enumerate([1e-4] * 3 + [1e-2] * 3):
            offset = step * torch.eye(6, dtype=torch.float64)[number]
            up, down = (objective(mu.detach(), pose.detach() + sign * offset) for sign in (1, -1))
            assert float(pose.grad[number]) == pytest.approx((up - down) / (2 * step), rel=0.01, abs=1e-3 * largest)

    def test_a_second_derivative_raises(self, scene):
        import torch
        import torch_radiograph

        grid, where = scene
        mu = torch.from_numpy(radiography.array_of(grid).copy()).requires_grad_()
        pose = torch.zeros(6, dtype=torch.float64, requires_grad=True)
        value = (torch_radiograph.Transmission.apply(mu, pose, where) ** 2).sum()
        (of_mu,) = torch.autograd.grad(value, mu, create_graph=True)
        with pytest.raises(RuntimeError, match="once_differentiable"):
            of_mu.sum().backward()

    def test_memory_is_shared_with_itk(self, scene):
        import torch

        grid, where = scene
        mu = torch.from_numpy(radiography.array_of(grid))
        assert radiography.array_of(where.volume(mu)).__array_interface__["data"][0] == mu.data_ptr()

    def test_a_pose_is_fitted(self, scene):
        import torch_radiograph

        found, truth = torch_radiograph.main()
        assert (found - truth)[3:].abs().max() < 0.5 and (found - truth)[:3].abs().max() < 0.005
