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
"""A trunk of ellipsoids as mu in 1/mm, and X-ray images of it: what examples run on where no patient is given."""

import itk
import itk_radiography as radiography
import numpy as np

# Semi-axes and centre in mm (x, y, z), and what is added to mu, 1/mm at about 60 keV.
ELLIPSOIDS = (
    ((150, 100, 170), (0, 0, 0), 0.0206),
    ((50, 70, 120), (65, -5, 25), -0.0150),
    ((45, 65, 115), (-65, -5, 20), -0.0155),
    ((18, 20, 170), (5, 65, 0), 0.0250),
    ((35, 40, 45), (-25, -20, -10), 0.0150),
    ((20, 14, 16), (60, 30, -95), 0.0200),
    ((9, 9, 60), (-110, 20, 40), 0.0300),
)


def trunk(spacing=(5.0, 5.0, 6.0), margin=12.0):
    """An itk.Image of about 320 x 220 x 360 mm around the world's origin."""
    half = np.array([150, 100, 170]) + margin
    spacing = np.asarray(spacing, dtype=float)
    size = np.ceil(2 * half / spacing).astype(int)
    origin = -0.5 * (size - 1) * spacing
    z, y, x = np.meshgrid(*(origin[a] + spacing[a] * np.arange(size[a]) for a in (2, 1, 0)), indexing="ij")
    mu = np.zeros(x.shape, dtype=np.float32)
    for axes, centre, value in ELLIPSOIDS:
        distance = sum(((p - c) / a) ** 2 for p, c, a in zip((x, y, z), centre, axes))
        mu[distance <= 1] += value
    return radiography.as_volume(mu, spacing=spacing, origin=origin)


def view(primary_angle_deg=0.0, pixels=64, pitch_mm=8.0, secondary_angle_deg=0.0):
    return radiography.c_arm(
        primary_angle_deg=primary_angle_deg,
        secondary_angle_deg=secondary_angle_deg,
        source_isocenter_mm=800,
        source_detector_mm=1200,
        pixels=pixels,
        pitch_mm=pitch_mm,
    )


def pose(rotation=(0.0, 0.0, 0.0), translation=(0.0, 0.0, 0.0)):
    """An Euler3DTransform about the origin, world points to CT points."""
    transform = itk.Euler3DTransform[itk.D].New()
    transform.SetRotation(*(float(angle) for angle in rotation))
    transform.SetTranslation([float(step) for step in translation])
    return transform


def counts(mu, geometry, transform=None, photons=10000.0, seed=1):
    """What the detector counts, with Poisson noise (none for seed 0)."""
    drr = itk.DigitallyReconstructedRadiographImageFilter.New(mu)
    drr.SetGeometry(geometry)
    if transform is not None:
        drr.SetTransform(transform)
    law = itk.TransmissionImageFilter.New(drr.GetOutput())
    law.SetOpenBeamCounts(photons)
    law.ComputeTransmissionOff()
    law.ComputeCountsOn()
    law.Update()
    if seed == 0:
        return law.GetCounts()
    noise = itk.PhotonNoiseImageFilter.New(law.GetCounts())
    noise.SetSeed(seed)
    noise.Update()
    return noise.GetOutput()
