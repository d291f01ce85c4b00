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
#ifndef itkDICOMRadiographInformation_h
#define itkDICOMRadiographInformation_h

#include "RadiographyExport.h"

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace itk
{

/** \class DICOMRadiographEnums
 * \brief What the pixels of an X-ray image mean.
 * \ingroup Radiography */
class DICOMRadiographEnums
{
public:
  /** How pixel values depend on the beam's intensity at the detector. */
  enum class PixelMeaning : uint8_t
  {
    /** The file does not say, or contradicts itself. */
    Unknown = 0,
    /** Proportional to the intensity. Not counts: the gain is not known. */
    Linear = 1,
    /** Affine in the intensity, falling. */
    Inverted = 2,
    /** Affine in the logarithm of the intensity, so in the optical depth. */
    Log = 3,
    /** Processed for the eye: none of these. */
    Display = 4
  };
};

/** "unknown", "linear", "inverted", "log" or "display". */
Radiography_EXPORT const char *
DICOMPixelMeaningName(DICOMRadiographEnums::PixelMeaning meaning);

Radiography_EXPORT std::ostream &
                   operator<<(std::ostream & os, DICOMRadiographEnums::PixelMeaning meaning);

/** \class DICOMRadiographNumber
 * \brief One number (or word) that a view was understood from, and where it comes from.
 * \ingroup Radiography */
struct DICOMRadiographNumber
{
  /** "source-detector distance", ... */
  std::string quantity;
  /** With its unit. */
  std::string value;
  /** "DistanceSourceToDetector (0018,1110)", "option SourceDetectorDistance", or "assumption: ..." */
  std::string source;
};

/** \class DICOMRadiographProblem
 * \brief What is missing, contradictory or assumed in an X-ray image.
 * \ingroup Radiography */
struct DICOMRadiographProblem
{
  /** A short word for programs: "missing-pitch", "tilted-gantry", "orientation-unverified", ... */
  std::string code;
  /** For people: the tag, its value, and what is wrong with it. */
  std::string message;
  /** The way out: names of DICOMRadiographReader's setters without "Set", with blanks between; empty if there is none
   * or none is needed. */
  std::string remedy;
  /** There is no view unless the remedy is taken. Otherwise this is a warning. */
  bool refuses{ false };
};

/** \class DICOMRadiographInformation
 * \brief What the header of an X-ray image says.
 * \ingroup Radiography */
struct DICOMRadiographInformation
{
  std::string modality;
  std::string sopClassUID;
  std::string sopClassName;
  std::string sopInstanceUID;
  std::string studyInstanceUID;
  std::string seriesInstanceUID;
  std::string frameOfReferenceUID;
  std::string transferSyntaxUID;
  /** MONOCHROME1 (low values are shown white) or MONOCHROME2. It never changes a value. */
  std::string photometricInterpretation;

  std::size_t columns{ 0 };
  std::size_t rows{ 0 };
  std::size_t frames{ 1 };
  /** The one that is read, counted from 1; 0 if there are several and none was chosen. */
  std::size_t frame{ 0 };

  DICOMRadiographEnums::PixelMeaning pixelMeaning{ DICOMRadiographEnums::PixelMeaning::Unknown };
  /** No isocentre is given: the world's origin is taken for it. */
  bool isocenterIsAssumed{ false };

  std::vector<DICOMRadiographNumber>  provenance;
  std::vector<DICOMRadiographProblem> problems;
};

} // namespace itk

#endif
