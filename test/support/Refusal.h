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
#ifndef Refusal_h
#define Refusal_h

#include "itkMacro.h"

#include <gtest/gtest.h>

#include <string>

namespace testimages
{

/** The text of what `run` throws, or a failure. */
template <typename TRun>
std::string
Refusal(const TRun & run)
{
  try
  {
    run();
  }
  catch (const itk::ExceptionObject & error)
  {
    return error.GetDescription();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

} // namespace testimages

#endif
