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
#include "dicom/DICOMRadiographHeader.h"

#include "dicom/DICOMCodecs.h"
#include "dicom/DICOMEnhancedXray.h"
#include "dicom/DICOMFolder.h"
#include "dicom/DICOMTagReader.h"

#include <filesystem>
#include <map>

namespace radiography::dicom
{
namespace
{

void
Load(DcmFileFormat & format, const std::string & path)
{
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
  {
    throw FileError("no-file", "there is no such file");
  }
  if (!std::filesystem::is_regular_file(path, ignored))
  {
    throw FileError("no-file", "it is not a file");
  }
  ScannedFile file;
  file.absolutePath = path;
  const auto reason = ReasonNotToParse(file);
  if (!reason.empty())
  {
    throw FileError("not-dicom", reason);
  }
  const OFCondition status = format.loadFile(path.c_str());
  if (status.bad())
  {
    throw FileError("damaged-file", std::string("the file is damaged or truncated (") + status.text() + ")");
  }
}

RadiographKind
KindByModality(const ImageIdentity & identity)
{
  static const std::map<std::string, RadiographKind> kinds{
    { "XA", RadiographKind::Angiography },        { "XRF", RadiographKind::Fluoroscopy },
    { "RF", RadiographKind::Fluoroscopy },        { "CR", RadiographKind::ComputedRadiography },
    { "DX", RadiographKind::DigitalRadiography }, { "RTIMAGE", RadiographKind::RTImage },
    { "OT", RadiographKind::SecondaryCapture },
  };
  const auto kind = kinds.find(identity.modality);
  if (kind == kinds.end())
  {
    throw FileError("not-an-x-ray-image",
                    TagName(DCM_Modality) + " is \"" + identity.modality +
                      "\" and there is no SOP class: XA, XRF, RF, CR, DX and RTIMAGE are read");
  }
  return kind->second;
}

RadiographKind
KindOf(const ImageIdentity & identity)
{
  static const std::map<std::string, RadiographKind> kinds{
    { UID_XRayAngiographicImageStorage, RadiographKind::Angiography },
    { UID_XRayRadiofluoroscopicImageStorage, RadiographKind::Fluoroscopy },
    { UID_EnhancedXAImageStorage, RadiographKind::EnhancedAngiography },
    { UID_EnhancedXRFImageStorage, RadiographKind::EnhancedFluoroscopy },
    { UID_ComputedRadiographyImageStorage, RadiographKind::ComputedRadiography },
    { UID_DigitalXRayImageStorageForPresentation, RadiographKind::DigitalRadiography },
    { UID_DigitalXRayImageStorageForProcessing, RadiographKind::DigitalRadiography },
    { UID_RTImageStorage, RadiographKind::RTImage },
    { UID_SecondaryCaptureImageStorage, RadiographKind::SecondaryCapture },
    { UID_MultiframeGrayscaleByteSecondaryCaptureImageStorage, RadiographKind::SecondaryCapture },
    { UID_MultiframeGrayscaleWordSecondaryCaptureImageStorage, RadiographKind::SecondaryCapture },
  };
  if (identity.sopClassUID.empty())
  {
    return KindByModality(identity);
  }
  const auto kind = kinds.find(identity.sopClassUID);
  if (kind == kinds.end())
  {
    throw FileError(
      "not-an-x-ray-image",
      "a file of class " + identity.sopClassName +
        " is not read as an X-ray image: XA and XRF (enhanced or not), CR, DX, RT Image and secondary capture are");
  }
  return kind->second;
}

itk::DICOMRadiographInformation
InformationOf(const ImageIdentity & identity, const PixelFormat & format, DcmItem & dataset)
{
  itk::DICOMRadiographInformation information;
  information.modality = identity.modality;
  information.sopClassUID = identity.sopClassUID;
  information.sopClassName = identity.sopClassName;
  information.sopInstanceUID = TextOf(dataset, DCM_SOPInstanceUID);
  information.studyInstanceUID = identity.studyInstanceUID;
  information.seriesInstanceUID = identity.seriesInstanceUID;
  information.frameOfReferenceUID = identity.frameOfReferenceUID;
  information.transferSyntaxUID = identity.transferSyntaxUID;
  information.photometricInterpretation = TextOf(dataset, DCM_PhotometricInterpretation);
  information.columns = format.columns;
  information.rows = format.rows;
  information.frames = static_cast<std::size_t>(identity.frames);
  return information;
}

/** Why the frame that was asked for, or none, cannot be taken; empty if it can. */
std::string
WhatIsWrongWithFrame(const std::optional<std::size_t> & wanted, std::size_t frames)
{
  const auto count = TagName(DCM_NumberOfFrames) + " is " + std::to_string(frames);
  if (!wanted && frames > 1)
  {
    return count + ": one of them is to be chosen";
  }
  const auto frame = wanted.value_or(1);
  return frame < 1 || frame > frames ? "there is no frame " + std::to_string(frame) + ": " + count : std::string();
}

void
ChooseFrame(const RadiographOptions & options, itk::DICOMRadiographInformation & information, FrameLocation & location)
{
  const auto wrong = WhatIsWrongWithFrame(options.frame, information.frames);
  if (!wrong.empty())
  {
    information.problems.push_back({ "missing-frame", wrong, "Frame", true });
    return;
  }
  information.frame = options.frame.value_or(1);
  location.frame = information.frame - 1;
  information.provenance.push_back({ "frame",
                                     std::to_string(information.frame) + " of " + std::to_string(information.frames),
                                     options.frame ? OptionSource("Frame") : TagName(DCM_NumberOfFrames) });
}

void
WarnOfLoss(const itk::DICOMRadiographInformation & information, Findings & findings)
{
  const bool saysLossy = TextOf(findings.Item(), DCM_LossyImageCompression) == "01";
  if (saysLossy || MayBeLossy(information.transferSyntaxUID))
  {
    findings.Warn("lossy",
                  "the image went through lossy compression (transfer syntax " + information.transferSyntaxUID +
                    (saysLossy ? ", LossyImageCompression is 01" : "") + "): pixel values are approximate");
  }
}

} // namespace

itk::RadiographGeometry::Pointer
UnderstandGeometry(RadiographKind                    kind,
                   const RadiographOptions &         options,
                   itk::DICOMRadiographInformation & information,
                   Findings &                        findings,
                   BeamLimits &                      limits)
{
  if (!options.geometry)
  {
    return kind == RadiographKind::RTImage ? UnderstandRTImage(options, information, findings, limits)
                                           : UnderstandCArm(kind, options, information, findings);
  }
  findings.Know("view", "as given", OptionSource("Geometry"));
  const auto size = options.geometry->GetDetectorSize();
  if (size[0] != information.columns || size[1] != information.rows)
  {
    findings.Refuse("size-differs",
                    "the view that was given has " + std::to_string(size[0]) + " x " + std::to_string(size[1]) +
                      " pixels, the image has " + std::to_string(information.columns) + " x " +
                      std::to_string(information.rows),
                    "Geometry");
    return nullptr;
  }
  const auto geometry = itk::RadiographGeometry::New();
  geometry->Graft(options.geometry);
  return geometry;
}

RadiographHeader
ReadRadiographHeader(const std::string & path, const RadiographOptions & options)
{
  PrepareDCMTK();
  DcmFileFormat file;
  Load(file, path);
  DcmDataset & dataset = *file.getDataset();
  const auto   identity = ReadImageIdentity(file);
  const auto   kind = KindOf(identity);
  if (identity.frames < 1)
  {
    throw FileError("multi-frame",
                    TagName(DCM_NumberOfFrames) + " is \"" + TextOf(dataset, DCM_NumberOfFrames) +
                      "\", which is no number of frames");
  }
  RadiographHeader header;
  const auto       format = ReadPixelFormat(dataset);
  header.location = { path, identity.transferSyntaxUID, format, static_cast<std::size_t>(identity.frames), 0 };
  CheckPixelDataLength(dataset, format, header.location.frames);
  header.padding = ReadPadding(dataset, format);
  header.information = InformationOf(identity, format, dataset);

  ChooseFrame(options, header.information, header.location);
  // While no frame is chosen, the first one shows what else is missing.
  const auto gathered =
    IsEnhanced(kind) ? GatherFrameAttributes(dataset, header.location.frames, header.location.frame) : nullptr;
  Findings findings(gathered != nullptr ? *gathered : dataset, header.information);
  WarnOfLoss(header.information, findings);
  header.values = UnderstandPixels(kind, format, options, header.information, findings);
  try
  {
    const auto geometry = UnderstandGeometry(kind, options, header.information, findings, header.limits);
    header.geometry = findings.HasRefusals() ? nullptr : geometry;
  }
  catch (const itk::ExceptionObject & error)
  {
    findings.Refuse("impossible-geometry", error.GetDescription(), "Geometry");
  }
  header.shutters = ReadShutters(findings);
  return header;
}

} // namespace radiography::dicom
