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
#ifndef MetricScenes_h
#define MetricScenes_h

#include "ProjectionFixtures.h"

#include "itkAffineTransform.h"
#include "itkCompositeTransform.h"
#include "itkEuler3DTransform.h"
#include "itkRadiographSensitivityCalculator.h"
#include "itkSimilarity3DTransform.h"
#include "itkVersorRigid3DTransform.h"

#include <random>
#include <vector>

/** What tests of metrics share: a small CT, transforms of many kinds, and Jacobians by differences. */
namespace radiography::test
{

using TransformType = itk::Transform<double, 3, 3>;
using ParametersType = itk::OptimizerParameters<double>;

/** A small CT of noise, about 100 mm wide, of oblique or mirrored direction, up to 0.03 /mm. */
inline ImageType::Pointer
MakeObliqueCT(unsigned int seed)
{
  std::mt19937 engine(seed);
  const auto   ct = MakeObliqueImage(engine, { { 12, 11, 9 } }, 8.0, 9.5, 11.0);
  FillAtRandom(*ct, engine, 0.0F, 0.03F);
  return ct;
}

/** Transforms of all kinds about centres of all kinds, each a few millimetres and hundredths of a radian from the
 * identity. A composite's last part is the one that its parameters are of. */
inline std::vector<TransformType::Pointer>
MakeTransforms()
{
  const auto euler = itk::Euler3DTransform<double>::New();
  euler->SetCenter(MakePoint(20, -15, 40));
  euler->SetRotation(0.05, -0.03, 0.04);
  euler->SetTranslation(MakePoint(3, -2, 4) - MakePoint(0, 0, 0));

  const auto versor = itk::VersorRigid3DTransform<double>::New();
  versor->SetCenter(MakePoint(-30, 10, 5));
  itk::Versor<double> turn;
  turn.SetRotationAroundZ(0.06);
  versor->SetRotation(turn);
  versor->SetTranslation(MakePoint(-2, 3, 1) - MakePoint(0, 0, 0));

  const auto similarity = itk::Similarity3DTransform<double>::New();
  similarity->SetCenter(MakePoint(5, 0, -25));
  turn.SetRotationAroundX(-0.05);
  similarity->SetRotation(turn);
  similarity->SetScale(1.04);
  similarity->SetTranslation(MakePoint(1, 2, -3) - MakePoint(0, 0, 0));

  const auto affine = itk::AffineTransform<double, 3>::New();
  affine->SetCenter(MakePoint(0, 12, -6));
  affine->Shear(0, 1, 0.03);
  affine->Scale(0.97);
  affine->Translate(MakePoint(2, -1, 2) - MakePoint(0, 0, 0));

  const auto stretch = itk::AffineTransform<double, 3>::New();
  stretch->Shear(2, 0, 0.05);
  const auto inner = itk::Euler3DTransform<double>::New();
  inner->SetRotation(-0.02, 0.05, 0.01);
  const auto composite = itk::CompositeTransform<double, 3>::New();
  composite->AddTransform(stretch);
  composite->AddTransform(inner);
  composite->SetOnlyMostRecentTransformToOptimizeOn();

  return {
    euler.GetPointer(), versor.GetPointer(), similarity.GetPointer(), affine.GetPointer(), composite.GetPointer()
  };
}

/** The optical depths of all pixels of a view in binary64. */
inline std::vector<double>
ProjectInDouble(const ImageType & ct, const GeometryType & view, const TransformType & transform, Projector projector)
{
  const auto          columns = static_cast<std::size_t>(view.GetDetectorSize()[0]);
  std::vector<double> depths(columns * view.GetDetectorSize()[1]);
  const auto          calculator = itk::RadiographSensitivityCalculator::New();
  calculator->SetImage(&ct);
  calculator->SetGeometry(&view);
  calculator->SetTransform(&transform);
  calculator->SetProjector(projector);
  calculator->SetPolicy("simd=0");
  calculator->SetObjective([&](itk::IndexValueType column, itk::IndexValueType row, double depth) {
    depths[static_cast<std::size_t>(column) + static_cast<std::size_t>(row) * columns] = depth;
    return itk::RadiographSensitivityCalculator::PixelObjective{};
  });
  calculator->Compute();
  return depths;
}

/** dL / d(parameters) of all pixels, a vector for each parameter, by central differences.
 * \param steps one for each parameter */
inline std::vector<std::vector<double>>
DifferenceDepths(const ImageType &           ct,
                 const GeometryType &        view,
                 TransformType &             transform,
                 Projector                   projector,
                 const std::vector<double> & steps)
{
  const ParametersType             here = transform.GetParameters();
  std::vector<std::vector<double>> jacobian;
  for (unsigned int i = 0; i < here.GetSize(); ++i)
  {
    ParametersType moved = here;
    moved[i] = here[i] + steps[i];
    transform.SetParametersByValue(moved);
    auto column = ProjectInDouble(ct, view, transform, projector);
    moved[i] = here[i] - steps[i];
    transform.SetParametersByValue(moved);
    const auto below = ProjectInDouble(ct, view, transform, projector);
    for (std::size_t pixel = 0; pixel < column.size(); ++pixel)
    {
      column[pixel] = (column[pixel] - below[pixel]) / (2.0 * steps[i]);
    }
    jacobian.push_back(column);
  }
  transform.SetParametersByValue(here);
  return jacobian;
}

} // namespace radiography::test

#endif
