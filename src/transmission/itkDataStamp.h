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
#ifndef itkDataStamp_h
#define itkDataStamp_h

#include "itkDataObject.h"

#include <algorithm>

namespace itk
{

/** Grows whenever the object is modified or its data are generated anew. */
inline ModifiedTimeType
StampOf(const DataObject & data)
{
  return std::max<ModifiedTimeType>(data.GetMTime(), data.GetUpdateMTime());
}

} // namespace itk

#endif
