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

// All Python modules of ITK share one default of threads. The wheels of ITK choose Intel's TBB, which the ITK that this
// module is linked with may lack: its filters could then not even be made once a filter of ITK has run. The linker
// sends every call of itk::MultiThreaderBase::New() in this module here (--wrap), and ITK's pool of threads stands in
// for TBB. What ITK's own modules use is left as it is.
#include "itkMultiThreaderBase.h"
#include "itkPoolMultiThreader.h"

namespace
{
itk::MultiThreaderBase::Pointer
RealNew() __asm__("__real__ZN3itk17MultiThreaderBase3NewEv");
}

itk::MultiThreaderBase::Pointer
NewWithoutTBB() __asm__("__wrap__ZN3itk17MultiThreaderBase3NewEv");

itk::MultiThreaderBase::Pointer
NewWithoutTBB()
{
#ifndef ITK_USE_TBB
  if (itk::MultiThreaderBase::GetGlobalDefaultThreader() == itk::MultiThreaderBase::ThreaderEnum::TBB)
  {
    return itk::PoolMultiThreader::New().GetPointer();
  }
#endif
  return RealNew();
}
