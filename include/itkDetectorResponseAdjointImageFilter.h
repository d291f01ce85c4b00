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
#ifndef itkDetectorResponseAdjointImageFilter_h
#define itkDetectorResponseAdjointImageFilter_h

#include "itkTransmissionAdjointBase.h"

namespace itk
{

/** \class DetectorResponseAdjointImageFilter
 * \brief The derivatives of an objective with respect to counts, gain, scatter and offset, from those with respect to
 * DetectorResponseImageFilter's readings g (lambda + s) + b.
 *
 * With the cotangent c of the readings: counts cotangent g c per pixel, gain' = sum of c (lambda + s), scatter' = g
 * times the sum of c, offset' = sum of c. The primary input is the counts image lambda of the forward, unmodified. The
 * sums run over the whole image, which is always processed, in binary64 and a fixed order: the same bits for any number
 * of threads. The three sums are of this pass alone: add them up for several passes.
 *
 * Consumption, accumulation, range errors and checks are those of TransmissionAdjointBase. The scalars are binary64,
 * and out of range where that cannot hold them.
 *
 * \throws ExceptionObject before anything is written: a bad gain or scatter; no reading cotangent; a NaN or infinite
 * one, or counts that are NaN, infinite or negative (in checked mode), named by index and value; a gradient out of
 * range; memory shared between the output and an input; counts that were themselves computed as a derivative.
 *
 * \sa DetectorResponseImageFilter
 * \ingroup Radiography */
class Radiography_EXPORT DetectorResponseAdjointImageFilter : public TransmissionAdjointBase
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(DetectorResponseAdjointImageFilter);

  using Self = DetectorResponseAdjointImageFilter;
  using Superclass = TransmissionAdjointBase;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(DetectorResponseAdjointImageFilter);

  /** g, detector units per count; 1 by default. */
  itkSetMacro(Gain, double);
  itkGetConstMacro(Gain, double);

  /** s, counts; 0 by default. */
  itkSetMacro(Scatter, double);
  itkGetConstMacro(Scatter, double);

  /** c, on the grid of the counts. */
  void
  SetReadingCotangent(const ImageType * image);
  /** c or null. */
  const ImageType *
  GetReadingCotangent() const;

  /** What the counts cotangent is added to: same grid as the counts; null for nothing. */
  void
  SetAccumulatedCountsCotangent(const ImageType * image);
  /** What the counts cotangent is added to, or null. */
  const ImageType *
  GetAccumulatedCountsCotangent() const;

  /** g c, on the grid of the counts. */
  ImageType *
  GetCountsCotangent();
  /** The sum of c (lambda + s), valid after Update(). */
  itkGetConstMacro(GainCotangent, double);
  /** g times the sum of c, valid after Update(). */
  itkGetConstMacro(ScatterCotangent, double);
  /** The sum of c, valid after Update(). */
  itkGetConstMacro(OffsetCotangent, double);

protected:
  DetectorResponseAdjointImageFilter();
  ~DetectorResponseAdjointImageFilter() override;

  bool
  NeedsWholeImage() const override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  VerifyPreconditions() ITKv5_CONST override;
  void
  RefuseBadPrimals(const RegionType & region) override;
  void
  RefuseGradientsOutOfRange(const RegionType & region) override;
  void
  WriteGradients(const RegionType & region) override;

private:
  double m_Gain{ 1.0 };
  double m_Scatter{ 0.0 };
  double m_GainCotangent{ 0.0 };
  double m_ScatterCotangent{ 0.0 };
  double m_OffsetCotangent{ 0.0 };
};

} // namespace itk

#endif
