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
#include "dicom/DICOMSliceStack.h"

#include "dicom/DICOMPixelDecoder.h"
#include "dicom/DICOMTagReader.h"

#include "itkMath.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace radiography::dicom
{
namespace
{

/** Whatever the locale. */
std::string
Number(double value)
{
  char buffer[32];
  // Ten thousandths of a millimetre or degree are enough to read.
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), std::round(value * 1e4) / 1e4).ptr;
  return { buffer, end };
}

/** Position along the normal of the first slice; the normals of a stack agree within the grouping tolerance, and one
 * normal for all keeps the order consistent. */
double
Height(const SliceStack & stack, std::size_t i)
{
  return stack.slices[0].Header().normal * stack.slices[i].Header().position;
}

void
OrderAlongNormal(std::vector<Slice> & slices)
{
  const Vector3 normal = slices[0].Header().normal;
  std::stable_sort(slices.begin(), slices.end(), [&normal](const Slice & a, const Slice & b) {
    return normal * a.Header().position < normal * b.Header().position;
  });
}

void
AddFile(itk::DICOMProblem & problem, const Slice & slice)
{
  if (problem.files.empty() || problem.files.back() != slice.file->path)
  {
    problem.files.push_back(slice.file->path);
  }
}

bool
HaveSameVoxels(const Slice & a, const Slice & b, ImageFilePool & files)
{
  if (!(a.Header().position == b.Header().position))
  {
    return false;
  }
  try
  {
    constexpr float    padding = -1000.0f;
    std::vector<float> first(a.Header().format.NumberOfPixels());
    std::vector<float> second(first.size());
    DecodeSlice(a.Header(), padding, first.data(), files);
    DecodeSlice(b.Header(), padding, second.data(), files);
    return first == second;
  }
  catch (const FileError &)
  {
    return false;
  }
}

/** What helps where different slices lie at one position. */
std::string
HowToSeparate(const Slice & slice)
{
  return slice.Header().frames == 1 ? "put each acquisition into a folder of its own"
                                    : "the frames of this file must be separated at the source";
}

void
RefuseDuplicate(SliceStack & stack, const Slice & a, const Slice & b)
{
  const auto known = std::find_if(stack.problems.begin(), stack.problems.end(), [](const auto & problem) {
    return problem.code == "duplicate-position";
  });
  if (known != stack.problems.end())
  {
    AddFile(*known, b);
    return;
  }
  itk::DICOMProblem problem{ "duplicate-position",
                             "several different slices lie at one position, the first of them " + a.Name() + " and " +
                               b.Name() + " (distance below " + Number(PositionTolerance) + " mm): " + HowToSeparate(b),
                             {} };
  AddFile(problem, a);
  AddFile(problem, b);
  stack.problems.push_back(std::move(problem));
}

/** Keeps one of several slices at one position if they are the same, else refuses. */
void
ResolveDuplicates(SliceStack & stack)
{
  ImageFilePool      files;
  std::vector<Slice> kept;
  const Vector3      normal = stack.slices[0].Header().normal;
  for (const Slice & slice : stack.slices)
  {
    const bool isAlone =
      kept.empty() || normal * (slice.Header().position - kept.back().Header().position) > PositionTolerance;
    if (!isAlone && HaveSameVoxels(kept.back(), slice, files))
    {
      stack.dropped.push_back({ slice, kept.back() });
      continue;
    }
    if (!isAlone)
    {
      RefuseDuplicate(stack, kept.back(), slice);
    }
    kept.push_back(slice);
  }
  stack.slices = std::move(kept);
  if (!stack.dropped.empty())
  {
    stack.warnings.push_back(std::to_string(stack.dropped.size()) +
                             " duplicate slice(s) with identical voxels were dropped, the first of them " +
                             stack.dropped[0].slice.Name() + " (same as " + stack.dropped[0].kept.Name() + ")");
  }
}

double
MedianStep(const SliceStack & stack)
{
  std::vector<double> steps;
  for (std::size_t i = 1; i < stack.slices.size(); ++i)
  {
    steps.push_back(Height(stack, i) - Height(stack, i - 1));
  }
  // The lower one of two middle steps: half of the slices missing still shows as gaps.
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>((steps.size() - 1) / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle;
}

/** A step unlike the median one: a multiple of it is a gap, anything else an uneven step. */
void
LookForUnevenSteps(SliceStack & stack)
{
  const double      median = stack.medianStep;
  itk::DICOMProblem gaps{ "gap", "", {} };
  itk::DICOMProblem uneven{ "uneven-steps", "", {} };
  for (std::size_t i = 1; i < stack.slices.size(); ++i)
  {
    const double step = Height(stack, i) - Height(stack, i - 1);
    // Both ends of a step may be off.
    if (std::abs(step - median) <= PositionTolerance * 1.000001)
    {
      continue;
    }
    const bool isGap = step > 1.5 * median;
    auto &     problem = isGap ? gaps : uneven;
    if (problem.files.empty())
    {
      problem.message = std::string(isGap ? "slices are missing" : "the steps between slices are uneven") +
                        ": the step from " + stack.slices[i - 1].Name() + " to " + stack.slices[i].Name() + " is " +
                        Number(step) + " mm instead of " + Number(median) + " mm";
    }
    AddFile(problem, stack.slices[i - 1]);
    AddFile(problem, stack.slices[i]);
  }
  for (auto & problem : { gaps, uneven })
  {
    if (!problem.files.empty())
    {
      stack.problems.push_back(problem);
    }
  }
}

/** Every slice must lie on the line from the first one to the last one, in equal steps. */
void
LookForStraySlices(SliceStack & stack)
{
  const Vector3 first = stack.slices.front().Header().position;
  const Vector3 step = (stack.slices.back().Header().position - first) / static_cast<double>(stack.slices.size() - 1);
  for (std::size_t i = 1; i + 1 < stack.slices.size(); ++i)
  {
    const Vector3 expected = first + step * static_cast<double>(i);
    const double  distance = (stack.slices[i].Header().position - expected).GetNorm();
    if (distance > PositionTolerance)
    {
      stack.problems.push_back({ "uneven-steps",
                                 "the slices do not lie on a straight line in equal steps: " + stack.slices[i].Name() +
                                   " is " + Number(distance) + " mm away from its place",
                                 { stack.slices[i].file->path } });
      return;
    }
  }
}

void
LookForTilt(SliceStack & stack)
{
  const Vector3 normal = stack.slices[0].Header().normal;
  const Vector3 way = stack.slices.back().Header().position - stack.slices[0].Header().position;
  const double  along = normal * way;
  const double  angle = std::atan2((way - normal * along).GetNorm(), along) * 180.0 / itk::Math::pi;
  if (angle >= TiltToleranceDegrees)
  {
    itk::DICOMProblem tilt{ "tilt",
                            "the slices are stacked at an angle of " + Number(angle) +
                              " degrees to their normal (gantry tilt), from " + stack.slices[0].Name() + " to " +
                              stack.slices.back().Name() + ": such a volume must be resampled",
                            {} };
    AddFile(tilt, stack.slices[0]);
    AddFile(tilt, stack.slices.back());
    stack.problems.push_back(std::move(tilt));
  }
}

void
UseThicknessOfSingleSlice(SliceStack & stack)
{
  const auto & header = stack.slices[0].Header();
  if (!header.thickness)
  {
    stack.problems.push_back({ "single-slice",
                               "one slice alone (" + stack.slices[0].Name() + ") and " + TagName(DCM_SliceThickness) +
                                 " is no positive number: its extent is not known",
                               { stack.slices[0].file->path } });
    return;
  }
  stack.spacingBetweenSlices = *header.thickness;
  stack.warnings.push_back("the volume is one slice: its thickness, " + Number(*header.thickness) +
                           " mm, serves as spacing");
}

/** Which of the volumes of an enhanced image. A stack's ID says nothing in another dimension organization. */
bool
AreOfOneStack(const Slice & a, const Slice & b)
{
  const auto & ha = a.Header();
  const auto & hb = b.Header();
  return ha.stackID == hb.stackID && ha.temporalPosition == hb.temporalPosition &&
         (ha.stackID.empty() || a.file->identity.dimensionOrganizationUID == b.file->identity.dimensionOrganizationUID);
}

} // namespace

std::string
Slice::Name() const
{
  const auto & header = Header();
  return header.frames == 1 ? file->path : file->path + " (frame " + std::to_string(header.frame + 1) + ")";
}

bool
BelongTogether(const Slice & a, const Slice & b)
{
  // Rounding of files of few digits, below the smallest tilt; rounded pixel spacings, 0.05 mm over 512 pixels.
  constexpr double cosineTolerance = 5e-4;
  constexpr double spacingTolerance = 1e-4;
  const auto &     ia = a.file->identity;
  const auto &     ib = b.file->identity;
  const auto &     ha = a.Header();
  const auto &     hb = b.Header();
  return ia.seriesInstanceUID == ib.seriesInstanceUID && ia.studyInstanceUID == ib.studyInstanceUID &&
         ia.frameOfReferenceUID == ib.frameOfReferenceUID && AreOfOneStack(a, b) && ha.format.rows == hb.format.rows &&
         ha.format.columns == hb.format.columns &&
         std::abs(ha.spacingBetweenRows - hb.spacingBetweenRows) <= spacingTolerance &&
         std::abs(ha.spacingBetweenColumns - hb.spacingBetweenColumns) <= spacingTolerance &&
         (ha.rowCosines - hb.rowCosines).GetNorm() <= cosineTolerance &&
         (ha.columnCosines - hb.columnCosines).GetNorm() <= cosineTolerance;
}

SliceStack
BuildSliceStack(std::vector<Slice> slices)
{
  OrderAlongNormal(slices);
  SliceStack stack;
  stack.slices = std::move(slices);
  ResolveDuplicates(stack);
  if (stack.slices.size() == 1)
  {
    UseThicknessOfSingleSlice(stack);
    return stack;
  }
  stack.spacingBetweenSlices =
    (Height(stack, stack.slices.size() - 1) - Height(stack, 0)) / static_cast<double>(stack.slices.size() - 1);
  stack.medianStep = MedianStep(stack);
  if (stack.problems.empty()) // steps mean little where slices share a position
  {
    LookForUnevenSteps(stack);
    LookForTilt(stack);
  }
  if (stack.problems.empty())
  {
    LookForStraySlices(stack);
  }
  return stack;
}

} // namespace radiography::dicom
