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
"""ITK's own optimizers drive the Poisson metric: itk_optimizers.py

A trunk is registered to one noisy frontal and one lateral image, through itk.ImageRegistrationMethodv4. The module's own
itk.RadiographRegistrationMethod does more (pyramid, starts, verdict); this is for who has a pipeline already.
"""

import itk
import numpy as np
import phantom

IMAGE = itk.Image[itk.F, 3]


def make_metric(mu, images, views, photons):
    metric = itk.PoissonRadiographToVolumeMetricv4.New()
    metric.SetOpenBeamCounts(photons)
    metric.SetGeometry(views[0])  # of the fixed image, which the registration method sets
    for image, view in zip(images[1:], views[1:]):
        metric.AddView(image, view)
    metric.SetMovingImage(mu)
    return metric


def gradient_descent():
    optimizer = itk.RegularStepGradientDescentOptimizerv4[itk.D].New()
    optimizer.SetNumberOfIterations(200)
    optimizer.SetLearningRate(4.0)
    optimizer.SetMinimumStepLength(1e-4)
    return optimizer


def conjugate_gradient():
    optimizer = itk.ConjugateGradientLineSearchOptimizerv4Template[itk.D].New()
    optimizer.SetNumberOfIterations(60)
    optimizer.SetLearningRate(1.0)
    optimizer.SetMinimumConvergenceValue(1e-9)
    optimizer.SetConvergenceWindowSize(8)
    optimizer.SetEpsilon(1e-3)
    return optimizer


OPTIMIZERS = {"gradient descent": gradient_descent, "conjugate gradient": conjugate_gradient}


def scales_for(metric):
    """Degrees and millimetres become comparable: by the information that the images have on each."""
    scales = itk.RegistrationParameterScalesFromFisherInformation.New()
    scales.SetMetric(metric)
    return scales


def register(mu, images, views, photons, optimizer, start):
    metric = make_metric(mu, images, views, photons)
    optimizer.SetScalesEstimator(scales_for(metric))
    method = itk.ImageRegistrationMethodv4[IMAGE, IMAGE].New()
    method.SetFixedImage(images[0])
    method.SetMovingImage(mu)
    method.SetMetric(metric)
    method.SetOptimizer(optimizer)
    method.SetInitialTransform(start)
    method.SetNumberOfLevels(1)
    method.SetSmoothingSigmasPerLevel([0.0])  # smoothed counts are no counts
    method.SetShrinkFactorsPerLevel([1])
    method.InPlaceOff()
    method.Update()
    return itk.down_cast(method.GetTransform())


def largest_error(transform, truth):
    """mm, at the corners of a box of 200 mm."""
    corners = 100.0 * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    inverse = truth.GetInverseTransform()
    moved = [inverse.TransformPoint(transform.TransformPoint(corner.tolist())) for corner in corners]
    return float(np.linalg.norm(np.array([list(p) for p in moved]) - corners, axis=1).max())


def main():
    mu = phantom.trunk((10.0, 10.0, 12.0))
    views = [phantom.view(0, 40, 14.0), phantom.view(90, 40, 14.0)]
    truth, photons = phantom.pose((0.03, -0.02, 0.04), (4, -6, 5)), 10000.0
    images = [phantom.counts(mu, view, truth, photons, seed) for seed, view in enumerate(views, 1)]
    errors = {}
    for name, make in OPTIMIZERS.items():
        found = register(mu, images, views, photons, make(), phantom.pose())
        errors[name] = largest_error(found, truth)
        print(f"{name}: from {largest_error(phantom.pose(), truth):.2f} mm to {errors[name]:.3f} mm")
    return errors


if __name__ == "__main__":
    main()
