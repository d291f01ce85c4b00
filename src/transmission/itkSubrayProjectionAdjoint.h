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
#ifndef itkSubrayProjectionAdjoint_h
#define itkSubrayProjectionAdjoint_h

#include "compute/SubrayAverage.h"
#include "itkProjectionVolume.h"
#include "itkRadiographForwardModel.h"
#include "transmission/itkSubrayViews.h"

#include <vector>

namespace itk
{

/** The transpose of the projection of a forward model, with the sub-rays and source points that it has: from cotangents
 * of the effective depths to those of mu. */
class SubrayProjectionAdjoint
{
public:
  using ImageType = Image<float, 3>;

  /** `outer` is the filter whose threads, progress (all that is left of it) and abort these are; it and `forward` must
   * outlive this object. */
  SubrayProjectionAdjoint(ProcessObject & outer, const RadiographForwardModel & forward);

  /** The cotangent of mu, on its grid, plus `accumulated`, which may be null.
   * \throws ExceptionObject for a sum that binary32 cannot hold, naming the voxel. */
  ImageType::Pointer
  Run(const ImageType & depthCotangent, const ImageType * accumulated);

private:
  ImageType::Pointer
  Project(const RadiographGeometry & view);
  ImageType::Pointer
  BackProject(const RadiographGeometry & view, const ImageType & pixels);
  void
  AverageViews();
  ImageType::Pointer
  ShareOut(const SubrayView & view, const ImageType & depthCotangent);
  void
  AddTo(std::vector<double> & sums, const ImageType & part);
  ImageType::Pointer
  RoundOnce(const std::vector<double> & sums, const ImageType * accumulated);

  ProcessObject &                m_Outer;
  const RadiographForwardModel & m_Forward;
  ImageType::ConstPointer        m_Mu;
  std::vector<SubrayView>        m_Views;
  /** A point source and one ray per pixel: nothing is averaged. */
  bool                               m_IsPlain;
  float                              m_ProjectionProgress{ 0.0f };
  float                              m_BackProjectionProgress{ 0.0f };
  ProjectionVolume::Pointer          m_Volume;
  radiography::compute::ViewAverages m_Averages;
  /** The view projected last, and its depths. */
  const RadiographGeometry * m_ProjectedView{ nullptr };
  ImageType::Pointer         m_ProjectedDepths;
};

} // namespace itk

#endif
