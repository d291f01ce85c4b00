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
#ifndef itkRegistrationObjective_h
#define itkRegistrationObjective_h

#include "itkProjectionVolume.h"
#include "itkRadiographRegistrationMethod.h"
#include "itkRadiographToVolumeMetricv4.h"

#include <functional>
#include <vector>

/** The metric of one level, made of what the method was told. */
namespace itk
{

/** One view on one level. */
struct RegistrationView
{
  Image<float, 3>::ConstPointer         image;
  RadiographGeometry::ConstPointer      geometry;
  Image<unsigned char, 3>::ConstPointer mask;
  /** n0 as a number; 0 if it is an image or not known. */
  double                        openBeamCounts{ 0.0 };
  Image<float, 3>::ConstPointer openBeamImage;
  double                        gain{ 1.0 };
  double                        offset{ 0.0 };
  Image<float, 3>::ConstPointer scatter;
};

/** All that is compared on one level. */
struct RegistrationScene
{
  std::vector<RegistrationView>  views;
  ProjectionVolume::ConstPointer volume;
};

/** What of the method's options goes into a metric. */
struct RegistrationModel
{
  RadiographRegistrationEnums::Metric        metric{ RadiographRegistrationEnums::Metric::Poisson };
  bool                                       estimateExposure{ false };
  bool                                       estimateAttenuation{ false };
  bool                                       estimateScatter{ false };
  Size<2>                                    scatterNodes{ { 4, 4 } };
  RadiographRegistrationMethod::ComparedEnum compared{ RadiographRegistrationMethod::ComparedEnum::OpticalDepth };
  RadiographRegistrationMethod::RelationEnum relation{ RadiographRegistrationMethod::RelationEnum::Automatic };
  /** phi of the level. */
  double dispersion{ 1.0 };
  /** Whether that is estimated from the residuals. */
  bool         estimateDispersion{ false };
  std::string  policy;
  ThreadIdType workUnits{ 1 };
};

/** A metric that is ready for evaluations with the transform.
 * \throws ExceptionObject what the metric refuses. */
RadiographToVolumeMetricv4::Pointer
MakeRegistrationMetric(const RegistrationModel &           model,
                       const RegistrationScene &           scene,
                       const RadiographRegistrationLevel & level,
                       Transform<double, 3, 3> *           transform);

/** phi from the residuals at the present transform; of correlations, the share of the images' variance that is left. */
double
EstimateRegistrationDispersion(const RadiographToVolumeMetricv4 & metric);

/** The sandwich estimate of the covariance of the transform's parameters over blocks of pixels, N x N; empty for
 * metrics that offer none. */
vnl_matrix<double>
ComputeRegistrationSandwich(const RadiographToVolumeMetricv4 & metric, unsigned int blockSize);

/** Fills in what the metric says about the fit: nuisances, deviance, pixels, degrees of freedom, relative residual,
 * correlations. The last level is in the content already. */
void
DescribeFit(const RadiographToVolumeMetricv4 &      metric,
            const RegistrationModel &               model,
            const RegistrationScene &               scene,
            const RadiographRegistrationLevel &     level,
            RadiographRegistrationResult::Content & content);

} // namespace itk

#endif
