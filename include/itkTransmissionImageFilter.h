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
#ifndef itkTransmissionImageFilter_h
#define itkTransmissionImageFilter_h

#include "RadiographyExport.h"
#include "itkRadiographyMacros.h"

#include "itkImageToImageFilter.h"

#include <array>
#include <string>

namespace itk
{

/** \class TransmissionImageFilterEnums
 * \brief The declared forms of TransmissionImageFilter's open-beam mean n0.
 * \ingroup Radiography */
class TransmissionImageFilterEnums
{
public:
  enum class OpenBeamForm : uint8_t
  {
    /** Not given: no counts can be computed. */
    None = 0,
    /** One plain number, rounded to binary32. Never differentiated. */
    Number = 1,
    /** An image of exactly one pixel that holds for every pixel of the depth image. */
    SharedImage = 2,
    /** An image of one value per pixel of the depth image. */
    PixelImage = 3
  };
};

extern Radiography_EXPORT std::ostream &
                          operator<<(std::ostream & out, TransmissionImageFilterEnums::OpenBeamForm value);

/** \class TransmissionImageFilter
 * \brief The Beer-Lambert law, from optical depth L to what a detector would see.
 *
 * Outputs, each computed only if asked for, Transmission alone by default:
 * - Transmission T = exp(-L), the surviving primary fraction;
 * - Counts lambda = n0 exp(-L), the expected primary photons per pixel (fractions are fine);
 * - LogTransmission log T = -L, exactly, never through exp and log;
 * - Removed 1 - T = -expm1(-L), the removed primary fraction (scattered photons count as removed; it is no dose).
 *
 * Each is evaluated from the binary32 depth in binary64 and rounded once, so counts do not inherit the rounding of T:
 * L = 110 with n0 = 1e30 gives 1.69e-18 although T underflows. Nothing is clipped or floored. Within 1 ULP of the
 * correctly rounded result, the same bits for any number of threads and any requested region. An output that was not
 * asked for has no pixels.
 *
 * n0, the open-beam mean at the detector pixel in counts, has three declared forms (OpenBeamForm); the last one set
 * holds. It may be zero. Source output, distance and acceptance are in it already: no further inverse square law.
 *
 * Checked mode (the default) scans depths and n0 first and refuses, before any output is touched, those that are NaN,
 * infinite or negative, naming the first index in raster order and its value; a bad depth is bad even where n0 = 0.
 * With CheckInputsOff() the caller guarantees the values, and all other checks remain.
 *
 * Never runs in place: the adjoint needs the depths unmodified.
 *
 * \throws ExceptionObject before any work: bad values, counts without n0, no output asked for, an n0 image whose size
 * does not fit its form, an output that shares memory with an input, an environment variable RADIOGRAPHY_POLICY that is
 * not understood.
 *
 * \ingroup Radiography */
class Radiography_EXPORT TransmissionImageFilter : public ImageToImageFilter<Image<float, 3>, Image<float, 3>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(TransmissionImageFilter);

  using Self = TransmissionImageFilter;
  using Superclass = ImageToImageFilter<Image<float, 3>, Image<float, 3>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(TransmissionImageFilter);

  using ImageType = Image<float, 3>;
  using OpenBeamFormEnum = TransmissionImageFilterEnums::OpenBeamForm;

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

  itkGetEnumMacro(OpenBeamForm, OpenBeamFormEnum);

  /** Which outputs are computed. */
  itkSetMacro(ComputeTransmission, bool);
  itkGetConstMacro(ComputeTransmission, bool);
  itkBooleanMacro(ComputeTransmission);
  itkSetMacro(ComputeCounts, bool);
  itkGetConstMacro(ComputeCounts, bool);
  itkBooleanMacro(ComputeCounts);
  itkSetMacro(ComputeLogTransmission, bool);
  itkGetConstMacro(ComputeLogTransmission, bool);
  itkBooleanMacro(ComputeLogTransmission);
  itkSetMacro(ComputeRemoved, bool);
  itkGetConstMacro(ComputeRemoved, bool);
  itkBooleanMacro(ComputeRemoved);

  /** Whether values are scanned before anything is computed. On by default. */
  itkSetMacro(CheckInputs, bool);
  itkGetConstMacro(CheckInputs, bool);
  itkBooleanMacro(CheckInputs);

  /** The four outputs; empty images where not asked for. GetOutput() is Transmission. */
  ImageType *
  GetTransmission();
  ImageType *
  GetCounts();
  ImageType *
  GetLogTransmission();
  ImageType *
  GetRemoved();

  /** What evaluated the outputs last, "transmission, AVX2 packets, binary64" or "transmission, scalar binary64"; empty
   * before the first time. The environment variable RADIOGRAPHY_DISABLE_SIMD=1 asks for the latter. */
  itkGetConstReferenceMacro(KernelName, std::string);

  /** For the adjoint, which reads depths and n0 again: throws unless they are what the last execution read, by object,
   * size and time stamp. */
  void
  RefuseChangedInputs() const;

  /** Brings what was asked for up to date. */
  void
  Update() override;
  void
  UpdateLargestPossibleRegion() override;

protected:
  TransmissionImageFilter();
  ~TransmissionImageFilter() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  VerifyPreconditions() ITKv5_CONST override;
  void
  VerifyInputInformation() ITKv5_CONST override;
  void
  GenerateInputRequestedRegion() override;
  void
  GenerateData() override;

private:
  /** An image as an execution read it. The pointer is compared, never followed. */
  struct ImageRead
  {
    const ImageType *     image{ nullptr };
    ModifiedTimeType      stamp{ 0 };
    ImageType::RegionType region{};
  };
  struct InputsRead
  {
    ImageRead        depths{};
    ImageRead        openBeam{};
    OpenBeamFormEnum form{ OpenBeamFormEnum::None };
    double           number{ 0.0 };
  };

  InputsRead
  CurrentInputs() const;

  /** In the order of the outputs. */
  std::array<bool, 4>
  WantedOutputs() const;
  ImageType *
  FirstWantedOutput();
  void
  RefuseBadValues(const OutputImageRegionType & region);
  void
  SetOpenBeamImage(const ImageType * image, OpenBeamFormEnum form);

  OpenBeamFormEnum m_OpenBeamForm{ OpenBeamFormEnum::None };
  double           m_OpenBeamCounts{ 0.0 };
  bool             m_ComputeTransmission{ true };
  bool             m_ComputeCounts{ false };
  bool             m_ComputeLogTransmission{ false };
  bool             m_ComputeRemoved{ false };
  bool             m_CheckInputs{ true };
  InputsRead       m_Evaluated{};
  std::string      m_KernelName{};
};

} // namespace itk

#endif
