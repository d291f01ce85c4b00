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
#ifndef radiography_dicom_DICOMFindings_h
#define radiography_dicom_DICOMFindings_h

#include "itkDICOMRadiographInformation.h"

#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dctk.h>

#include <optional>
#include <string>
#include <vector>

namespace radiography::dicom
{

/** What a tag or an option is asked for. */
struct Wanted
{
  const char * quantity;
  DcmTagKey    tag;
  /** "mm" or "degrees". */
  const char * unit;
  /** The reader's setter without "Set"; nullptr if none replaces it. */
  const char * option;
};

/** Reads numbers for a view and keeps the book: where each comes from, and what is wrong. */
class Findings
{
public:
  Findings(DcmItem & item, itk::DICOMRadiographInformation & information)
    : m_Item(item)
    , m_Information(information)
  {}

  void
  Know(const std::string & quantity, const std::string & value, const std::string & source);
  void
  KnowNumber(const Wanted & wanted, double value, const std::string & source);
  void
  Warn(const std::string & code, const std::string & message, const std::string & remedy = {});
  void
  Refuse(const std::string & code, const std::string & message, const std::string & remedy = {});

  bool
  HasRefusals() const;

  /** The option if it was given, else the tag's only value; nothing and a refusal if it is absent, empty or no number.
   */
  std::optional<double>
  Require(const Wanted & wanted, const std::optional<double> & option);

  /** As Require(), but greater than 0. */
  std::optional<double>
  RequirePositive(const Wanted & wanted, const std::optional<double> & option);

  /** The numbers of a tag; empty if it is absent. Nothing and a refusal if one is no number, or there are not exactly
   * `count` (0: any). */
  std::optional<std::vector<double>>
  Numbers(const DcmTagKey & tag, std::size_t count, const char * option);

  /** As Numbers(), but absent and empty tags are refused too. */
  std::optional<std::vector<double>>
  RequireNumbers(const DcmTagKey & tag, std::size_t count, const char * option);

  /** The tag is absent, empty or 0; anything else is refused as `code` with `why`. */
  void
  RequireZero(const DcmTagKey & tag, const char * code, const char * why, const char * option);

  DcmItem &
  Item()
  {
    return m_Item;
  }

private:
  std::optional<double>
  Only(const Wanted & wanted);

  DcmItem &                         m_Item;
  itk::DICOMRadiographInformation & m_Information;
};

/** "option Pitch" */
std::string
OptionSource(const char * option);

} // namespace radiography::dicom

#endif
