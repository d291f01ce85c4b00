/*=========================================================================
 *
 *  Copyright NumFOCUS
 *
 *  Licensed under the Apache License, Version 2.0 (the "License");
 *  you may not use this file except in compliance with the License.
 *  You may obtain a copy of the License at
 *
 *         https://www.apache.org/licenses/LICENSE-2.0.txt
 *
 *  Unless required by applicable law or agreed to in writing, software
 *  distributed under the License is distributed on an "AS IS" BASIS,
 *  WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 *  See the License for the specific language governing permissions and
 *  limitations under the License.
 *
 *=========================================================================*/
#ifndef radiography_kernel_FlatField_h
#define radiography_kernel_FlatField_h

#include "kernel/HostDevice.h"

#include <cmath>

namespace radiography::kernel
{

/** One pixel's readings in binary32: of the object, without a beam, and of the open beam. */
struct PixelReadings
{
  float raw{ 0.0f };
  float dark{ 0.0f };
  float flat{ 0.0f };
};

/** The noise of single readings: variance = gain x (mean - dark) + electronicVariance, both in detector units. */
struct ReadingNoise
{
  double gain{ 1.0 };
  double electronicVariance{ 0.0 };
  /** Frames that the dark and the flat image are means of. */
  double darkFrames{ 1.0 };
  double flatFrames{ 1.0 };
};

/** T^ = (raw - dark) / (flat - dark), for flat > dark. */
RADIOGRAPHY_HD inline double
CorrectedTransmission(const PixelReadings & pixel)
{
  const double dark = pixel.dark;
  return (pixel.raw - dark) / (pixel.flat - dark);
}

/** -ln T^, for flat > dark and raw > dark. Near T^ = 1 through the difference flat - raw, which T^ has lost. */
RADIOGRAPHY_HD inline double
ApparentDepth(const PixelReadings & pixel)
{
  const double transmission = CorrectedTransmission(pixel);
  if (transmission > 0.5 && transmission < 2.0)
  {
    const double raw = pixel.raw;
    return std::log1p((pixel.flat - raw) / (raw - pixel.dark));
  }
  return -std::log(transmission);
}

/** The variance of T^ to first order, for flat > dark: the squares of its derivatives by raw, flat and dark, which are
 * 1, -T^ and T^ - 1 over flat - dark, times the variances of the three (JCGM 100:2008, equation 10: they are
 * independent). Negative if the noise model gives the raw reading a negative variance. */
RADIOGRAPHY_HD inline double
TransmissionVariance(const PixelReadings & pixel, const ReadingNoise & noise)
{
  const double dark = pixel.dark;
  const double open = pixel.flat - dark;
  const double transmission = (pixel.raw - dark) / open;
  const double rawVariance = noise.gain * (pixel.raw - dark) + noise.electronicVariance;
  const double flatVariance = (noise.gain * open + noise.electronicVariance) / noise.flatFrames;
  const double darkVariance = noise.electronicVariance / noise.darkFrames;
  const double byDark = 1.0 - transmission;
  return rawVariance < 0.0
           ? rawVariance
           : (rawVariance + transmission * transmission * flatVariance + byDark * byDark * darkVariance) / open / open;
}

} // namespace radiography::kernel

#endif
