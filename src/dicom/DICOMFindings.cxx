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
#include "dicom/DICOMFindings.h"

#include "dicom/DICOMTagReader.h"

#include <algorithm>

namespace radiography::dicom
{
namespace
{

std::string
TextOrNothing(const char * text)
{
  return text != nullptr ? text : "";
}

} // namespace

std::string
OptionSource(const char * option)
{
  return std::string("option ") + option;
}

void
Findings::Know(const std::string & quantity, const std::string & value, const std::string & source)
{
  m_Information.provenance.push_back({ quantity, value, source });
}

void
Findings::KnowNumber(const Wanted & wanted, double value, const std::string & source)
{
  this->Know(wanted.quantity, NumberText(value) + " " + wanted.unit, source);
}

void
Findings::Warn(const std::string & code, const std::string & message, const std::string & remedy)
{
  m_Information.problems.push_back({ code, message, remedy, false });
}

void
Findings::Refuse(const std::string & code, const std::string & message, const std::string & remedy)
{
  m_Information.problems.push_back({ code, message, remedy, true });
}

bool
Findings::HasRefusals() const
{
  return std::any_of(
    m_Information.problems.begin(), m_Information.problems.end(), [](const auto & problem) { return problem.refuses; });
}

std::optional<std::vector<double>>
Findings::Numbers(const DcmTagKey & tag, std::size_t count, const char * option)
{
  try
  {
    auto values = DecimalsOf(m_Item, tag);
    if (values.empty() || count == 0 || values.size() == count)
    {
      return values;
    }
    this->Refuse("wrong-number-of-values",
                 TagName(tag) + " is \"" + TextOf(m_Item, tag) + "\": " + std::to_string(values.size()) +
                   " values instead of " + std::to_string(count),
                 TextOrNothing(option));
  }
  catch (const FileError & error)
  {
    this->Refuse(error.GetCode(), error.what(), TextOrNothing(option));
  }
  return std::nullopt;
}

std::optional<std::vector<double>>
Findings::RequireNumbers(const DcmTagKey & tag, std::size_t count, const char * option)
{
  auto values = this->Numbers(tag, count, option);
  if (values && values->empty())
  {
    this->Refuse("missing-tag", TagName(tag) + " is absent or empty", TextOrNothing(option));
    return std::nullopt;
  }
  return values;
}

std::optional<double>
Findings::Only(const Wanted & wanted)
{
  const auto values = this->RequireNumbers(wanted.tag, 1, wanted.option);
  return values ? std::optional<double>(values->front()) : std::nullopt;
}

std::optional<double>
Findings::Require(const Wanted & wanted, const std::optional<double> & option)
{
  const auto value = option ? option : this->Only(wanted);
  if (value)
  {
    this->KnowNumber(wanted, *value, option ? OptionSource(wanted.option) : TagName(wanted.tag));
  }
  return value;
}

std::optional<double>
Findings::RequirePositive(const Wanted & wanted, const std::optional<double> & option)
{
  const auto value = option ? option : this->Only(wanted);
  if (value && !(*value > 0.0))
  {
    this->Refuse("impossible-value",
                 (option ? OptionSource(wanted.option) : TagName(wanted.tag)) + " is " + NumberText(*value) + ": a " +
                   wanted.quantity + " is greater than 0",
                 TextOrNothing(wanted.option));
    return std::nullopt;
  }
  if (value)
  {
    this->KnowNumber(wanted, *value, option ? OptionSource(wanted.option) : TagName(wanted.tag));
  }
  return value;
}

void
Findings::RequireZero(const DcmTagKey & tag, const char * code, const char * why, const char * option)
{
  const auto values = this->Numbers(tag, 1, option);
  if (values && !values->empty() && values->front() != 0.0)
  {
    this->Refuse(code, TagName(tag) + " is " + NumberText(values->front()) + ": " + why, TextOrNothing(option));
  }
}

} // namespace radiography::dicom
