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
#ifndef itkInnerFilter_h
#define itkInnerFilter_h

#include "itkImage.h"
#include "itkProcessObject.h"

/** What a filter that is made of other filters does with them. */
namespace itk
{

/** Updates a filter that does part of another one's work: on as many threads; progress goes up, an abort goes down. */
template <typename TInner>
void
UpdateInside(ProcessObject & outer, TInner & inner, float progressWeight)
{
  const float before = outer.GetProgress();
  inner.SetNumberOfWorkUnits(outer.GetNumberOfWorkUnits());
  inner.AddObserver(ProgressEvent(), [&outer, &inner, before, progressWeight](const EventObject &) {
    outer.UpdateProgress(before + progressWeight * inner.GetProgress());
    if (outer.GetAbortGenerateData())
    {
      inner.AbortGenerateDataOn();
    }
  });
  inner.Update();
  inner.RemoveAllObservers();
}

/** The pixels of an image without the pipeline that made them, which inner filters must not run again. */
inline Image<float, 3>::Pointer
WithoutPipeline(const Image<float, 3> & image)
{
  const auto copy = Image<float, 3>::New();
  copy->Graft(&image);
  return copy;
}

} // namespace itk

#endif
