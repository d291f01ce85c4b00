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
#ifndef Errors_h
#define Errors_h

#include <stdexcept>
#include <string>

namespace radiography::program
{

/** Something failed: exit 1. The hint says what to do, where there is a remedy. */
class Failure : public std::runtime_error
{
public:
  explicit Failure(const std::string & message, std::string hint = {})
    : std::runtime_error(message)
    , m_Hint(std::move(hint))
  {}
  const std::string &
  Hint() const
  {
    return m_Hint;
  }

private:
  std::string m_Hint;
};

/** The remedy where DICOM is asked for and not built in. */
inline constexpr const char * HowToBuildWithDCMTK =
  "build with -DRadiography_USE_DCMTK=ON (Debian: libdcmtk-dev libopenjp2-7-dev)";

/** The command line is wrong: exit 2. */
class UsageError : public Failure
{
public:
  using Failure::Failure;
};

} // namespace radiography::program

#endif
