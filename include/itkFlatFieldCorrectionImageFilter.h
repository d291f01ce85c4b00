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
#ifndef itkFlatFieldCorrectionImageFilter_h
#define itkFlatFieldCorrectionImageFilter_h

#include "RadiographyExport.h"
#include "itkRadiographyMacros.h"

#include "itkImageToImageFilter.h"

#include <array>

namespace itk
{

/** \class FlatFieldCorrectionImageFilterEnums
 * \brief What FlatFieldCorrectionImageFilter's mask says of a pixel.
 * \ingroup Radiography */
class FlatFieldCorrectionImageFilterEnums
{
public:
  /** Values of the mask. Any but 0 has a corrected transmission, so the mask serves as one of "inside" (not 0). */
  enum class PixelStatus : uint8_t
  {
    /** flat <= dark: T^ has no value. */
    FlatNotAboveDark = 0,
    /** 0 < T^ <= 1. */
    Valid = 1,
    /** T^ > 1: the apparent depth is negative; both are returned as they are. */
    AboveOne = 2,
    /** T^ <= 0: it is returned as it is, but has no logarithm. */
    NotPositive = 3
  };
};

extern Radiography_EXPORT std::ostream &
                          operator<<(std::ostream & out, FlatFieldCorrectionImageFilterEnums::PixelStatus value);

/** \class FlatFieldCorrectionImageFilter
 * \brief Dark and flat correction: from detector readings to transmission, T^ = (raw - dark) / (flat - dark).
 *
 * Inputs, of one grid: the raw image (the primary input), the dark image (read without a beam) and the flat image (the
 * open beam, no object). **Valid only for matched gain, offset and exposure**: three images of one detector in one
 * setting, with the same source output. A dark image does not measure scatter, which the object makes: an additive
 * scatter s lowers the apparent depth to -ln(exp(-L) + s / n0), below zero once s / n0 > 1 - exp(-L). A spectrum, or
 * averaging within a pixel, makes the apparent depth differ from the mean depth too.
 *
 * Outputs, each computed only if asked for, CorrectedTransmission alone by default:
 * - CorrectedTransmission T^;
 * - ApparentDepth -ln T^;
 * - Mask, one PixelStatus per pixel (unsigned char);
 * - Variance of T^, with the noise of flat and dark included (below).
 *
 * Nothing is floored or clipped. A pixel without a value is NaN, and the mask says why: T^ where flat <= dark, the
 * apparent depth there and where T^ <= 0. T^ > 1 and its negative depth are returned and flagged. How many pixels have
 * each status is told by members after Update(), for the region computed last, whatever outputs are asked for. The
 * status is decided by comparing the readings themselves; each result is evaluated in binary64 and rounded once; the
 * same bits for any number of threads and any requested region. An output that was not asked for has no pixels.
 *
 * Variance: a single reading y is taken to have the variance g (y - dark) + v, with the gain g in detector units per
 * photon (the slope of variance over mean, for detectors that integrate energy too: J. Janesick, Photon Transfer, SPIE
 * 2007) and the electronic variance v in squared detector units. Dark and flat images may be means of several frames.
 * To first order, for independent readings (JCGM 100:2008, GUM, equation 10):
 *
 *     Var(T^) = (Var(raw) + (T^)^2 Var(flat) + (1 - T^)^2 Var(dark)) / (flat - dark)^2
 *
 * with Var(raw) = g (raw - dark) + v, Var(flat) = (g (flat - dark) + v) / NumberOfFlatFrames, Var(dark) = v /
 * NumberOfDarkFrames. It is NaN where flat <= dark, and where raw lies so far below dark that Var(raw) is negative. The
 * gain has no default: a variance without a stated gain is refused.
 *
 * \throws ExceptionObject before anything is written: a missing image, images of different grids, no output asked for;
 * a reading that is NaN or infinite, a result that binary32 cannot hold, both named by index and value; an output that
 * shares memory with an input; for the variance, a gain that is not finite and positive, an electronic variance that is
 * not finite or negative, no frames.
 *
 * \sa DetectorResponseImageFilter, OpticalDepthImageFilter
 * \ingroup Radiography */
class Radiography_EXPORT FlatFieldCorrectionImageFilter : public ImageToImageFilter<Image<float, 3>, Image<float, 3>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(FlatFieldCorrectionImageFilter);

  using Self = FlatFieldCorrectionImageFilter;
  using Superclass = ImageToImageFilter<Image<float, 3>, Image<float, 3>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(FlatFieldCorrectionImageFilter);

  using ImageType = Image<float, 3>;
  using MaskType = Image<unsigned char, 3>;
  using PixelStatusEnum = FlatFieldCorrectionImageFilterEnums::PixelStatus;

  /** Readings without a beam, detector units. */
  itkSetInputMacro(DarkImage, ImageType);
  itkGetInputMacro(DarkImage, ImageType);

  /** Readings of the open beam, detector units. */
  itkSetInputMacro(FlatImage, ImageType);
  itkGetInputMacro(FlatImage, ImageType);

  /** \name Which outputs are computed. */
  ///@{
  itkSetMacro(ComputeCorrectedTransmission, bool);
  itkGetConstMacro(ComputeCorrectedTransmission, bool);
  itkBooleanMacro(ComputeCorrectedTransmission);
  itkSetMacro(ComputeApparentDepth, bool);
  itkGetConstMacro(ComputeApparentDepth, bool);
  itkBooleanMacro(ComputeApparentDepth);
  itkSetMacro(ComputeMask, bool);
  itkGetConstMacro(ComputeMask, bool);
  itkBooleanMacro(ComputeMask);
  itkSetMacro(ComputeVariance, bool);
  itkGetConstMacro(ComputeVariance, bool);
  itkBooleanMacro(ComputeVariance);
  ///@}

  /** g, detector units per photon; for the variance only, and to be stated for it. 0, the default, is "not stated". */
  itkSetMacro(Gain, double);
  itkGetConstMacro(Gain, double);

  /** v, squared detector units, of one frame; for the variance only; 0 by default. */
  itkSetMacro(ElectronicVariance, double);
  itkGetConstMacro(ElectronicVariance, double);

  /** Frames that the dark image is the mean of; for the variance only; 1 by default. */
  itkSetMacro(NumberOfDarkFrames, unsigned int);
  itkGetConstMacro(NumberOfDarkFrames, unsigned int);

  /** Frames that the flat image is the mean of; for the variance only; 1 by default. */
  itkSetMacro(NumberOfFlatFrames, unsigned int);
  itkGetConstMacro(NumberOfFlatFrames, unsigned int);

  /** \name The four outputs; empty images where not asked for. GetOutput() is CorrectedTransmission. */
  ///@{
  ImageType *
  GetCorrectedTransmission();
  ImageType *
  GetApparentDepth();
  MaskType *
  GetMask();
  ImageType *
  GetVariance();
  ///@}

  /** \name Pixels of each status in the region computed last. */
  ///@{
  itkGetConstMacro(NumberOfFlatNotAboveDarkPixels, SizeValueType);
  itkGetConstMacro(NumberOfValidPixels, SizeValueType);
  itkGetConstMacro(NumberOfAboveOnePixels, SizeValueType);
  itkGetConstMacro(NumberOfNotPositivePixels, SizeValueType);
  ///@}

  using Superclass::MakeOutput;
  /** Output 2 is the mask, the others are images of binary32. */
  DataObject::Pointer
  MakeOutput(DataObjectPointerArraySizeType output) override;

  /** Brings what was asked for up to date. */
  void
  Update() override;
  void
  UpdateLargestPossibleRegion() override;

protected:
  FlatFieldCorrectionImageFilter();
  ~FlatFieldCorrectionImageFilter() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  VerifyPreconditions() ITKv5_CONST override;
  void
  VerifyInputInformation() ITKv5_CONST override;
  void
  GenerateData() override;

private:
  /** In the order of the outputs. */
  std::array<bool, 4>
  WantedOutputs() const;
  ImageBase<3> *
  FirstWantedOutput();
  void
  RefuseBadNoise() const;
  void
  RefuseBadReadings(const ImageType & image, const char * name);
  void
  RefuseResultsOutOfRange();
  void
  AllocateWantedOutputs();

  bool          m_ComputeCorrectedTransmission{ true };
  bool          m_ComputeApparentDepth{ false };
  bool          m_ComputeMask{ false };
  bool          m_ComputeVariance{ false };
  double        m_Gain{ 0.0 };
  double        m_ElectronicVariance{ 0.0 };
  unsigned int  m_NumberOfDarkFrames{ 1 };
  unsigned int  m_NumberOfFlatFrames{ 1 };
  SizeValueType m_NumberOfFlatNotAboveDarkPixels{ 0 };
  SizeValueType m_NumberOfValidPixels{ 0 };
  SizeValueType m_NumberOfAboveOnePixels{ 0 };
  SizeValueType m_NumberOfNotPositivePixels{ 0 };
};

} // namespace itk

#endif
