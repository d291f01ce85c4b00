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
#include "itkRadiographRegistrationMethod.h"

#include "projection/itkProjectionCall.h"
#include "registration/itkRadiographRegistrationRun.h"
#include "projection/itkViewRays.h"
#include "registration/itkRegistrationLevels.h"
#include "registration/itkRegistrationTransforms.h"

#include "itkNumberToString.h"

#include <algorithm>
#include <cmath>
#include <ostream>

namespace itk
{
namespace
{

constexpr const char * ImageInput = "Image";
constexpr const char * GeometryInput = "Geometry";
constexpr const char * MaskInput = "Mask";
constexpr const char * OpenBeamInput = "OpenBeamCounts";
constexpr const char * ScatterInput = "Scatter";

std::string
TextOfNumber(double number)
{
  return NumberToString<double>()(number);
}

std::string
NameOfInput(unsigned int view, const char * what)
{
  return "View" + std::to_string(view) + what;
}

} // namespace

RadiographRegistrationMethod::RadiographRegistrationMethod()
{
  this->SetPrimaryInputName("Volume");
  this->SetNumberOfRequiredInputs(1);
  this->SetNumberOfRequiredOutputs(1);
  this->SetNthOutput(0, this->MakeOutput(0));
}

RadiographRegistrationMethod::~RadiographRegistrationMethod() = default;

DataObject::Pointer
RadiographRegistrationMethod::MakeOutput(DataObjectPointerArraySizeType)
{
  return ResultType::New().GetPointer();
}

RadiographRegistrationMethod::ResultType *
RadiographRegistrationMethod::GetOutput()
{
  return static_cast<ResultType *>(this->GetPrimaryOutput());
}

const RadiographRegistrationMethod::ResultType *
RadiographRegistrationMethod::GetOutput() const
{
  return static_cast<const ResultType *>(this->GetPrimaryOutput());
}

const RadiographRegistrationMethod::TransformType *
RadiographRegistrationMethod::GetTransform() const
{
  return this->GetOutput()->GetTransform();
}

void
RadiographRegistrationMethod::SetInput(const ImageType * mu)
{
  this->SetNthInput(0, const_cast<ImageType *>(mu));
}

const RadiographRegistrationMethod::ImageType *
RadiographRegistrationMethod::GetInput() const
{
  return static_cast<const ImageType *>(this->GetPrimaryInput());
}

void
RadiographRegistrationMethod::SetViewInput(unsigned int view, const char * what, const DataObject * input)
{
  this->NumbersOf(view);
  this->ProcessObject::SetInput(NameOfInput(view, what), const_cast<DataObject *>(input));
}

const DataObject *
RadiographRegistrationMethod::GetViewInput(unsigned int view, const char * what) const
{
  this->NumbersOf(view);
  return this->ProcessObject::GetInput(NameOfInput(view, what));
}

const RadiographRegistrationMethod::ViewNumbers &
RadiographRegistrationMethod::NumbersOf(unsigned int view) const
{
  if (view >= m_NumberOfViews)
  {
    itkExceptionMacro("There is no view " << view << ": the number of views is " << m_NumberOfViews
                                          << ", counted from 0. Call AddView() first.");
  }
  return m_ViewNumbers[view];
}

unsigned int
RadiographRegistrationMethod::AddView(const ImageType *          image,
                                      const RadiographGeometry * geometry,
                                      const MaskType *           mask)
{
  const unsigned int view = m_NumberOfViews++;
  m_ViewNumbers.emplace_back();
  this->SetViewInput(view, ImageInput, image);
  this->SetViewInput(view, GeometryInput, geometry);
  this->SetViewInput(view, MaskInput, mask);
  this->Modified();
  return view;
}

void
RadiographRegistrationMethod::ClearViews()
{
  for (unsigned int view = 0; view < m_NumberOfViews; ++view)
  {
    for (const char * const what : { ImageInput, GeometryInput, MaskInput, OpenBeamInput, ScatterInput })
    {
      this->RemoveInput(NameOfInput(view, what));
    }
  }
  m_NumberOfViews = 0;
  m_ViewNumbers.clear();
  this->Modified();
}

const RadiographRegistrationMethod::ImageType *
RadiographRegistrationMethod::GetViewImage(unsigned int view) const
{
  return static_cast<const ImageType *>(this->GetViewInput(view, ImageInput));
}

const RadiographGeometry *
RadiographRegistrationMethod::GetViewGeometry(unsigned int view) const
{
  return static_cast<const RadiographGeometry *>(this->GetViewInput(view, GeometryInput));
}

const RadiographRegistrationMethod::MaskType *
RadiographRegistrationMethod::GetViewMask(unsigned int view) const
{
  return static_cast<const MaskType *>(this->GetViewInput(view, MaskInput));
}

void
RadiographRegistrationMethod::SetOpenBeamCounts(unsigned int view, double counts)
{
  this->SetViewInput(view, OpenBeamInput, nullptr);
  m_ViewNumbers[view].openBeamCounts = counts;
  this->Modified();
}

double
RadiographRegistrationMethod::GetOpenBeamCounts(unsigned int view) const
{
  return this->NumbersOf(view).openBeamCounts;
}

void
RadiographRegistrationMethod::SetOpenBeamCountsImage(unsigned int view, const ImageType * counts)
{
  this->SetViewInput(view, OpenBeamInput, counts);
  m_ViewNumbers[view].openBeamCounts = 0.0;
  this->Modified();
}

const RadiographRegistrationMethod::ImageType *
RadiographRegistrationMethod::GetOpenBeamCountsImage(unsigned int view) const
{
  return static_cast<const ImageType *>(this->GetViewInput(view, OpenBeamInput));
}

void
RadiographRegistrationMethod::SetGain(unsigned int view, double gain)
{
  this->NumbersOf(view);
  m_ViewNumbers[view].gain = gain;
  this->Modified();
}

double
RadiographRegistrationMethod::GetGain(unsigned int view) const
{
  return this->NumbersOf(view).gain;
}

void
RadiographRegistrationMethod::SetOffset(unsigned int view, double offset)
{
  this->NumbersOf(view);
  m_ViewNumbers[view].offset = offset;
  this->Modified();
}

double
RadiographRegistrationMethod::GetOffset(unsigned int view) const
{
  return this->NumbersOf(view).offset;
}

void
RadiographRegistrationMethod::SetScatterImage(unsigned int view, const ImageType * scatter)
{
  this->SetViewInput(view, ScatterInput, scatter);
}

const RadiographRegistrationMethod::ImageType *
RadiographRegistrationMethod::GetScatterImage(unsigned int view) const
{
  return static_cast<const ImageType *>(this->GetViewInput(view, ScatterInput));
}

void
RadiographRegistrationMethod::SetLevels(const std::vector<LevelType> & levels)
{
  m_Levels = levels;
  this->Modified();
}

std::vector<RadiographRegistrationMethod::LevelType>
RadiographRegistrationMethod::MakeDefaultLevels() const
{
  return MakeRegistrationLevels(this->MeasureSizes(), m_FullResolution, m_FullResolutionBudget);
}

RegistrationSizes
RadiographRegistrationMethod::MeasureSizes() const
{
  const PointType   center = this->GetCenterOfCT();
  const PointType   worldCenter = m_InitialTransform ? FindOrigin(*m_InitialTransform, center) : center;
  RegistrationSizes sizes;
  sizes.volumeSize = this->GetInput()->GetLargestPossibleRegion().GetSize();
  sizes.volumeSpacing = this->GetInput()->GetSpacing();
  for (unsigned int view = 0; view < m_NumberOfViews; ++view)
  {
    const RadiographGeometry & geometry = *this->GetViewGeometry(view);
    sizes.views.push_back({ geometry.GetDetectorSize(), ComputePitchAt(geometry, worldCenter) });
  }
  return sizes;
}

void
RadiographRegistrationMethod::SetTarget(const PointType & ctPoint)
{
  m_Target = ctPoint;
  m_TargetIsGiven = true;
  this->Modified();
}

void
RadiographRegistrationMethod::UnsetTarget()
{
  m_TargetIsGiven = false;
  this->Modified();
}

RadiographRegistrationMethod::PointType
RadiographRegistrationMethod::GetTarget() const
{
  return m_TargetIsGiven ? m_Target : this->GetCenterOfCT();
}

RadiographRegistrationMethod::PointType
RadiographRegistrationMethod::GetCenterOfCT() const
{
  if (!this->GetInput())
  {
    itkExceptionMacro("There is no CT. Call SetInput() with mu in 1/mm.");
  }
  return CenterOfGrid(*this->GetInput());
}

ModifiedTimeType
RadiographRegistrationMethod::GetMTime() const
{
  const ModifiedTimeType own = Superclass::GetMTime();
  return m_InitialTransform ? std::max(own, m_InitialTransform->GetMTime()) : own;
}

void
RadiographRegistrationMethod::RefuseNumbers() const
{
  const auto refuse = [this](const char * name, double number, bool isGood, const char * rule) {
    if (!isGood)
    {
      itkExceptionMacro("" << name << " is " << TextOfNumber(number) << "; it must be " << rule << '.');
    }
  };
  const auto refuseBelow0 = [&refuse](const char * name, double number) {
    refuse(name, number, number >= 0.0 && std::isfinite(number), "finite and not negative");
  };
  const auto refuseAtMost0 = [&refuse](const char * name, double number) {
    refuse(name, number, number > 0.0 && std::isfinite(number), "finite and above 0");
  };
  refuseAtMost0("Dispersion", m_Dispersion);
  refuseBelow0("StartTranslationSpread", m_StartTranslationSpread);
  refuseBelow0("StartRotationSpread", m_StartRotationSpread);
  refuseAtMost0("FullResolutionBudget", m_FullResolutionBudget);
  refuseAtMost0("OutlierBound", m_OutlierBound);
  refuseAtMost0("StationarityTolerance", m_StationarityTolerance);
  refuseAtMost0("CoarseStationarityTolerance", m_CoarseStationarityTolerance);
  refuseAtMost0("StationarityBound", m_StationarityBound);
  refuseAtMost0("RelativeResidualBound", m_RelativeResidualBound);
  refuse("AttenuationBound", m_AttenuationBound, m_AttenuationBound >= 1.0, "1 or more");
  refuse("ExposureBound", m_ExposureBound, m_ExposureBound >= 1.0, "1 or more");
  refuse("HalvesTolerance", m_HalvesTolerance, !(m_HalvesTolerance < 0.0), "0 or more, or NaN for the default");
  refuse("CorrelationBound", m_CorrelationBound, m_CorrelationBound >= -1.0 && m_CorrelationBound <= 1.0, "-1 to 1");
}

// What the metric would find only after images and volume have been reduced.
void
RadiographRegistrationMethod::RefuseView(unsigned int view) const
{
  if (!this->GetViewImage(view))
  {
    itkExceptionMacro("View " << view << " has no image. Call AddView() with one.");
  }
  if (!this->GetViewGeometry(view))
  {
    itkExceptionMacro("View " << view << " has no geometry. Call AddView() with source and detector in the world.");
  }
  RefuseEmptyDetector(*this->GetViewGeometry(view));
}

void
RadiographRegistrationMethod::RefuseGrid(unsigned int view, const ImageBase<3> * image, const char * what) const
{
  const Size<3> detector = this->GetViewGeometry(view)->GetDetectorSize();
  if (image && image->GetLargestPossibleRegion().GetSize() != detector)
  {
    itkExceptionMacro("" << what << " of view " << view << " is of size " << image->GetLargestPossibleRegion().GetSize()
                         << ", and the detector of its geometry of size " << detector
                         << ". Give the geometry of this image.");
  }
}

void
RadiographRegistrationMethod::RefuseLevels(const std::vector<LevelType> & levels) const
{
  const Size<3> volumeSize = this->GetInput()->GetLargestPossibleRegion().GetSize();
  for (std::size_t i = 0; i < levels.size(); ++i)
  {
    const LevelType & level = levels[i];
    if (level.imageBlocks.size() != 1 && level.imageBlocks.size() != m_NumberOfViews)
    {
      itkExceptionMacro("Level " << i << " has " << level.imageBlocks.size() << " image blocks for " << m_NumberOfViews
                                 << " views. Give one for each view, or one for all.");
    }
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      if (level.volumeBlock[axis] == 0 || level.volumeBlock[axis] > volumeSize[axis])
      {
        itkExceptionMacro("Level " << i << " averages " << level.volumeBlock[axis] << " voxels along axis " << axis
                                   << ", where the CT has " << volumeSize[axis] << ". Choose 1 to that.");
      }
    }
    for (unsigned int view = 0; view < m_NumberOfViews; ++view)
    {
      const unsigned int  block = level.imageBlocks.size() == 1 ? level.imageBlocks.front() : level.imageBlocks[view];
      const Size<3>       size = this->GetViewGeometry(view)->GetDetectorSize();
      const SizeValueType least = std::min(size[0], size[1]);
      if (block == 0 || level.stride == 0 || least / block < level.stride)
      {
        itkExceptionMacro("Level " << i << " leaves no pixel of view " << view << ": its detector is of size " << size
                                   << ", blocks have " << block << " pixels along a side, and the stride is "
                                   << level.stride << ". Choose smaller ones, from 1 on.");
      }
    }
  }
}

void
RadiographRegistrationMethod::VerifyPreconditions() ITKv5_CONST
{
  Superclass::VerifyPreconditions();
  if (m_NumberOfViews == 0)
  {
    itkExceptionMacro("There is no view. Call AddView() with an image and its geometry.");
  }
  this->RefuseNumbers();
  if (m_MaskOutliers && m_Metric != MetricEnum::Poisson)
  {
    itkExceptionMacro("Outliers can be told only from the prediction of counts, and the metric is "
                      << m_Metric << ". Set MaskOutliers off, or Metric to Poisson.");
  }
  for (unsigned int view = 0; view < m_NumberOfViews; ++view)
  {
    this->RefuseView(view);
  }
}

void
RadiographRegistrationMethod::VerifyInputInformation() ITKv5_CONST
{
  for (unsigned int view = 0; view < m_NumberOfViews; ++view)
  {
    this->RefuseGrid(view, this->GetViewImage(view), "The image");
    this->RefuseGrid(view, this->GetViewMask(view), "The mask");
    this->RefuseGrid(view, this->GetOpenBeamCountsImage(view), "The open-beam image");
    this->RefuseGrid(view, this->GetScatterImage(view), "The scatter image");
  }
  const auto initial = MakeSearchTransform(m_TransformKind, m_InitialTransform, this->GetCenterOfCT());
  if (m_NumberOfStarts > 1 && !IsClosedUnderRigidMotions(*initial))
  {
    itkExceptionMacro("Starts are drawn as rigid motions, which a "
                      << initial->GetNameOfClass() << " cannot follow. Set NumberOfStarts to 1 (it is "
                      << m_NumberOfStarts << "), or search Euler transforms.");
  }
  this->RefuseLevels(m_Levels.empty() ? this->MakeDefaultLevels() : m_Levels);
}

void
RadiographRegistrationMethod::GenerateData()
{
  m_Trace.clear();
  this->GetOutput()->Initialize();
  RadiographRegistrationRun run(*this);
  this->GetOutput()->SetContent(run.Execute());
  this->UpdateProgress(1.0f);
}

void
RadiographRegistrationMethod::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "NumberOfViews: " << m_NumberOfViews << '\n';
  for (const ViewNumbers & view : m_ViewNumbers)
  {
    os << indent.GetNextIndent() << "OpenBeamCounts: " << view.openBeamCounts << ", Gain: " << view.gain
       << ", Offset: " << view.offset << '\n';
  }
  os << indent << "Metric: " << m_Metric << '\n';
  os << indent << "Compared: " << m_Compared << '\n';
  os << indent << "Relation: " << m_Relation << '\n';
  os << indent << "EstimateExposure: " << m_EstimateExposure << '\n';
  os << indent << "EstimateAttenuation: " << m_EstimateAttenuation << '\n';
  os << indent << "EstimateScatter: " << m_EstimateScatter << '\n';
  os << indent << "ScatterNodes: " << m_ScatterNodes << '\n';
  os << indent << "Dispersion: " << m_Dispersion << '\n';
  os << indent << "EstimateDispersion: " << m_EstimateDispersion << '\n';
  os << indent << "TransformKind: " << m_TransformKind << '\n';
  os << indent << "InitialTransform: " << m_InitialTransform.GetPointer() << '\n';
  os << indent << "NumberOfStarts: " << m_NumberOfStarts << '\n';
  os << indent << "StartTranslationSpread: " << m_StartTranslationSpread << '\n';
  os << indent << "StartRotationSpread: " << m_StartRotationSpread << '\n';
  os << indent << "NumberOfStartsToOptimize: " << m_NumberOfStartsToOptimize << '\n';
  os << indent << "StartImageSize: " << m_StartImageSize << '\n';
  os << indent << "Seed: " << m_Seed << '\n';
  os << indent << "MaskTruncation: " << m_MaskTruncation << '\n';
  os << indent << "CutFaces: " << m_CutFaces << '\n';
  os << indent << "TruncationMargin: " << m_TruncationMargin << '\n';
  os << indent << "MaskOutliers: " << m_MaskOutliers << '\n';
  os << indent << "OutlierBound: " << m_OutlierBound << '\n';
  os << indent << "Levels: " << m_Levels.size() << '\n';
  os << indent << "FullResolution: " << m_FullResolution << '\n';
  os << indent << "FullResolutionBudget: " << m_FullResolutionBudget << '\n';
  os << indent << "Policy: " << m_Policy << '\n';
  os << indent << "MaximumNumberOfIterations: " << m_MaximumNumberOfIterations << '\n';
  os << indent << "StationarityTolerance: " << m_StationarityTolerance << '\n';
  os << indent << "CoarseStationarityTolerance: " << m_CoarseStationarityTolerance << '\n';
  os << indent << "TargetIsGiven: " << m_TargetIsGiven << '\n';
  os << indent << "Target: " << m_Target << '\n';
  os << indent << "BlockSize: " << m_BlockSize << '\n';
  os << indent << "CompareHalves: " << m_CompareHalves << '\n';
  os << indent << "HalvesTolerance: " << m_HalvesTolerance << '\n';
  os << indent << "StationarityBound: " << m_StationarityBound << '\n';
  os << indent << "RelativeResidualBound: " << m_RelativeResidualBound << '\n';
  os << indent << "CorrelationBound: " << m_CorrelationBound << '\n';
  os << indent << "AttenuationBound: " << m_AttenuationBound << '\n';
  os << indent << "ExposureBound: " << m_ExposureBound << '\n';
  os << indent << "Trace: " << m_Trace.size() << " steps\n";
}

} // namespace itk
