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
#include "dicom/DICOMCodecs.h"

#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dcrledrg.h>
#include <dcmtk/dcmdata/dctk.h>
#include <dcmtk/dcmjpeg/djdecode.h>
#include <dcmtk/dcmjpls/djdecode.h>
#include <dcmtk/oflog/oflog.h>

#include <stdexcept>

namespace radiography::dicom
{
namespace
{

bool
PrepareOnce()
{
  OFLog::getLogger("dcmtk").setLogLevel(OFLogger::OFF_LOG_LEVEL);
  DcmRLEDecoderRegistration::registerCodecs();
  DJDecoderRegistration::registerCodecs();
  DJLSDecoderRegistration::registerCodecs();
  return dcmDataDict.isDictionaryLoaded();
}

} // namespace

void
PrepareDCMTK()
{
  static const bool haveDictionary = PrepareOnce();
  if (!haveDictionary)
  {
    throw std::runtime_error("DCMTK's data dictionary was not found: set the environment variable DCMDICTPATH to the "
                             "path of dicom.dic");
  }
}

bool
IsCosineTransformJPEG(const std::string & transferSyntaxUID)
{
  return transferSyntaxUID == UID_JPEGProcess1TransferSyntax || transferSyntaxUID == UID_JPEGProcess2_4TransferSyntax ||
         transferSyntaxUID == UID_JPEGProcess6_8TransferSyntax ||
         transferSyntaxUID == UID_JPEGProcess10_12TransferSyntax;
}

bool
MayBeLossy(const std::string & transferSyntaxUID)
{
  return IsCosineTransformJPEG(transferSyntaxUID) || transferSyntaxUID == UID_JPEGLSLossyTransferSyntax ||
         transferSyntaxUID == UID_JPEG2000TransferSyntax;
}

bool
IsJPEG2000(const std::string & transferSyntaxUID)
{
  return transferSyntaxUID == UID_JPEG2000LosslessOnlyTransferSyntax || transferSyntaxUID == UID_JPEG2000TransferSyntax;
}

} // namespace radiography::dicom
