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
#ifndef JosephScenes_h
#define JosephScenes_h

#include "RandomVolume.h"

#include "compute/TransposedVolume.h"
#include "kernel/Ray.h"
#include "kernel/VolumeView.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <ostream>
#include <vector>

namespace radiography::test
{

/** A volume and a view of it, both random: sizes from one voxel up, oblique and mirrored CTs with voxels that are no
 * cubes, cone and parallel beams, any roll, packets from a fraction of a voxel to many voxels wide, detectors from one
 * pixel up that cover the volume, a part of it, or miss it. */
struct JosephScene
{
  std::unique_ptr<OwnedVolume> volume;
  std::vector<float>           transposedValues;
  kernel::ViewRays             view;
  double                       largest{ 0.1 };
  /** Voxels from ray to ray, about. */
  double pitch;
  /** Where on the rays the middle of the volume is, 0 to 1. */
  double middle;

  explicit JosephScene(unsigned int seed)
  {
    Random random(seed);
    this->MakeVolume(random);
    this->MakeView(random);
  }

  kernel::VolumeView
  GetTransposed() const
  {
    return compute::MakeTransposedView(volume->view, transposedValues.data());
  }

  void
  SetVolume(std::unique_ptr<OwnedVolume> newVolume)
  {
    volume = std::move(newVolume);
    transposedValues.resize(volume->values.size());
    compute::TransposeVolume(volume->view, compute::SerialFor, transposedValues.data());
    largest = *std::max_element(volume->values.begin(), volume->values.end());
  }

  /** \param part of the way from source to detector, where the detector goes */
  void
  MoveDetectorTo(double part)
  {
    for (int a = 0; a < 3; ++a)
    {
      view.end.origin[a] = view.start.origin[a] + part * (view.end.origin[a] - view.start.origin[a]);
      view.end.column[a] = view.start.column[a] + part * (view.end.column[a] - view.start.column[a]);
      view.end.row[a] = view.start.row[a] + part * (view.end.row[a] - view.start.row[a]);
      for (double * const span : { &view.span.origin[a], &view.span.column[a], &view.span.row[a] })
      {
        *span *= part;
      }
    }
  }

  /** Length of a ray's slabs that meet the padded volume, in mm, times the largest attenuation: what it could sum up.
   */
  double
  GetLargestDepth(const kernel::Ray & ray, int m) const
  {
    const kernel::Interval line = kernel::ClipLine(ray, volume->view, 1.0);
    const double           slab = ray.worldLength / std::abs(ray.end[m] - ray.start[m]);
    return largest * ((line.IsEmpty() ? 0.0 : line.end - line.begin) * ray.worldLength + slab);
  }

  /** Voxels over which the rays of the whole view spread in any slab: no packet is wider. */
  double
  GetSpread(int m) const
  {
    double spread = 0.0;
    for (int axis = 0; axis < 3; ++axis)
    {
      for (const double slab : { 0.0, static_cast<double>(volume->view.size[m] - 1) })
      {
        double low = HUGE_VAL;
        double high = -HUGE_VAL;
        for (const double column : { 0.0, static_cast<double>(view.columns - 1) })
        {
          for (const double row : { 0.0, static_cast<double>(view.rows - 1) })
          {
            const kernel::Ray ray = kernel::MakeRay(view, column, row);
            const double      t = (slab - ray.start[m]) / (ray.end[m] - ray.start[m]);
            const double      place = ray.start[axis] + t * (ray.end[axis] - ray.start[axis]);
            low = std::min(low, place);
            high = std::max(high, place);
          }
        }
        spread = std::max(spread, high - low);
      }
    }
    return spread;
  }

private:
  void
  MakeVolume(Random & random)
  {
    static const std::int64_t sizes[] = { 1, 2, 3, 7, 15, 16, 17, 31, 33, 50, 64 };
    std::int64_t              size[3];
    for (std::int64_t & s : size)
    {
      s = sizes[random.Integer(0, 10)];
    }
    auto made = std::make_unique<OwnedVolume>(size[0], size[1], size[2]);
    random.Fill(*made);
    this->SetVolume(std::move(made));
  }

  struct Frame
  {
    double axis[3][3];
  };

  static Frame
  MakeFrame(Random & random)
  {
    // Gram-Schmidt of three random directions.
    Frame frame;
    for (int i = 0; i < 3; ++i)
    {
      for (double & component : frame.axis[i])
      {
        component = random.Uniform(-1.0, 1.0);
      }
      for (int j = 0; j <= i; ++j)
      {
        double product = 0.0;
        for (int a = 0; a < 3; ++a)
        {
          product += frame.axis[i][a] * frame.axis[j][a];
        }
        for (int a = 0; a < 3; ++a)
        {
          frame.axis[i][a] =
            i == j ? frame.axis[i][a] / std::sqrt(product) : frame.axis[i][a] - product * frame.axis[j][a];
        }
      }
    }
    return frame;
  }

  void
  MakeView(Random & random)
  {
    static const std::int64_t pixels[] = { 1, 3, 5, 7, 8, 9, 15, 16, 17, 24, 33 };
    const Frame               frame = MakeFrame(random);
    double                    spacing[3];
    double                    reach = 0.0;
    for (int a = 0; a < 3; ++a)
    {
      spacing[a] = random.Uniform(0.5, 2.0) * (random.Integer(0, 1) == 0 ? -1.0 : 1.0);
      reach += std::abs(spacing[a]) * static_cast<double>(volume->view.size[a] + 2);
    }
    pitch = std::exp(random.Uniform(std::log(0.05), std::log(12.0)));
    const bool   parallel = random.Integer(0, 3) == 0;
    const double toSource = reach * random.Uniform(1.0, 10.0);
    const double toDetector = reach * random.Uniform(1.0, 3.0);
    middle = toSource / (toSource + toDetector);
    const double step = parallel ? pitch : pitch * (toSource + toDetector) / toSource;
    view.columns = pixels[random.Integer(0, 10)];
    view.rows = pixels[random.Integer(0, 10)];
    const double first[2] = { -0.5 * static_cast<double>(view.columns - 1) * random.Uniform(0.2, 1.8),
                              -0.5 * static_cast<double>(view.rows - 1) * random.Uniform(0.2, 1.8) };
    for (int a = 0; a < 3; ++a)
    {
      const double center = random.Uniform(0.3, 0.7) * static_cast<double>(volume->view.size[a] - 1);
      const double plane = step * (first[0] * frame.axis[0][a] + first[1] * frame.axis[1][a]);
      const double start = -toSource * frame.axis[2][a] + (parallel ? plane : 0.0);
      const double end = toDetector * frame.axis[2][a] + plane;
      const double column = step * frame.axis[0][a];
      const double row = step * frame.axis[1][a];
      const double s = spacing[a];
      view.start.origin[a] = center + start / s;
      view.start.column[a] = parallel ? column / s : 0.0;
      view.start.row[a] = parallel ? row / s : 0.0;
      view.end.origin[a] = center + end / s;
      view.end.column[a] = column / s;
      view.end.row[a] = row / s;
      view.span.origin[a] = end - start;
      view.span.column[a] = parallel ? 0.0 : column;
      view.span.row[a] = parallel ? 0.0 : row;
    }
  }
};

inline std::ostream &
operator<<(std::ostream & out, const JosephScene & scene)
{
  const std::int64_t * const size = scene.volume->view.size;
  return out << size[0] << " x " << size[1] << " x " << size[2] << " voxels, " << scene.view.columns << " x "
             << scene.view.rows << " pixels of " << scene.pitch << " voxels";
}

} // namespace radiography::test

#endif
