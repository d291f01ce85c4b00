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
#include "itkFirstDerivativeOnly.h"

#include "itkProcessObject.h"

#include <set>

namespace itk
{
namespace
{

// The nearest filter of first derivatives among the one that made `data` and those before it, or null.
const ProcessObject *
FindDerivativeFilter(const DataObject * data, std::set<const ProcessObject *> & seen)
{
  const ProcessObject * const source = data ? data->GetSource().GetPointer() : nullptr;
  if (!source || !seen.insert(source).second)
  {
    return nullptr;
  }
  if (dynamic_cast<const FirstDerivativeOnly *>(source))
  {
    return source;
  }
  // ProcessObject hands its inputs out to itself only; the copies are pointers.
  for (const auto & input : const_cast<ProcessObject *>(source)->GetInputs())
  {
    if (const ProcessObject * const found = FindDerivativeFilter(input, seen))
    {
      return found;
    }
  }
  return nullptr;
}

} // namespace

FirstDerivativeOnly::~FirstDerivativeOnly() = default;

void
FirstDerivativeOnly::RefuseSecondDerivative(const DataObject * primalInput, const char * name, const char * self)
{
  std::set<const ProcessObject *> seen;
  if (const ProcessObject * const source = FindDerivativeFilter(primalInput, seen))
  {
    itkGenericExceptionMacro(
      "" << name << " of " << self << " was computed by " << source->GetNameOfClass()
         << ", which gives first derivatives only: its own derivative is not available and would "
            "be missing from the result. Call DisconnectPipeline() on the image to treat it as "
            "a constant.");
  }
}

} // namespace itk
