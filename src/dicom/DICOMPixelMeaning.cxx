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
#include "dicom/DICOMPixelMeaning.h"

#include "dicom/DICOMTagReader.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace radiography::dicom
{
namespace
{

using Meaning = itk::DICOMRadiographEnums::PixelMeaning;

/** A table that leads from stored values to the intensity. */
struct Table
{
  DcmTagKey sequence;
  DcmItem * item{ nullptr };
};

/** The Modality LUT; of enhanced images the Pixel Intensity Relationship LUT whose function is TO_LINEAR (PS3.3
 * C.7.6.16.2.14), if there is one. */
Table
FindTable(RadiographKind kind, DcmItem & item)
{
  Table table{ IsEnhanced(kind) ? DCM_PixelIntensityRelationshipLUTSequence : DCM_ModalityLUTSequence };
  for (long i = 0; item.findAndGetSequenceItem(table.sequence, table.item, i).good() && table.item != nullptr; ++i)
  {
    if (!IsEnhanced(kind) || TextOf(*table.item, DCM_LUTFunction) == "TO_LINEAR")
    {
      return table;
    }
  }
  table.item = nullptr;
  return table;
}

[[noreturn]] void
RefuseTable(const DcmTagKey & sequence, const std::string & why)
{
  throw FileError("modality-lut", TagName(sequence) + ": " + why);
}

std::vector<std::uint16_t>
WordsOf(const Table & table, const DcmTagKey & tag)
{
  DcmElement * element = nullptr;
  if (table.item->findAndGetElement(tag, element).bad() || element == nullptr)
  {
    RefuseTable(table.sequence, TagName(tag) + " is absent");
  }
  std::vector<std::uint16_t> words;
  Uint16 *                   unsignedWords = nullptr;
  Sint16 *                   signedWords = nullptr;
  const unsigned long        count = element->getLength() / 2;
  if (element->getUint16Array(unsignedWords).good() && unsignedWords != nullptr)
  {
    words.assign(unsignedWords, unsignedWords + count);
  }
  else if (element->getSint16Array(signedWords).good() && signedWords != nullptr)
  {
    words.assign(signedWords, signedWords + count);
  }
  return words;
}

/** LUT Descriptor and LUT Data (PS3.3 C.11.1.1). */
void
ReadTable(const Table & table, const PixelFormat & format, ValueMap & map)
{
  const auto descriptor = WordsOf(table, DCM_LUTDescriptor);
  if (descriptor.size() != 3)
  {
    RefuseTable(table.sequence,
                TagName(DCM_LUTDescriptor) + " has " + std::to_string(descriptor.size()) + " values instead of 3");
  }
  const std::size_t entries = descriptor[0] == 0 ? 65536 : descriptor[0];
  map.firstMapped = format.isSigned ? static_cast<std::int16_t>(descriptor[1]) : std::int32_t{ descriptor[1] };
  const auto words = WordsOf(table, DCM_LUTData);
  const bool isPacked = descriptor[2] == 8 && words.size() == (entries + 1) / 2 && entries > 1;
  if (!isPacked && words.size() != entries)
  {
    RefuseTable(table.sequence,
                TagName(DCM_LUTData) + " has " + std::to_string(words.size()) + " words for " +
                  std::to_string(entries) + " entries of " + std::to_string(descriptor[2]) + " bits");
  }
  map.table.reserve(entries);
  for (std::size_t i = 0; i < entries; ++i)
  {
    map.table.push_back(isPacked ? (words[i / 2] >> (i % 2 == 0 ? 0 : 8)) & 0xff : words[i]);
  }
}

/** Slope and intercept, both or none. */
void
ReadRescale(ValueMap & map, Findings & findings)
{
  DcmItem & item = findings.Item();
  if (TextOf(item, DCM_RescaleSlope).empty() && TextOf(item, DCM_RescaleIntercept).empty())
  {
    return;
  }
  map.slope = RequiredDecimals(item, DCM_RescaleSlope, 1)[0];
  map.intercept = RequiredDecimals(item, DCM_RescaleIntercept, 1)[0];
  if (map.slope == 0.0)
  {
    throw FileError("bad-number", TagName(DCM_RescaleSlope) + " is 0: every pixel would have the same value");
  }
  constexpr double largest = std::numeric_limits<float>::max();
  if (!(std::abs(map.slope) * 65536.0 + std::abs(map.intercept) < largest))
  {
    throw FileError("bad-number",
                    TagName(DCM_RescaleSlope) + " is " + NumberText(map.slope) + ", " + TagName(DCM_RescaleIntercept) +
                      " is " + NumberText(map.intercept) + ": pixel values would overflow");
  }
  const auto type = TextOf(item, DCM_RescaleType);
  findings.Know("pixel values",
                "stored value x " + NumberText(map.slope) + " + " + NumberText(map.intercept) +
                  (type.empty() ? "" : " (" + type + ")"),
                TagName(DCM_RescaleSlope) + ", " + TagName(DCM_RescaleIntercept));
}

/** Pixel Intensity Relationship Sign; 0 if absent. */
int
SignOf(DcmItem & item)
{
  const auto word = WordOf(item, DCM_PixelIntensityRelationshipSign);
  return word ? static_cast<std::int16_t>(*word) : 0;
}

/** DX, RT Image and enhanced images need the sign; in XA and XRF, which have none, LIN is defined as rising. */
bool
NeedsSign(RadiographKind kind)
{
  return kind == RadiographKind::DigitalRadiography || kind == RadiographKind::RTImage || IsEnhanced(kind);
}

Meaning
MeaningOfLinear(RadiographKind kind, const ValueMap & map, Findings & findings)
{
  const int sign = SignOf(findings.Item());
  if (sign != 1 && sign != -1 && (sign != 0 || NeedsSign(kind)))
  {
    findings.Warn("missing-sign",
                  TagName(DCM_PixelIntensityRelationshipSign) +
                    (sign == 0 ? " is absent" : " is " + std::to_string(sign)) +
                    ": whether higher values are more or less intensity is not known",
                  "PixelMeaning");
    return Meaning::Unknown;
  }
  if ((sign == -1) != (map.slope < 0.0))
  {
    return Meaning::Inverted;
  }
  if (map.intercept != 0.0 || sign == -1)
  {
    findings.Warn("linear-with-intercept",
                  TagName(DCM_PixelIntensityRelationship) + " is LIN, but " + TagName(DCM_RescaleIntercept) + " is " +
                    NumberText(map.intercept) +
                    ": values before or after the rescaling can be proportional to the "
                    "intensity, not both",
                  "PixelMeaning");
    return Meaning::Unknown;
  }
  return Meaning::Linear;
}

/** By Pixel Intensity Relationship alone. */
Meaning
MeaningByRelationship(RadiographKind kind, const ValueMap & map, Findings & findings)
{
  const auto relationship = TextOf(findings.Item(), DCM_PixelIntensityRelationship);
  if (relationship == "LIN")
  {
    return MeaningOfLinear(kind, map, findings);
  }
  if (relationship == "LOG")
  {
    return Meaning::Log;
  }
  if (relationship == "DISP" || relationship == "DRM")
  {
    return Meaning::Display;
  }
  findings.Warn("pixel-meaning-unknown",
                TagName(DCM_PixelIntensityRelationship) +
                  (relationship.empty() ? " is absent or empty" : " is \"" + relationship + "\"") +
                  ": what pixel values mean is not known",
                "PixelMeaning");
  return Meaning::Unknown;
}

bool
LeadsBackToIntensity(RadiographKind kind)
{
  return kind == RadiographKind::Angiography || kind == RadiographKind::Fluoroscopy || IsEnhanced(kind);
}

/** XA and XRF: the table leads from whatever was stored back to the intensity. Elsewhere it leads to something that the
 * standard leaves open, and is not applied. */
Meaning
MeaningWithTable(RadiographKind      kind,
                 const Table &       table,
                 const PixelFormat & format,
                 ValueMap &          map,
                 Findings &          findings)
{
  const auto relationship = TextOf(findings.Item(), DCM_PixelIntensityRelationship);
  const auto name = TagName(table.sequence);
  if (!LeadsBackToIntensity(kind))
  {
    findings.Warn("modality-lut-not-applied",
                  name + " is not applied: only in XA and XRF images does it lead back to the intensity");
    return MeaningByRelationship(kind, map, findings);
  }
  if (relationship == "LIN")
  {
    findings.Warn("modality-lut-not-applied",
                  name + " is not applied: " + TagName(DCM_PixelIntensityRelationship) +
                    " is LIN already, so one of them is wrong",
                  "PixelMeaning");
    return Meaning::Unknown;
  }
  ReadTable(table, format, map);
  findings.Know("pixel values", "looked up in a table of " + std::to_string(map.table.size()) + " entries", name);
  // Of an XA image the table alone tells; an enhanced one also says which way values go.
  return IsEnhanced(kind) ? MeaningOfLinear(kind, ValueMap(), findings) : Meaning::Linear;
}

std::string
RelationshipSource(DcmItem & item)
{
  const auto relationship = TextOf(item, DCM_PixelIntensityRelationship);
  return TagName(DCM_PixelIntensityRelationship) + (relationship.empty() ? " absent" : " = " + relationship);
}

} // namespace

double
ValueMap::operator()(std::int32_t stored) const
{
  if (table.empty())
  {
    return stored * slope + intercept;
  }
  const auto last = static_cast<std::int64_t>(table.size()) - 1;
  const auto place = std::clamp<std::int64_t>(std::int64_t{ stored } - firstMapped, 0, last);
  return table[static_cast<std::size_t>(place)];
}

ValueMap
UnderstandPixels(RadiographKind                    kind,
                 const PixelFormat &               format,
                 const RadiographOptions &         options,
                 itk::DICOMRadiographInformation & information,
                 Findings &                        findings)
{
  ValueMap map;
  ReadRescale(map, findings);
  const Table table = FindTable(kind, findings.Item());
  const bool  hasTable = table.item != nullptr;
  if (options.pixelMeaning)
  {
    information.pixelMeaning = *options.pixelMeaning;
    if (hasTable)
    {
      findings.Warn("modality-lut-not-applied",
                    TagName(table.sequence) + " is not applied: the option says what the stored pixels are");
    }
  }
  else
  {
    information.pixelMeaning =
      hasTable ? MeaningWithTable(kind, table, format, map, findings) : MeaningByRelationship(kind, map, findings);
  }
  const std::string source = options.pixelMeaning ? OptionSource("PixelMeaning")
                             : map.table.empty()  ? RelationshipSource(findings.Item())
                                                  : TagName(table.sequence);
  findings.Know("pixel meaning", itk::DICOMPixelMeaningName(information.pixelMeaning), source);
  return map;
}

} // namespace radiography::dicom
