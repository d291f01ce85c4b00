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
#ifndef itkRegistrationMasks_h
#define itkRegistrationMasks_h

#include "compute/InternalExport.h"
#include "registration/itkRegistrationObjective.h"

#include <vector>

/** What a registration leaves out by itself. */
namespace itk
{

/** Null where a view has none. */
std::vector<Image<unsigned char, 3>::ConstPointer>
MasksOf(const RegistrationScene & scene);

/** 1 where both are not 0, pixel by pixel: unlike those of RadiographMask::Intersect, masks of a view need not say
 * where they lie. `given` may be null, which is 1 everywhere. */
Image<unsigned char, 3>::Pointer
JoinMasks(const Image<unsigned char, 3> * given, const Image<unsigned char, 3> & other);

/** `mask`, which may be null, without the rays of a view that meet what the CT has cut off. */
Image<unsigned char, 3>::Pointer
LeaveOutTruncation(const RegistrationView &                           view,
                   const Image<unsigned char, 3> *                    mask,
                   const Image<float, 3> &                            mu,
                   const Transform<double, 3, 3> &                    transform,
                   RadiographMaskTruncationImageFilterEnums::CutFaces faces,
                   unsigned int                                       margin);

/** 0 for pixels of a view that show what is not in the CT, else 1. A pixel does if N departs from lambda, both in
 * photons, by more than `bound` sqrt(lambda + tau^2 lambda^2), and so do two of its eight neighbours at least; its
 * neighbours are then left out with it. tau is 1.4826 times the median of |N - lambda| / lambda over the pixels of the
 * mask whose ray meets the CT (0 if there are none): the error of a model that is not quite right grows with the mean,
 * as in the negative binomial distribution.
 * \param view N, gain and offset
 * \param prediction of the reading at each pixel
 * \param depths L, 0 where a ray does not meet the CT
 * \param mask may be null
 * \param bound as above */
RADIOGRAPHY_INTERNAL_EXPORT Image<unsigned char, 3>::Pointer
                            FindOutliers(const RegistrationView &        view,
                                         const Image<float, 3> &         prediction,
                                         const Image<float, 3> &         depths,
                                         const Image<unsigned char, 3> * mask,
                                         double                          bound);

/** L of a view's detector. */
Image<float, 3>::Pointer
ProjectDepths(const RegistrationView &        view,
              const RegistrationScene &       scene,
              const Transform<double, 3, 3> & transform);

} // namespace itk

#endif
