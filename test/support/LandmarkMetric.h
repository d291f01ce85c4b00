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
#ifndef LandmarkMetric_h
#define LandmarkMetric_h

#include "itkFisherInformationProvider.h"

#include "itkImage.h"
#include "itkImageToImageMetricv4.h"

#include <cmath>
#include <functional>
#include <vector>

/** Metrics that need no image, for tests of what drives metrics. */
namespace testmetrics
{

using LandmarkMetricBase =
  itk::ImageToImageMetricv4<itk::Image<float, 3>, itk::Image<float, 3>, itk::Image<float, 3>, double>;

/** Half the sum of |T(x_i) - y_i|^2 / sigma^2, for any transform: the negative log-likelihood of landmarks. */
class LandmarkMetric
  : public LandmarkMetricBase
  , public itk::FisherInformationProvider
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(LandmarkMetric);

  using Self = LandmarkMetric;
  using Superclass = LandmarkMetricBase;
  using Pointer = itk::SmartPointer<Self>;
  using MeasureType = Superclass::MeasureType;
  using DerivativeType = Superclass::DerivativeType;
  using PointType = itk::Point<double, 3>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(LandmarkMetric);

  struct Pair
  {
    PointType fixed;
    PointType moving;
  };
  std::vector<Pair> pairs;
  double            sigma{ 1.0 };
  /** Beyond this distance from the origin of the moving points' space no pair counts: evaluations are invalid. */
  double         reach{ 1e6 };
  mutable size_t evaluations{ 0 };

  /** Corners of a box, mapped by `truth`. */
  void
  SetPairs(const MovingTransformType & truth)
  {
    pairs.clear();
    for (int corner = 0; corner < 8; ++corner)
    {
      Pair pair;
      pair.fixed[0] = (corner & 1) != 0 ? 60.0 : -60.0;
      pair.fixed[1] = (corner & 2) != 0 ? 40.0 : -40.0;
      pair.fixed[2] = (corner & 4) != 0 ? 50.0 : -50.0;
      pair.moving = truth.TransformPoint(pair.fixed);
      pairs.push_back(pair);
    }
  }

  /** A virtual domain, and none of the checks for images. */
  void
  Initialize() override
  {
    itk::Vector<double, 3>        spacing(10.0);
    PointType                     origin(-70.0);
    itk::Matrix<double, 3, 3>     direction;
    itk::ImageRegion<3>::SizeType size{ { 15, 15, 15 } };
    direction.SetIdentity();
    this->SetVirtualDomain(spacing, origin, direction, itk::ImageRegion<3>(size));
  }

  bool
  GetValueDerivativeAndInformation(MeasureType &     value,
                                   DerivativeType &  derivative,
                                   InformationType & information) const override
  {
    ++evaluations;
    const auto &       transform = *this->GetMovingTransform();
    const unsigned int count = transform.GetNumberOfParameters();
    bool               isValid = true;
    value = 0.0;
    if (derivative.size() != count)
    {
      derivative.SetSize(count);
    }
    derivative.fill(0.0);
    information.set_size(count, count);
    information.fill(0.0);
    MovingTransformType::JacobianType jacobian(3, count);
    for (const Pair & pair : pairs)
    {
      const PointType mapped = transform.TransformPoint(pair.fixed);
      isValid = isValid && mapped.GetVectorFromOrigin().GetNorm() < reach;
      transform.ComputeJacobianWithRespectToParameters(pair.fixed, jacobian);
      const vnl_vector<double> residual = (mapped - pair.moving).GetVnlVector() / sigma;
      value += residual.squared_magnitude() / 2.0;
      derivative -= residual * (jacobian / sigma);
      information += jacobian.transpose() * jacobian / (sigma * sigma);
    }
    if (!isValid)
    {
      value = 1e20;
    }
    this->m_Value = value;
    this->m_NumberOfValidPoints = isValid ? pairs.size() : 0;
    return isValid;
  }

  MeasureType
  GetValue() const override
  {
    MeasureType    value = 0.0;
    DerivativeType derivative;
    this->GetValueAndDerivative(value, derivative);
    return value;
  }

  void
  GetDerivative(DerivativeType & derivative) const override
  {
    MeasureType value = 0.0;
    this->GetValueAndDerivative(value, derivative);
  }

  void
  GetValueAndDerivative(MeasureType & value, DerivativeType & derivative) const override
  {
    InformationType information;
    this->GetValueDerivativeAndInformation(value, derivative, information);
  }

  itk::ThreadIdType
  GetNumberOfWorkUnitsUsed() const override
  {
    return 1;
  }
  void
  SetMaximumNumberOfWorkUnits(const itk::ThreadIdType) override
  {}
  itk::ThreadIdType
  GetMaximumNumberOfWorkUnits() const override
  {
    return 1;
  }

protected:
  LandmarkMetric()
  {
    this->m_UseFixedImageGradientFilter = false;
    this->m_UseMovingImageGradientFilter = false;
  }
  ~LandmarkMetric() override = default;
};

/** Half the sum of squares of residuals that a test states, over parameters of its own. */
class ResidualMetric
  : public itk::ObjectToObjectMetricBaseTemplate<double>
  , public itk::FisherInformationProvider
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(ResidualMetric);

  using Self = ResidualMetric;
  using Superclass = itk::ObjectToObjectMetricBaseTemplate<double>;
  using Pointer = itk::SmartPointer<Self>;
  using MeasureType = Superclass::MeasureType;
  using DerivativeType = Superclass::DerivativeType;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(ResidualMetric);

  /** residuals (size M) and their Jacobian (M x N) at the parameters; false: the evaluation is invalid. */
  using ModelType =
    std::function<bool(const vnl_vector<double> &, vnl_vector<double> & residuals, vnl_matrix<double> & jacobian)>;
  ModelType      model;
  ParametersType parameters;
  mutable size_t evaluations{ 0 };

  bool
  GetValueDerivativeAndInformation(MeasureType &     value,
                                   DerivativeType &  derivative,
                                   InformationType & information) const override
  {
    ++evaluations;
    vnl_vector<double> residuals;
    vnl_matrix<double> jacobian;
    const bool         isValid = model(parameters, residuals, jacobian);
    value = residuals.squared_magnitude() / 2.0;
    derivative = DerivativeType(-(residuals * jacobian));
    information = jacobian.transpose() * jacobian;
    this->m_Value = value;
    return isValid;
  }

  void
  Initialize() override
  {}
  MeasureType
  GetValue() const override
  {
    MeasureType    value = 0.0;
    DerivativeType derivative;
    this->GetValueAndDerivative(value, derivative);
    return value;
  }
  void
  GetDerivative(DerivativeType & derivative) const override
  {
    MeasureType value = 0.0;
    this->GetValueAndDerivative(value, derivative);
  }
  void
  GetValueAndDerivative(MeasureType & value, DerivativeType & derivative) const override
  {
    InformationType information;
    this->GetValueDerivativeAndInformation(value, derivative, information);
  }
  NumberOfParametersType
  GetNumberOfParameters() const override
  {
    return parameters.size();
  }
  NumberOfParametersType
  GetNumberOfLocalParameters() const override
  {
    return parameters.size();
  }
  void
  SetParameters(ParametersType & values) override
  {
    parameters = values;
  }
  const ParametersType &
  GetParameters() const override
  {
    return parameters;
  }
  bool
  HasLocalSupport() const override
  {
    return false;
  }
  void
  UpdateTransformParameters(const DerivativeType & update, ParametersValueType factor) override
  {
    parameters += update * factor;
  }

protected:
  ResidualMetric() = default;
  ~ResidualMetric() override = default;
};

} // namespace testmetrics

#endif
