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
#include "itkRadiographBackProjectionImageFilter.h"

#include "compute/BackProjection.h"
#include "compute/PixelGrid.h"
#include "projection/itkProjectionCall.h"
#include "projection/itkViewRays.h"
#include "stairs/itkHandDownThreads.h"

#include "itkIdentityTransform.h"
#include "itkMultiThreaderBase.h"
#include "itkNumberToString.h"

#include <algorithm>

namespace itk
{

namespace compute = radiography::compute;
namespace kernel = radiography::kernel;

namespace
{

/** A requested region as voxels counted from the first of the largest region. */
kernel::IndexBox
MakeBox(const ImageRegion<3> & region, const Index<3> & first)
{
  kernel::IndexBox box{};
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    box.begin[axis] = region.GetIndex(axis) - first[axis];
    box.end[axis] = box.begin[axis] + static_cast<std::int64_t>(region.GetSize(axis));
  }
  return box;
}

kernel::VolumeView
MakeGrid(const Size<3> & size)
{
  return kernel::MakeVolumeGrid(
    static_cast<std::int64_t>(size[0]), static_cast<std::int64_t>(size[1]), static_cast<std::int64_t>(size[2]));
}

} // namespace

RadiographBackProjectionImageFilter::RadiographBackProjectionImageFilter()
{
  this->AddRequiredInputName("Geometry");
  this->SetTransform(IdentityTransform<double, 3>::New());
  m_Size.Fill(0);
  m_OutputSpacing.Fill(1.0);
  m_OutputOrigin.Fill(0.0);
  m_OutputDirection.SetIdentity();
  m_OutputStartIndex.Fill(0);
}

RadiographBackProjectionImageFilter::~RadiographBackProjectionImageFilter() = default;

void
RadiographBackProjectionImageFilter::SetPolicy(const std::string & overrides)
{
  CheckPolicyText(overrides);
  if (overrides != m_Policy)
  {
    m_Policy = overrides;
    this->Modified();
  }
}

void
RadiographBackProjectionImageFilter::VerifyPreconditions() ITKv5_CONST
{
  Superclass::VerifyPreconditions();
  if (m_WeightPower != 1 && m_WeightPower != 2)
  {
    itkExceptionMacro("WeightPower is " << m_WeightPower << "; it can be 1 (the transpose) or 2 (weights squared).");
  }
  ToAffineMap(*this->GetTransform());
}

// The superclass wants all image inputs in one place: the pixels lie on the detector, the reference image elsewhere.
void
RadiographBackProjectionImageFilter::VerifyInputInformation() ITKv5_CONST
{
  RefuseEmptyDetector(*this->GetGeometry());
  RefuseOtherGrid(*this->GetInput(),
                  *this->GetGeometry(),
                  this->GetCoordinateTolerance(),
                  this->GetDirectionTolerance(),
                  "The input image");
}

void
RadiographBackProjectionImageFilter::GenerateOutputInformation()
{
  ImageType & output = *this->GetOutput();
  if (const ReferenceImageType * const reference = this->GetReferenceImage())
  {
    output.CopyInformation(reference);
  }
  else
  {
    output.SetLargestPossibleRegion({ m_OutputStartIndex, m_Size });
    output.SetSpacing(m_OutputSpacing);
    output.SetOrigin(m_OutputOrigin);
    output.SetDirection(m_OutputDirection);
  }
  if (output.GetLargestPossibleRegion().GetNumberOfPixels() == 0)
  {
    itkExceptionMacro("The volume's grid has no voxels (size "
                      << output.GetLargestPossibleRegion().GetSize()
                      << "): give a grid with SetReferenceImage(), or with SetSize() and its companions.");
  }
}

void
RadiographBackProjectionImageFilter::GenerateInputRequestedRegion()
{
  // A voxel can meet any ray.
  const_cast<ImageType *>(this->GetInput())->SetRequestedRegionToLargestPossibleRegion();
  if (auto * const reference = const_cast<ReferenceImageType *>(this->GetReferenceImage()))
  {
    // Nothing of it is read; this keeps a region of its own that it may have valid.
    reference->SetRequestedRegionToLargestPossibleRegion();
  }
}

unsigned int
RadiographBackProjectionImageFilter::ComputeNumberOfBands(SizeValueType memoryBudget)
{
  this->UpdateOutputInformation();
  const auto          size = this->GetOutput()->GetLargestPossibleRegion().GetSize();
  const SizeValueType pixelBytes = 2 * sizeof(float) * this->GetInput()->GetLargestPossibleRegion().GetNumberOfPixels();
  const SizeValueType voxelBytes = sizeof(float) * size[0] * size[1];
  const SizeValueType sumBytes = sizeof(double) * size[0] * size[1];
  if (memoryBudget < pixelBytes + voxelBytes + sumBytes)
  {
    itkExceptionMacro("The memory budget of " << memoryBudget << " bytes is too small: " << pixelBytes
                                              << " bytes are for the pixels and " << voxelBytes + sumBytes
                                              << " for a single slice of the volume. Give at least "
                                              << pixelBytes + voxelBytes + sumBytes << '.');
  }
  // Sums are kept for the slices that are being worked on, for all of a thin band.
  const SizeValueType threads =
    std::min<SizeValueType>(this->GetMultiThreader()->GetMaximumNumberOfThreads(), this->GetNumberOfWorkUnits());
  const SizeValueType atWork = threads * static_cast<SizeValueType>(SelectPolicy(m_Policy).backProjectionSlices);
  const SizeValueType rest = memoryBudget - pixelBytes;
  const SizeValueType thin = rest / (voxelBytes + sumBytes);
  const SizeValueType most = thin < atWork ? thin : (rest - atWork * sumBytes) / voxelBytes;
  return static_cast<unsigned int>((size[2] + most - 1) / most);
}

void
RadiographBackProjectionImageFilter::RefuseBadPixels(const ImageType & pixels)
{
  const auto                            region = pixels.GetLargestPossibleRegion();
  const auto                            columns = static_cast<std::int64_t>(region.GetSize(0));
  const auto                            rows = static_cast<std::int64_t>(region.GetSize(1));
  const compute::PixelView<const float> view{ pixels.GetBufferPointer(), columns, columns * rows };
  const auto bad = compute::FindFirstNonFinite({ columns, rows, 1 }, view, HandDownThreads(*this->GetMultiThreader()));
  if (bad)
  {
    itkExceptionMacro("The pixels to be projected back must be finite; pixel ["
                      << region.GetIndex(0) + bad->column << ", " << region.GetIndex(1) + bad->row << "] is "
                      << NumberToString<float>()(bad->value) << '.');
  }
}

void
RadiographBackProjectionImageFilter::GenerateData()
{
  const compute::ProjectionPolicy policy = SelectPolicy(m_Policy);
  const ImageType &               pixels = *this->GetInput();
  ImageType &                     output = *this->GetOutput();
  this->RefuseBadPixels(pixels);
  const auto rays = MakeViewRays(*this->GetGeometry(), ToAffineMap(*this->GetTransform()), output);

  this->AllocateOutputs();
  const auto                largest = output.GetLargestPossibleRegion();
  const auto                power = m_WeightPower == 1 ? compute::WeightPower::One : compute::WeightPower::Two;
  const compute::VoxelBlock block{ output.GetBufferPointer(), MakeBox(output.GetBufferedRegion(), largest.GetIndex()) };
  const auto                result = compute::BackProject(MakeGrid(largest.GetSize()),
                                           rays,
                                           ToCompute(m_Projector),
                                           policy,
                                           HandDownThreads(*this, 0.95F),
                                           pixels.GetBufferPointer(),
                                           power,
                                           block,
                                           HandDownThreads(*this, 0.05F));
  m_ComputeReport = MakeComputeReport(result.report, *this);
  if (result.outOfRange)
  {
    output.Initialize();
    Index<3> index = largest.GetIndex();
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      index[axis] += result.outOfRange->index[axis];
    }
    itkExceptionMacro("The sum of voxel " << index << " is " << NumberToString<double>()(result.outOfRange->value)
                                          << ", which binary32 cannot hold: scale the pixels down.");
  }
}

void
RadiographBackProjectionImageFilter::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "Size: " << m_Size << std::endl;
  os << indent << "OutputSpacing: " << m_OutputSpacing << std::endl;
  os << indent << "OutputOrigin: " << m_OutputOrigin << std::endl;
  os << indent << "OutputDirection:" << std::endl << m_OutputDirection;
  os << indent << "OutputStartIndex: " << m_OutputStartIndex << std::endl;
  os << indent << "Projector: " << m_Projector << std::endl;
  os << indent << "WeightPower: " << m_WeightPower << std::endl;
  os << indent << "Policy: " << (m_Policy.empty() ? "(defaults)" : m_Policy) << std::endl;
  PrintComputeReport(os, indent, m_ComputeReport);
}

} // namespace itk
