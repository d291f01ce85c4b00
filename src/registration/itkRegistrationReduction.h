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
#ifndef itkRegistrationReduction_h
#define itkRegistrationReduction_h

#include "registration/itkRegistrationObjective.h"

/** Views and volume of a level, made of those at full resolution. */
namespace itk
{

/** The scene in blocks. What is counted is summed, and so are n0 and scatter; an offset is that of all pixels of a
 * block. Images that are not counts are averaged. \param areCounts whether the images are linear in counts */
RegistrationScene
ReduceScene(const RegistrationScene &           full,
            const RadiographRegistrationLevel & level,
            bool                                areCounts,
            ThreadIdType                        workUnits);

/** The block of a level for a view. */
unsigned int
BlockOf(const RadiographRegistrationLevel & level, std::size_t view);

/** A chessboard of blocks of pixels, one half of it: the mask of a view is kept within it and 0 outside.
 * \param half 0 or 1 */
RegistrationScene
KeepHalf(const RegistrationScene & scene, unsigned int blockSize, unsigned int half);

} // namespace itk

#endif
