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
#ifndef radiography_dicom_DICOMTagReader_h
#define radiography_dicom_DICOMTagReader_h

#include "compute/InternalExport.h"

#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dctk.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace radiography::dicom
{

/** What is wrong with one file. */
class RADIOGRAPHY_INTERNAL_EXPORT FileError : public std::runtime_error
{
public:
  FileError(std::string code, const std::string & message)
    : std::runtime_error(message)
    , m_Code(std::move(code))
  {}
  ~FileError() override;

  /** A short word for programs. */
  const std::string &
  GetCode() const
  {
    return m_Code;
  }

private:
  std::string m_Code;
};

/** "PixelSpacing (0028,0030)" */
std::string
TagName(const DcmTagKey & tag);

/** Without spaces and zero bytes at both ends. */
std::string
Trimmed(std::string_view text);

/** A value of VR DS (PS3.5 6.2), whatever the locale: std::from_chars, nothing left over, finite. Nothing otherwise:
 * DCMTK's own conversion reads "0,7" as 0 and reports success. */
RADIOGRAPHY_INTERNAL_EXPORT std::optional<double>
                            ParseDecimalString(std::string_view text);

/** Up to 15 significant digits, whatever the locale. */
std::string
NumberText(double value);

/** All values joined by backslashes, or empty if the tag is absent. */
std::string
TextOf(DcmItem & item, const DcmTagKey & tag);

/** One of the values of a multi-valued text equals `wanted`. */
bool
HasValue(const std::string & values, const std::string & wanted);

/** Text converted to UTF-8 from the character set that the data set names. */
std::string
TextInUTF8(DcmItem & item, const DcmTagKey & tag);

/** Empty if the tag is absent or has no value. \throws FileError if a value is not a number. */
std::vector<double>
DecimalsOf(DcmItem & item, const DcmTagKey & tag);

/** \throws FileError if the tag has not exactly `count` numbers. */
std::vector<double>
RequiredDecimals(DcmItem & item, const DcmTagKey & tag, std::size_t count);

/** The 16 bits of a US or SS value, since files write either. */
std::optional<std::uint16_t>
WordOf(DcmItem & item, const DcmTagKey & tag);

std::uint16_t
RequiredWord(DcmItem & item, const DcmTagKey & tag);

} // namespace radiography::dicom

#endif
