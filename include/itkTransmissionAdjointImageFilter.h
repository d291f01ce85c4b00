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
#ifndef itkTransmissionAdjointImageFilter_h
#define itkTransmissionAdjointImageFilter_h

#include "itkTransmissionAdjointBase.h"
#include "itkTransmissionImageFilter.h"

namespace itk
{

/** \class TransmissionAdjointImageFilter
 * \brief The derivatives of an objective with respect to optical depth and open beam, from those with respect to
 * TransmissionImageFilter's outputs.
 *
 * With cotangents T', lambda', l' and r' of transmission, counts, log transmission and removed fraction, any non-empty
 * subset of which is given (what is not counts as zero):
 * - depth cotangent L' = (r' - T') exp(-L) - lambda' n0 exp(-L) - l', per pixel;
 * - open-beam cotangent n0' = lambda' exp(-L), per pixel, or summed over all pixels where one n0 holds for all.
 *
 * The primary input is the depth image. n0 is given in the forms of TransmissionImageFilter; a number is fixed, an
 * image is fixed unless OpenBeamActiveOn() declares that its derivative is wanted. exp(-L) is evaluated in binary64
 * from the original depth, never from stored outputs, and n0' is never counts / n0: large cotangents of an underflowed
 * transmission survive and n0 = 0 is valid. The error of a result is within the rounding to binary32 plus 20 times
 * 2^-53 of the sum of the magnitudes of its terms; for one n0, plus 256 and the number of levels of the fixed summation
 * tree times 2^-53 of the sum over all pixels. The same bits for any number of threads and any requested region; a
 * summed n0' always processes the whole image.
 *
 * SetForward() takes depth, n0 and its form from a forward filter and makes sure at Update() that they still are what
 * it evaluated: the inputs of the forward are needed unmodified.
 *
 * Consumption, accumulation, range errors and checks are those of TransmissionAdjointBase.
 *
 * \throws ExceptionObject before anything is written: no cotangent; a counts cotangent without n0; an active n0 that is
 * no image; images that do not fit the depths or their form; a NaN or infinite cotangent, a bad depth or n0 (in checked
 * mode), named by index and value; a gradient out of range; memory shared between an output and an input; inputs that
 * changed since the forward; a depth or n0 that was itself computed as a derivative.
 *
 * \sa TransmissionImageFilter
 * \ingroup Radiography */
class Radiography_EXPORT TransmissionAdjointImageFilter : public TransmissionAdjointBase
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(TransmissionAdjointImageFilter);

  using Self = TransmissionAdjointImageFilter;
  using Superclass = TransmissionAdjointBase;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(TransmissionAdjointImageFilter);

  using OpenBeamFormEnum = TransmissionImageFilterEnums::OpenBeamForm;

  /** Takes depth image, n0 and its form from `forward`, which must be up to date when this filter executes. Null
   * forgets the forward filter and keeps the inputs. */
  void
  SetForward(const TransmissionImageFilter * forward);
  /** The forward filter, or null. */
  itkGetConstObjectMacro(Forward, TransmissionImageFilter);

  /** n0 as one number, in counts. */
  void
  SetOpenBeamCounts(double counts);
  /** The number given, after rounding to binary32; 0 where the form is another. */
  itkGetConstMacro(OpenBeamCounts, double);
  /** n0 per pixel: same grid as the depth image. */
  void
  SetOpenBeamCountsImage(const ImageType * image);
  /** One n0 for all pixels, held by an image of one pixel. */
  void
  SetSharedOpenBeamCountsImage(const ImageType * image);
  /** The image of either form, or null. */
  const ImageType *
  GetOpenBeamCountsImage() const;
  /** No n0. */
  void
  ClearOpenBeamCounts();
  /** The form that was set last. */
  itkGetEnumMacro(OpenBeamForm, OpenBeamFormEnum);

  /** Whether the open-beam cotangent is computed. Off by default. */
  itkSetMacro(OpenBeamActive, bool);
  itkGetConstMacro(OpenBeamActive, bool);
  itkBooleanMacro(OpenBeamActive);

  /** T', of the same grid as the depths, like all cotangents; null for none. */
  void
  SetTransmissionCotangent(const ImageType * image);
  /** T' or null. */
  const ImageType *
  GetTransmissionCotangent() const;
  /** lambda'. */
  void
  SetCountsCotangent(const ImageType * image);
  /** lambda' or null. */
  const ImageType *
  GetCountsCotangent() const;
  /** l'. */
  void
  SetLogTransmissionCotangent(const ImageType * image);
  /** l' or null. */
  const ImageType *
  GetLogTransmissionCotangent() const;
  /** r'. */
  void
  SetRemovedCotangent(const ImageType * image);
  /** r' or null. */
  const ImageType *
  GetRemovedCotangent() const;

  /** What the depth cotangent is added to: same grid as the depths; null for nothing. */
  void
  SetAccumulatedDepthCotangent(const ImageType * image);
  /** What the depth cotangent is added to, or null. */
  const ImageType *
  GetAccumulatedDepthCotangent() const;
  /** What the open-beam cotangent is added to: same size as the n0 image; null for nothing. */
  void
  SetAccumulatedOpenBeamCotangent(const ImageType * image);
  /** What the open-beam cotangent is added to, or null. */
  const ImageType *
  GetAccumulatedOpenBeamCotangent() const;

  /** L', on the grid of the depths. */
  ImageType *
  GetDepthCotangent();
  /** n0', on the grid of the n0 image; without pixels unless n0 is active. */
  ImageType *
  GetOpenBeamCotangent();

protected:
  TransmissionAdjointImageFilter();
  ~TransmissionAdjointImageFilter() override;

  bool
  IsOnePixel(const std::string & inputName) const override;
  bool
  NeedsWholeImage() const override;
  bool
  IsWanted(unsigned int output) const override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  VerifyPreconditions() ITKv5_CONST override;
  void
  GenerateOutputInformation() override;
  void
  GenerateData() override;
  void
  RefuseBadPrimals(const RegionType & region) override;
  void
  RefuseGradientsOutOfRange(const RegionType & region) override;
  void
  WriteGradients(const RegionType & region) override;

private:
  void
  SetOpenBeamImage(const ImageType * image, OpenBeamFormEnum form);
  void
  RefuseOtherInputsThanForward() const;

  TransmissionImageFilter::ConstPointer m_Forward;

  OpenBeamFormEnum m_OpenBeamForm{ OpenBeamFormEnum::None };
  double           m_OpenBeamCounts{ 0.0 };
  bool             m_OpenBeamActive{ false };
  // n0' of one n0 for all pixels, between the range check and the writing.
  double m_SharedOpenBeamCotangent{ 0.0 };
};

} // namespace itk

#endif
