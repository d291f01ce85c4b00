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
// How to write a similarity of your own: own_similarity CT_FOLDER DEPTH.nrrd VIEW.json OUT.tfm
// Here: squared differences of optical depths, for an image that holds depths (radiography drr --output optical-depth).
// Projection, derivatives of rays, views, masks and ITK's framework are the base class's.

#include "ExampleTools.h"
#include "itkFisherScoringOptimizerv4.h"
#include "itkRadiographGeometryJSON.h"
#include "itkRadiographToVolumeMetricv4.h"

#include "itkEuler3DTransform.h"
#include "itkImageFileReader.h"

namespace
{

/** Half the sum of (L - image)^2. */
class SquaredDifferences : public itk::RadiographToVolumeMetricv4
{
public:
  using Self = SquaredDifferences;
  using Superclass = itk::RadiographToVolumeMetricv4;
  using Pointer = itk::SmartPointer<Self>;
  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(SquaredDifferences);

protected:
  void
  EvaluateSimilarity(const std::vector<ViewPixels> & views, Order, Similarity & similarity) const override
  {
    similarity.value = 0.0;
    similarity.views.resize(views.size());
    for (std::size_t v = 0; v < views.size(); ++v)
    {
      const auto count = static_cast<std::size_t>(views[v].columns * views[v].rows);
      auto &     terms = similarity.views[v];
      terms.scores.assign(count, 0.0);  // d(value) / dL
      terms.weights.assign(count, 0.0); // Gauss-Newton: its derivative
      for (std::size_t p = 0; p < count; ++p)
      {
        if (views[v].mask[p] != 0)
        {
          terms.scores[p] = views[v].depths[p] - views[v].image[p];
          terms.weights[p] = 1.0;
          similarity.value += 0.5 * terms.scores[p] * terms.scores[p];
        }
      }
    }
  }
};

bool
Run(char ** argv)
{
  const auto mu = example::ReadAttenuation(argv[1]);
  const auto pose = itk::Euler3DTransform<double>::New(); // world points to CT points
  pose->SetCenter(example::CenterOf(mu));
  const auto metric = SquaredDifferences::New();
  metric->SetFixedImage(itk::ReadImage<example::Image>(argv[2]));
  metric->SetGeometry(itk::RadiographGeometryJSON::ReadFile(argv[3]));
  metric->SetMovingImage(mu);
  metric->SetMovingTransform(pose);
  metric->Initialize();
  const auto optimizer = itk::FisherScoringOptimizerv4::New();
  optimizer->SetMetric(metric);
  optimizer->StartOptimization();
  std::cout << optimizer->GetStopConditionDescription() << std::endl;
  example::WriteTransform(pose, argv[4]);
  return true;
}

} // namespace

int
main(int argc, char * argv[])
{
  return example::Main(argc, argv, 5, "own_similarity CT_FOLDER DEPTH.nrrd VIEW.json OUT.tfm", Run);
}
