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

const SliceHeader &
HeaderOf(const ScannedFile * file)
{
  return *file->header;
}

/** Position along the normal of the first slice; the normals of a stack agree within the grouping tolerance, and one
 * normal for all keeps the order consistent. */
double
Height(const SliceStack & stack, std::size_t i)
{
  return HeaderOf(stack.slices[0]).normal * HeaderOf(stack.slices[i]).position;
}

void
OrderAlongNormal(std::vector<const ScannedFile *> & files)
{
  const Vector3 normal = HeaderOf(files[0]).normal;
  std::stable_sort(files.begin(), files.end(), [&normal](const ScannedFile * a, const ScannedFile * b) {
    return normal * HeaderOf(a).position < normal * HeaderOf(b).position;
  });
}

bool
HaveSameVoxels(const ScannedFile & a, const ScannedFile & b)
{
  if (!(HeaderOf(&a).position == HeaderOf(&b).position))
  {
    return false;
  }
  try
  {
    constexpr float    padding = -1000.0f;
    std::vector<float> first(HeaderOf(&a).format.NumberOfPixels());
    std::vector<float> second(first.size());
    DecodeSlice(HeaderOf(&a), padding, first.data());
    DecodeSlice(HeaderOf(&b), padding, second.data());
    return first == second;
  }
  catch (const FileError &)
  {
    return false;
  }
}

void
RefuseDuplicate(SliceStack & stack, const ScannedFile & a, const ScannedFile & b)
{
  const auto known = std::find_if(stack.problems.begin(), stack.problems.end(), [](const auto & problem) {
    return problem.code == "duplicate-position";
  });
  if (known != stack.problems.end())
  {
    known->files.push_back(b.path);
    return;
  }
  stack.problems.push_back({ "duplicate-position",
                             "several different slices lie at one position, the first of them " + a.path + " and " +
                               b.path + " (distance below " + Number(PositionTolerance) +
                               " mm): put each acquisition into a folder of its own",
                             { a.path, b.path } });
}

/** Keeps one of several slices at one position if they are the same, else refuses. */
void
ResolveDuplicates(SliceStack & stack)
{
  std::vector<const ScannedFile *> kept;
  const Vector3                    normal = HeaderOf(stack.slices[0]).normal;
  for (const ScannedFile * file : stack.slices)
  {
    const bool isAlone =
      kept.empty() || normal * (HeaderOf(file).position - HeaderOf(kept.back()).position) > PositionTolerance;
    if (!isAlone && HaveSameVoxels(*kept.back(), *file))
    {
      stack.dropped.push_back({ file, kept.back() });
      continue;
    }
    if (!isAlone)
    {
      RefuseDuplicate(stack, *kept.back(), *file);
    }
    kept.push_back(file);
  }
  stack.slices = std::move(kept);
  if (!stack.dropped.empty())
  {
    stack.warnings.push_back(std::to_string(stack.dropped.size()) +
                             " duplicate slice(s) with identical voxels were dropped, the first of them " +
                             stack.dropped[0].file->path + " (same as " + stack.dropped[0].keptFile->path + ")");
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
    const bool        isGap = step > 1.5 * median;
    auto &            problem = isGap ? gaps : uneven;
    const std::string from = stack.slices[i - 1]->path;
    const std::string to = stack.slices[i]->path;
    if (problem.files.empty())
    {
      problem.message = std::string(isGap ? "slices are missing" : "the steps between slices are uneven") +
                        ": the step from " + from + " to " + to + " is " + Number(step) + " mm instead of " +
                        Number(median) + " mm";
    }
    problem.files.push_back(from);
    problem.files.push_back(to);
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
  const Vector3 first = HeaderOf(stack.slices.front()).position;
  const Vector3 step = (HeaderOf(stack.slices.back()).position - first) / static_cast<double>(stack.slices.size() - 1);
  for (std::size_t i = 1; i + 1 < stack.slices.size(); ++i)
  {
    const Vector3 expected = first + step * static_cast<double>(i);
    const double  distance = (HeaderOf(stack.slices[i]).position - expected).GetNorm();
    if (distance > PositionTolerance)
    {
      const std::string & path = stack.slices[i]->path;
      stack.problems.push_back({ "uneven-steps",
                                 "the slices do not lie on a straight line in equal steps: " + path + " is " +
                                   Number(distance) + " mm away from its place",
                                 { path } });
      return;
    }
  }
}

void
LookForTilt(SliceStack & stack)
{
  const Vector3 normal = HeaderOf(stack.slices[0]).normal;
  const Vector3 way = HeaderOf(stack.slices.back()).position - HeaderOf(stack.slices[0]).position;
  const double  along = normal * way;
  const double  angle = std::atan2((way - normal * along).GetNorm(), along) * 180.0 / itk::Math::pi;
  if (angle >= TiltToleranceDegrees)
  {
    stack.problems.push_back({ "tilt",
                               "the slices are stacked at an angle of " + Number(angle) +
                                 " degrees to their normal (gantry tilt), from " + stack.slices[0]->path + " to " +
                                 stack.slices.back()->path + ": such a volume must be resampled",
                               { stack.slices[0]->path, stack.slices.back()->path } });
  }
}

void
UseThicknessOfSingleSlice(SliceStack & stack)
{
  const auto & header = HeaderOf(stack.slices[0]);
  if (!header.thickness)
  {
    stack.problems.push_back({ "single-slice",
                               "one slice alone (" + stack.slices[0]->path + ") and " + TagName(DCM_SliceThickness) +
                                 " is no positive number: its extent is not known",
                               { stack.slices[0]->path } });
    return;
  }
  stack.spacingBetweenSlices = *header.thickness;
  stack.warnings.push_back("the volume is one slice: its thickness, " + Number(*header.thickness) +
                           " mm, serves as spacing");
}

} // namespace

bool
BelongTogether(const ScannedFile & a, const ScannedFile & b)
{
  // Rounding of files of few digits, below the smallest tilt; rounded pixel spacings, 0.05 mm over 512 pixels.
  constexpr double cosineTolerance = 5e-4;
  constexpr double spacingTolerance = 1e-4;
  const auto &     ia = a.identity;
  const auto &     ib = b.identity;
  const auto &     ha = *a.header;
  const auto &     hb = *b.header;
  return ia.seriesInstanceUID == ib.seriesInstanceUID && ia.studyInstanceUID == ib.studyInstanceUID &&
         ia.frameOfReferenceUID == ib.frameOfReferenceUID && ha.format.rows == hb.format.rows &&
         ha.format.columns == hb.format.columns &&
         std::abs(ha.spacingBetweenRows - hb.spacingBetweenRows) <= spacingTolerance &&
         std::abs(ha.spacingBetweenColumns - hb.spacingBetweenColumns) <= spacingTolerance &&
         (ha.rowCosines - hb.rowCosines).GetNorm() <= cosineTolerance &&
         (ha.columnCosines - hb.columnCosines).GetNorm() <= cosineTolerance;
}

SliceStack
BuildSliceStack(std::vector<const ScannedFile *> files)
{
  OrderAlongNormal(files);
  SliceStack stack;
  stack.slices = std::move(files);
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
