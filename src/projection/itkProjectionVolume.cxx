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
#include "itkProjectionVolume.h"

#include "compute/AttenuationScan.h"
#include "compute/TransposedVolume.h"
#include "projection/itkVolumeView.h"
#include "stairs/itkHandDownThreads.h"

#include "itkMultiThreaderBase.h"

#include <new>

namespace itk
{

constexpr double ProjectionVolume::LargestAttenuation;

ProjectionVolume::ProjectionVolume() = default;

ProjectionVolume::~ProjectionVolume() = default;

namespace
{

/** What an image whose values are no attenuation coefficients probably holds. */
const char *
GuessContent(const radiography::compute::AttenuationScan & scan)
{
  if (scan.hasNonFinite)
  {
    return "It holds values that are not numbers.";
  }
  if (scan.smallest < -100.0)
  {
    return "It looks like Hounsfield units: convert them with HounsfieldToAttenuationImageFilter.";
  }
  if (scan.largest > ProjectionVolume::LargestAttenuation)
  {
    return "It looks like Hounsfield units without negative values, stored values or 1/m: the projectors take 1/mm "
           "(water at 60 keV is 0.0206).";
  }
  return "Attenuation is never negative: clamp what an interpolation or a filter undershot.";
}

} // namespace

void
ProjectionVolume::SetImage(const ImageType * image)
{
  if (image == nullptr || image->GetLargestPossibleRegion().GetNumberOfPixels() == 0)
  {
    itkExceptionMacro("There is no volume to project: the image is " << (image == nullptr ? "missing." : "empty."));
  }
  if (image->GetBufferedRegion() != image->GetLargestPossibleRegion())
  {
    itkExceptionMacro("The volume must be in memory as a whole; in memory is " << image->GetBufferedRegion() << "of "
                                                                               << image->GetLargestPossibleRegion());
  }
  const auto threader = MultiThreaderBase::New();
  const auto scan =
    radiography::compute::ScanAttenuation(image->GetBufferPointer(),
                                          static_cast<std::int64_t>(image->GetBufferedRegion().GetNumberOfPixels()),
                                          LargestAttenuation,
                                          HandDownThreads(*threader));
  if (scan.firstBad >= 0)
  {
    itkExceptionMacro("The volume is not made of attenuation coefficients in 1/mm: voxel "
                      << image->ComputeIndex(static_cast<OffsetValueType>(scan.firstBad)) << " is "
                      << scan.firstBadValue << ", allowed is 0 to " << LargestAttenuation << "; all values lie between "
                      << scan.smallest << " and " << scan.largest << ". " << GuessContent(scan));
  }
  m_Image = image;
  this->ReleaseTransposedCopy();
  this->Modified();
}

std::shared_ptr<const float>
ProjectionVolume::GetTransposedCopy(MultiThreaderBase & multiThreader) const
{
  if (m_Image == nullptr)
  {
    itkExceptionMacro("The ProjectionVolume is empty: give it an image with SetImage().");
  }
  // Whoever comes while the copy is being made waits for it.
  const std::lock_guard<std::mutex> lock(m_TransposedCopyLock);
  if (m_TransposedCopy == nullptr)
  {
    const SizeValueType voxels = m_Image->GetBufferedRegion().GetNumberOfPixels();
    float * const       values = new (std::nothrow) float[voxels];
    if (values == nullptr)
    {
      itkExceptionMacro(
        "There is no memory for the copy of the volume that fast projection along its first axis needs, "
        << voxels * sizeof(float)
        << " bytes. SetPolicy(\"transposedCopy=0\") of the filter projects without it, slowly.");
    }
    const std::shared_ptr<const float> copy(values, std::default_delete<const float[]>());
    radiography::compute::TransposeVolume(MakeVolumeView(*m_Image), HandDownThreads(multiThreader), values);
    m_TransposedCopy = copy;
  }
  return m_TransposedCopy;
}

SizeValueType
ProjectionVolume::GetTransposedCopyBytes() const
{
  const std::lock_guard<std::mutex> lock(m_TransposedCopyLock);
  return m_TransposedCopy ? m_Image->GetBufferedRegion().GetNumberOfPixels() * sizeof(float) : 0;
}

void
ProjectionVolume::ReleaseTransposedCopy()
{
  const std::lock_guard<std::mutex> lock(m_TransposedCopyLock);
  m_TransposedCopy = nullptr;
}

void
ProjectionVolume::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  itkPrintSelfObjectMacro(Image);
  os << indent << "TransposedCopyBytes: " << this->GetTransposedCopyBytes() << std::endl;
}

} // namespace itk
