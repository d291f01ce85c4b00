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
#ifndef DICOMObjects_h
#define DICOMObjects_h

#include "DICOMEncoders.h"
#include "DICOMEnhancedXrayFiles.h"

/** One small object of each kind that the readers read, with the tags that they use, in each encoding: what tests
 * damage and fuzzing starts from. */
namespace objects
{

using phantom::Dataset;
using phantom::Put;
using phantom::PutWord;
using File = std::unique_ptr<DcmFileFormat>;

/** Turns 16 bit pixel data of one frame, signed or not, into those of another syntax. */
inline void
Encode(DcmFileFormat & file, E_TransferSyntax syntax)
{
  Dataset & d = *file.getDataset();
  if (syntax == EXS_JPEG2000LosslessOnly)
  {
    const Uint16 * cells = nullptr;
    unsigned long  count = 0;
    ASSERT_TRUE(d.findAndGetUint16Array(DCM_PixelData, cells, &count).good());
    phantom::PutFrame(d, syntax, phantom::EncodeJPEG2000({ cells, cells + count }, false, false));
    return;
  }
  phantom::RegisterEncoders();
  const DJ_RPLossless                jpeg;
  const DJLSRepresentationParameter  jpegLS(0, OFTrue);
  const bool                         isJPEG = syntax == EXS_JPEGProcess14SV1;
  const DcmRepresentationParameter * none = nullptr;
  const OFCondition                  status = d.chooseRepresentation(syntax,
                                                    isJPEG                         ? &jpeg
                                                                     : syntax == EXS_JPEGLSLossless ? &jpegLS
                                                                                                    : none);
  ASSERT_TRUE(status.good()) << DcmXfer(syntax).getXferName() << ": " << status.text();
}

/** Every encoding that keeps the bits. */
inline const std::vector<E_TransferSyntax> &
LosslessSyntaxes()
{
  static const std::vector<E_TransferSyntax> all{ EXS_LittleEndianExplicit, EXS_LittleEndianImplicit,
                                                  EXS_BigEndianExplicit,    EXS_DeflatedLittleEndianExplicit,
                                                  EXS_RLELossless,          EXS_JPEGProcess14SV1,
                                                  EXS_JPEGLSLossless,       EXS_JPEG2000LosslessOnly };
  return all;
}

/** Slice k of the phantom with the tags that a CT slice may have. */
inline File
MakeFullSlice(unsigned k)
{
  auto      file = phantom::MakeSlice(k);
  Dataset & d = *file->getDataset();
  Put(d, DCM_RescaleType, "HU");
  Put(d, DCM_SpacingBetweenSlices, "2.5");
  Put(d, DCM_SeriesDescription, "phantom");
  Put(d, DCM_LossyImageCompression, "00");
  // Values that no pixel has.
  PutWord(d, DCM_PixelPaddingValue, 60000);
  PutWord(d, DCM_PixelPaddingRangeLimit, 60010);
  return file;
}

/** A table of 8 entries of 16 bits for stored values from 1000. */
inline void
PutModalityLUT(Dataset & d)
{
  DcmItem * item = nullptr;
  ASSERT_TRUE(d.findOrCreateSequenceItem(DCM_ModalityLUTSequence, item, 0).good());
  const Uint16 descriptor[] = { 8, 1000, 16 };
  const Uint16 entries[] = { 10, 13, 16, 20, 30, 50, 80, 90 };
  ASSERT_TRUE(item->putAndInsertUint16Array(DcmTag(DCM_LUTDescriptor, EVR_US), descriptor, 3).good());
  ASSERT_TRUE(item->putAndInsertUint16Array(DcmTag(DCM_LUTData, EVR_US), entries, 8).good());
}

/** One frame, with shutters. */
inline File
MakeShutteredXA()
{
  auto      file = xray::MakeXA();
  Dataset & d = *file->getDataset();
  Put(d, DCM_PixelSpacing, "0.3\\0.3");
  Put(d, DCM_PositionerPrimaryAngleIncrement, "0");
  Put(d, DCM_PositionerSecondaryAngleIncrement, "0");
  Put(d, DCM_EstimatedRadiographicMagnificationFactor, "1.4286");
  Put(d, DCM_ShutterShape, "RECTANGULAR\\POLYGONAL");
  Put(d, DCM_ShutterLeftVerticalEdge, "1");
  Put(d, DCM_ShutterRightVerticalEdge, "12");
  Put(d, DCM_ShutterUpperHorizontalEdge, "1");
  Put(d, DCM_ShutterLowerHorizontalEdge, "10");
  Put(d, DCM_VerticesOfThePolygonalShutter, "1\\1\\1\\12\\10\\12");
  Put(d, DCM_CollimatorShape, "CIRCULAR");
  Put(d, DCM_CenterOfCircularCollimator, "5\\6");
  Put(d, DCM_RadiusOfCircularCollimator, "4");
  PutWord(d, DCM_PixelPaddingValue, 60000);
  return file;
}

/** Three frames of a moving C-arm whose values lead through a table back to the intensity. */
inline File
MakeMovingXA()
{
  auto      file = xray::MakeXA();
  Dataset & d = *file->getDataset();
  Put(d, DCM_NumberOfFrames, "3");
  Put(d, DCM_PositionerMotion, "DYNAMIC");
  Put(d, DCM_PositionerPrimaryAngleIncrement, "0\\1\\2");
  Put(d, DCM_PositionerSecondaryAngleIncrement, "0\\-1\\-2");
  Put(d, DCM_PixelIntensityRelationship, "LOG");
  PutModalityLUT(d);
  phantom::PutPixels(d, xray::Frames(3));
  return file;
}

inline File
MakeFullRTImage()
{
  auto      file = xray::MakeRTImage();
  Dataset & d = *file->getDataset();
  Put(d, DCM_RTImageOrientation, "1\\0\\0\\0\\-1\\0");
  Put(d, DCM_RescaleSlope, "0.5");
  Put(d, DCM_RescaleIntercept, "0");
  Put(d, DCM_TableTopEccentricAngle, "0");
  DcmItem * item = nullptr;
  EXPECT_TRUE(d.findOrCreateSequenceItem(DCM_ExposureSequence, item, 0).good());
  EXPECT_TRUE(item->putAndInsertString(DCM_GantryAngle, "40").good());
  return file;
}

/** A DX image or another one of a C-arm, with distances and angles of its own. */
inline File
MakeOnCArm(const char * sopClass, const char * modality)
{
  auto      file = xray::MakeXA();
  Dataset & d = *file->getDataset();
  Put(d, DCM_SOPClassUID, sopClass);
  Put(d, DCM_Modality, modality);
  Put(d, DCM_PositionerType, "CARM");
  EXPECT_TRUE(d.putAndInsertSint16(DCM_PixelIntensityRelationshipSign, 1).good());
  Put(d, DCM_RescaleSlope, "1");
  Put(d, DCM_RescaleIntercept, "0");
  return file;
}

/** An object, how it is to be saved, and a name for messages. */
struct Object
{
  std::string      name;
  File             file;
  E_TransferSyntax syntax{ EXS_LittleEndianExplicit };
};

inline std::vector<Object>
XrayObjects()
{
  std::vector<Object> all;
  for (const auto syntax : LosslessSyntaxes())
  {
    all.push_back({ std::string("XA, ") + DcmXfer(syntax).getXferName(), MakeShutteredXA(), syntax });
    Encode(*all.back().file, syntax);
  }
  all.push_back({ "XA, three frames", MakeMovingXA() });
  all.push_back({ "XA, three frames, RLE", MakeMovingXA(), EXS_RLELossless });
  Encode(*all.back().file, EXS_RLELossless);
  all.push_back({ "RT Image", MakeFullRTImage() });
  all.push_back({ "DX at a wall stand", xray::MakeDX() });
  all.push_back({ "DX on a C-arm", MakeOnCArm(UID_DigitalXRayImageStorageForPresentation, "DX") });
  all.push_back({ "CR on a C-arm", MakeOnCArm(UID_ComputedRadiographyImageStorage, "CR") });
  all.push_back({ "RF", MakeOnCArm(UID_XRayRadiofluoroscopicImageStorage, "RF") });
  all.push_back({ "enhanced XA", xray::MakeEnhancedXA() });
  all.push_back({ "enhanced XRF", xray::MakeEnhancedXA(UID_EnhancedXRFImageStorage) });
  all.push_back({ "secondary capture", MakeOnCArm(UID_SecondaryCaptureImageStorage, "OT") });
  return all;
}

/** The phantom's first slices. */
inline std::vector<Object>
CTSeries(unsigned slices, E_TransferSyntax syntax = EXS_LittleEndianExplicit)
{
  std::vector<Object> series;
  for (unsigned k = 0; k < slices; ++k)
  {
    series.push_back({ std::string("CT, ") + DcmXfer(syntax).getXferName(), MakeFullSlice(k), syntax });
    Encode(*series.back().file, syntax);
  }
  return series;
}

} // namespace objects

#endif
