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
#include "itkTransmissionAdjointBase.h"

#include "compute/PixelGradient.h"
#include "stairs/itkHandDownThreads.h"
#include "stairs/itkSamePlace.h"
#include "transmission/itkDataStamp.h"
#include "transmission/itkPixelViews.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <ostream>

namespace itk
{
namespace
{

constexpr float CheckWeight = 0.05f;

const char *
OnOrOff(bool flag)
{
  return flag ? "On" : "Off";
}

using Buffer = Image<float, 3>::PixelContainer;

// Everything that the containers hold, whether it belongs to a requested region or not.
bool
Overlap(const Buffer & one, const Buffer & other)
{
  if (one.Capacity() == 0 || other.Capacity() == 0)
  {
    return false;
  }
  const std::less<> before;
  return before(&one[0], &other[0] + other.Capacity()) && before(&other[0], &one[0] + one.Capacity());
}

} // namespace

TransmissionAdjointBase::TransmissionAdjointBase() = default;

TransmissionAdjointBase::~TransmissionAdjointBase() = default;

void
TransmissionAdjointBase::AddPrimal(const char * inputName, const char * description)
{
  m_Primals.push_back({ inputName, description });
}

void
TransmissionAdjointBase::AddCotangent(const char * inputName)
{
  m_Cotangents.emplace_back(inputName);
}

void
TransmissionAdjointBase::AddAccumulator(unsigned int output, const char * inputName)
{
  m_Accumulators.push_back({ output, inputName });
}

void
TransmissionAdjointBase::SetImage(const char * inputName, const ImageType * image)
{
  if (image && image->GetSource() == this)
  {
    itkExceptionMacro("" << inputName
                         << " is an output of this filter. Call its DisconnectPipeline() before: the filter "
                         << "then has a new output.");
  }
  this->ProcessObject::SetInput(inputName, const_cast<ImageType *>(image));
}

const TransmissionAdjointBase::ImageType *
TransmissionAdjointBase::GetImage(const char * inputName) const
{
  return static_cast<const ImageType *>(this->ProcessObject::GetInput(inputName));
}

bool
TransmissionAdjointBase::IsOnePixel(const std::string &) const
{
  return false;
}

bool
TransmissionAdjointBase::NeedsWholeImage() const
{
  return false;
}

bool
TransmissionAdjointBase::IsWanted(unsigned int) const
{
  return true;
}

void
TransmissionAdjointBase::VerifyPreconditions() ITKv5_CONST
{
  Superclass::VerifyPreconditions();
  for (const Primal & primal : m_Primals)
  {
    RefuseSecondDerivative(
      this->GetImage(primal.inputName.c_str()), primal.description.c_str(), this->GetNameOfClass());
  }
  const auto isGiven = [this](const std::string & name) { return this->GetImage(name.c_str()) != nullptr; };
  if (std::none_of(m_Cotangents.begin(), m_Cotangents.end(), isGiven))
  {
    std::string names;
    for (const std::string & name : m_Cotangents)
    {
      names += (names.empty() ? "Set" : ", Set") + name + "()";
    }
    itkExceptionMacro("No cotangent is given. Call " << names << '.');
  }
  const auto isOn = [this](const Accumulator & accumulator) { return this->GetImage(accumulator.inputName.c_str()); };
  if (m_AccumulateInPlace && std::none_of(m_Accumulators.begin(), m_Accumulators.end(), isOn))
  {
    itkExceptionMacro("AccumulateInPlace is on, but there is no image to accumulate on. Give one or call "
                      "AccumulateInPlaceOff().");
  }
}

void
TransmissionAdjointBase::RefuseOtherGrid(const std::string & inputName) const
{
  const ImageType & image = *this->GetImage(inputName.c_str());
  const ImageType & primal = *this->GetInput();
  const RegionType  region = image.GetLargestPossibleRegion();
  const RegionType  expected = primal.GetLargestPossibleRegion();
  if (this->IsOnePixel(inputName))
  {
    // One pixel for all has no place in the world: only its size is looked at.
    if (region.GetNumberOfPixels() != 1)
    {
      itkExceptionMacro("" << inputName << " is of size " << region.GetSize() << "; it must be one pixel, for one open "
                           << "beam that holds for all pixels.");
    }
    return;
  }
  if (region != expected)
  {
    itkExceptionMacro("" << inputName << " has the index and size " << region.GetIndex() << ' ' << region.GetSize()
                         << ", the primary input " << expected.GetIndex() << ' ' << expected.GetSize()
                         << "; they must be the same.");
  }
  if (!IsSamePlace(primal, image, this->GetCoordinateTolerance(), this->GetDirectionTolerance()))
  {
    itkExceptionMacro("" << inputName << " and the primary input do not occupy the same physical space: origins "
                         << image.GetOrigin() << " and " << primal.GetOrigin() << ", spacings " << image.GetSpacing()
                         << " and " << primal.GetSpacing() << ", or their directions, differ.");
  }
}

void
TransmissionAdjointBase::VerifyInputInformation() ITKv5_CONST
{
  for (const std::string & name : this->GetInputNames())
  {
    if (this->GetImage(name.c_str()))
    {
      this->RefuseOtherGrid(name);
    }
  }
}

void
TransmissionAdjointBase::EnlargeOutputRequestedRegion(DataObject * output)
{
  Superclass::EnlargeOutputRequestedRegion(output);
  if (this->NeedsWholeImage())
  {
    output->SetRequestedRegionToLargestPossibleRegion();
  }
}

void
TransmissionAdjointBase::GenerateOutputRequestedRegion(DataObject * output)
{
  Superclass::GenerateOutputRequestedRegion(output);
  for (unsigned int i = 0; this->NeedsWholeImage() && i < this->GetNumberOfIndexedOutputs(); ++i)
  {
    this->GetOutput(i)->SetRequestedRegionToLargestPossibleRegion();
  }
}

void
TransmissionAdjointBase::GenerateInputRequestedRegion()
{
  Superclass::GenerateInputRequestedRegion();
  for (const std::string & name : this->GetInputNames())
  {
    if (this->GetImage(name.c_str()) && this->IsOnePixel(name))
    {
      const_cast<ImageType *>(this->GetImage(name.c_str()))->SetRequestedRegionToLargestPossibleRegion();
    }
  }
}

void
TransmissionAdjointBase::RefuseConsumedCotangents() const
{
  for (const std::string & name : m_Cotangents)
  {
    const ImageType * const image = this->GetImage(name.c_str());
    if (image && !m_RetainCotangents && m_Consumed.count(StampOf(*image)) > 0)
    {
      itkExceptionMacro(
        "" << name << " was consumed by an earlier execution and has not been modified since. Give a new "
           << "image, or call Modified() on this one after new values are in it; to use the same values "
           << "again, as streaming in pieces does, call RetainCotangentsOn().");
    }
  }
}

void
TransmissionAdjointBase::NoteConsumedCotangents()
{
  for (const std::string & name : m_Cotangents)
  {
    const ImageType * const image = this->GetImage(name.c_str());
    if (image && !m_RetainCotangents)
    {
      m_Consumed.insert(StampOf(*image));
    }
  }
}

void
TransmissionAdjointBase::RefuseNonFinite(const std::string & inputName, const RegionType & region)
{
  const ImageType * const image = this->GetImage(inputName.c_str());
  if (!image)
  {
    return;
  }
  const RegionType part = this->IsOnePixel(inputName) ? image->GetLargestPossibleRegion() : region;
  const auto       threads = HandDownThreads(*this, CheckWeight);
  const auto       bad = FindFirstNonFinite(GridOf(part), ConstViewOf(*image, part), threads);
  if (bad)
  {
    itkExceptionMacro("" << inputName << " is finite; " << DescribePixel(part, *bad) << '.');
  }
}

void
TransmissionAdjointBase::RefuseBadValues(const RegionType & region)
{
  this->RefuseBadPrimals(region);
  for (const std::string & name : m_Cotangents)
  {
    this->RefuseNonFinite(name, region);
  }
  for (const Accumulator & accumulator : m_Accumulators)
  {
    this->RefuseNonFinite(accumulator.inputName, region);
  }
}

std::string
TransmissionAdjointBase::AccumulatorName(unsigned int output) const
{
  const auto found = std::find_if(m_Accumulators.begin(),
                                  m_Accumulators.end(),
                                  [output](const Accumulator & accumulator) { return accumulator.output == output; });
  return found == m_Accumulators.end() ? std::string() : found->inputName;
}

// The image whose buffer the output takes over, or null.
TransmissionAdjointBase::ImageType *
TransmissionAdjointBase::BorrowedInPlace(unsigned int output) const
{
  return m_AccumulateInPlace ? const_cast<ImageType *>(this->GetImage(this->AccumulatorName(output).c_str())) : nullptr;
}

const TransmissionAdjointBase::ImageType &
TransmissionAdjointBase::OutputImage(unsigned int output) const
{
  return *static_cast<const ImageType *>(this->ProcessObject::GetOutput(output));
}

// The memory that the output is going to be written to, or null if that is yet to be allocated.
const TransmissionAdjointBase::ImageType::PixelContainer *
TransmissionAdjointBase::TargetBuffer(unsigned int output) const
{
  if (const ImageType * const accumulated = this->BorrowedInPlace(output))
  {
    return accumulated->GetPixelContainer();
  }
  const auto * const own = this->OutputImage(output).GetPixelContainer();
  return output < m_Borrowed.size() && m_Borrowed[output] == own ? nullptr : own;
}

void
TransmissionAdjointBase::RefuseSharedMemory(unsigned int output) const
{
  const auto * const target = this->TargetBuffer(output);
  if (!target)
  {
    return;
  }
  const bool borrows = this->BorrowedInPlace(output) != nullptr;
  for (const std::string & name : this->GetInputNames())
  {
    const ImageType * const image = this->GetImage(name.c_str());
    if (image && !(borrows && name == this->AccumulatorName(output)) && Overlap(*target, *image->GetPixelContainer()))
    {
      itkExceptionMacro("Output " << output << " shares memory with the input " << name
                                  << ". Give it its own buffer; to accumulate on an image's own buffer, call "
                                     "AccumulateInPlaceOn().");
    }
  }
  for (unsigned int other = 0; other < output; ++other)
  {
    const auto * const otherTarget = this->TargetBuffer(other);
    if (this->IsWanted(other) && otherTarget && Overlap(*target, *otherTarget))
    {
      itkExceptionMacro("Outputs " << other << " and " << output << " share memory. Give each its own buffer.");
    }
  }
}

void
TransmissionAdjointBase::RefuseUnsafeAccumulation(unsigned int output) const
{
  const ImageType * const accumulated = this->BorrowedInPlace(output);
  if (!accumulated)
  {
    return;
  }
  const std::string name = this->AccumulatorName(output);
  if (accumulated->GetSource())
  {
    itkExceptionMacro(
      "" << name << " is an output of " << accumulated->GetSource()->GetNameOfClass()
         << ", which in-place accumulation would change behind its back. Call DisconnectPipeline() on it "
         << "or AccumulateInPlaceOff().");
  }
  const RegionType whole = accumulated->GetLargestPossibleRegion();
  const RegionType wanted = this->OutputImage(output).GetRequestedRegion();
  if (accumulated->GetBufferedRegion() != whole || wanted != whole)
  {
    itkExceptionMacro("In-place accumulation needs the whole image: "
                      << name << " is of size " << whole.GetSize() << " and holds "
                      << accumulated->GetBufferedRegion().GetSize() << ", and " << wanted.GetSize()
                      << " is requested. Call AccumulateInPlaceOff() for parts.");
  }
}

void
TransmissionAdjointBase::PlaceOutput(unsigned int output)
{
  ImageType & image = *this->GetOutput(output);
  m_Borrowed.resize(this->GetNumberOfIndexedOutputs());
  if (!this->IsWanted(output))
  {
    image.Initialize();
    return;
  }
  if (ImageType * const accumulated = this->BorrowedInPlace(output))
  {
    image.SetPixelContainer(accumulated->GetPixelContainer());
    image.SetBufferedRegion(accumulated->GetBufferedRegion());
    m_Borrowed[output] = accumulated->GetPixelContainer();
    return;
  }
  if (!this->TargetBuffer(output))
  {
    image.SetPixelContainer(ImageType::PixelContainer::New());
  }
  image.SetBufferedRegion(image.GetRequestedRegion());
  image.Allocate();
}

void
TransmissionAdjointBase::GenerateData()
{
  const RegionType region = this->GetOutput(0)->GetRequestedRegion();
  this->RefuseConsumedCotangents();
  for (unsigned int i = 0; i < this->GetNumberOfIndexedOutputs(); ++i)
  {
    if (this->IsWanted(i))
    {
      this->RefuseUnsafeAccumulation(i);
      this->RefuseSharedMemory(i);
    }
  }
  if (m_CheckInputs)
  {
    this->RefuseBadValues(region);
  }
  this->RefuseGradientsOutOfRange(region);
  for (unsigned int i = 0; i < this->GetNumberOfIndexedOutputs(); ++i)
  {
    this->PlaceOutput(i);
  }
  this->WriteGradients(region);
  this->NoteConsumedCotangents();
}

void
TransmissionAdjointBase::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "RetainCotangents: " << OnOrOff(m_RetainCotangents) << std::endl;
  os << indent << "AccumulateInPlace: " << OnOrOff(m_AccumulateInPlace) << std::endl;
  os << indent << "CheckInputs: " << OnOrOff(m_CheckInputs) << std::endl;
  os << indent << "Primals:";
  for (const Primal & primal : m_Primals)
  {
    os << ' ' << primal.inputName << " (" << primal.description << ')';
  }
  os << std::endl << indent << "Cotangents:";
  for (const std::string & name : m_Cotangents)
  {
    os << ' ' << name;
  }
  os << std::endl << indent << "Accumulators:";
  for (const Accumulator & accumulator : m_Accumulators)
  {
    os << ' ' << accumulator.inputName << " (output " << accumulator.output << ')';
  }
  os << std::endl << indent << "Consumed cotangents: " << m_Consumed.size() << std::endl;
  os << indent << "Outputs that borrow a buffer: "
     << std::count_if(m_Borrowed.begin(), m_Borrowed.end(), [](const auto & buffer) { return buffer.IsNotNull(); })
     << std::endl;
}

} // namespace itk
