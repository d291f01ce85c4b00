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
#ifndef itkOpticalDepthAdjointImageFilter_h
#define itkOpticalDepthAdjointImageFilter_h

#include "itkTransmissionAdjointBase.h"

namespace itk
{

/** \class OpticalDepthAdjointImageFilter
 * \brief The derivatives of an objective with respect to decrements, from those with respect to
 * OpticalDepthImageFilter's depths: delta' = L' / (1 - delta).
 *
 * The primary input is the decrement image delta of the forward, unmodified. The derivative grows as delta approaches
 * 1: that is the conditioning of the inverse, and nothing is clamped.
 *
 * Consumption, accumulation, range errors and checks are those of TransmissionAdjointBase.
 *
 * \throws ExceptionObject before anything is written: no depth cotangent; a NaN or infinite one, or a decrement that is
 * not in [0, 1) (in checked mode), named by index and value; a gradient out of range; memory shared between the output
 * and an input; decrements that were themselves computed as a derivative.
 *
 * \ingroup Radiography */
class Radiography_EXPORT OpticalDepthAdjointImageFilter : public TransmissionAdjointBase
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(OpticalDepthAdjointImageFilter);

  using Self = OpticalDepthAdjointImageFilter;
  using Superclass = TransmissionAdjointBase;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(OpticalDepthAdjointImageFilter);

  /** L', on the grid of the decrements. */
  void
  SetDepthCotangent(const ImageType * image);
  /** L' or null. */
  const ImageType *
  GetDepthCotangent() const;

  /** What the decrement cotangent is added to: same grid as the decrements; null for nothing. */
  void
  SetAccumulatedDecrementCotangent(const ImageType * image);
  /** What the decrement cotangent is added to, or null. */
  const ImageType *
  GetAccumulatedDecrementCotangent() const;

  /** delta', on the grid of the decrements. */
  ImageType *
  GetDecrementCotangent();

protected:
  OpticalDepthAdjointImageFilter();
  ~OpticalDepthAdjointImageFilter() override;

  void
  RefuseBadPrimals(const RegionType & region) override;
  void
  RefuseGradientsOutOfRange(const RegionType & region) override;
  void
  WriteGradients(const RegionType & region) override;
};

} // namespace itk

#endif
