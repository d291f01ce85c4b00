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
#include "compute/BandProjection.h"

#include "EachKernel.h"
#include "JosephScenes.h"
#include "compute/BackProjection.h"
#include "compute/TransposedVolume.h"

#include <gtest/gtest.h>

#include <sys/mman.h>

#include <cmath>
#include <limits>
#include <type_traits>

namespace compute = radiography::compute;
namespace kernel = radiography::kernel;
using compute::Projector;
using radiography::test::JosephScene;
using radiography::test::OwnedVolume;
using radiography::test::Random;

namespace
{

constexpr Projector AllProjectors[] = { Projector::Joseph, Projector::CellGauss, Projector::Siddon };

compute::DepthImage
WholeDetector(const kernel::ViewRays & view, std::vector<float> & depths)
{
  depths.assign(static_cast<std::size_t>(view.columns * view.rows), -1.0F);
  return { depths.data(), 0, 0, view.columns, view.rows };
}

/** Depths, and what ran. */
struct Result
{
  std::vector<float>     depths;
  compute::ComputeReport report;
};

Result
ProjectWhole(const kernel::VolumeView &        volume,
             const kernel::ViewRays &          view,
             Projector                         projector,
             const compute::ProjectionPolicy & policy)
{
  std::vector<float>     transposed(static_cast<std::size_t>(volume.size[0] * volume.size[1] * volume.size[2]));
  compute::VolumeLayouts layouts(volume);
  if (compute::WantsTransposedVolume(volume, view, projector, policy))
  {
    compute::TransposeVolume(volume, compute::SerialFor, transposed.data());
    layouts.transposed = compute::MakeTransposedView(volume, transposed.data());
  }
  Result     result;
  const auto output = WholeDetector(view, result.depths);
  result.report = compute::ForwardProject(layouts, view, projector, policy, compute::SerialFor, output);
  return result;
}

/** Each band is copied to memory of its own, with nothing around it. */
Result
ProjectBands(const kernel::VolumeView &        volume,
             const kernel::ViewRays &          view,
             Projector                         projector,
             const compute::ProjectionPolicy & policy,
             std::int64_t                      most)
{
  Result                    result;
  const auto                output = WholeDetector(view, result.depths);
  compute::BandProjection   projection(volume, view, projector, policy, output);
  const compute::SliceBands bands(volume.size[2], most);
  for (std::int64_t i = 0; i < bands.GetCount(); ++i)
  {
    const float * const      first = volume.values + bands.GetBegin(i) * volume.stride[2];
    const std::vector<float> voxels(first, volume.values + bands.GetEnd(i) * volume.stride[2]);
    const auto               band =
      kernel::MakeVolumeView(voxels.data(), volume.size[0], volume.size[1], bands.GetEnd(i) - bands.GetBegin(i));
    std::vector<float>     transposed(voxels.size());
    compute::VolumeLayouts layouts(band);
    if (projection.WantsTransposedBand(band))
    {
      compute::TransposeVolume(band, compute::SerialFor, transposed.data());
      layouts.transposed = compute::MakeTransposedView(band, transposed.data());
    }
    projection.Add(layouts, bands.GetBegin(i), compute::SerialFor, compute::SerialFor);
  }
  projection.Store(result.depths.data());
  result.report = projection.GetReport();
  return result;
}

/** How far two results are apart, relative to the depth; depths of grazing rays count as `floor`. */
double
FindDistance(const Result & bands, const Result & whole, double floor)
{
  double worst = 0.0;
  for (std::size_t i = 0; i < whole.depths.size(); ++i)
  {
    const double depth = whole.depths.at(i);
    worst = std::max(worst, std::abs(static_cast<double>(bands.depths.at(i)) - depth) / std::max(depth, floor));
  }
  return worst;
}

/** Rounding of a sum of binary32 depths: of each band, of the sum, of the whole volume's. */
constexpr double ScalarBound = 3e-7;
/** What two projections by packets in binary32 may differ by. */
constexpr double PacketBound = 4e-6;

/** A ray in index space, all rays of the view the same but shifted by `pitch` along `columnAxis`, `rowAxis`. */
kernel::ViewRays
ParallelRays(const double (&start)[3], const double (&end)[3], int columnAxis, int rowAxis, double pitch, int pixels)
{
  kernel::ViewRays view{};
  view.columns = view.rows = pixels;
  for (int axis = 0; axis < 3; ++axis)
  {
    view.start.origin[axis] = start[axis];
    view.end.origin[axis] = end[axis];
    view.span.origin[axis] = end[axis] - start[axis];
  }
  view.start.column[columnAxis] = view.end.column[columnAxis] = pitch;
  view.start.row[rowAxis] = view.end.row[rowAxis] = pitch;
  return view;
}

/** A cone beam in index space; the detector is spanned by two axes. */
kernel::ViewRays
ConeRays(const double (&source)[3], const double (&first)[3], int columnAxis, int rowAxis, double pitch, int pixels)
{
  kernel::ViewRays view = ParallelRays(source, first, columnAxis, rowAxis, pitch, pixels);
  view.start.column[columnAxis] = view.start.row[rowAxis] = 0.0;
  view.span.column[columnAxis] = view.span.row[rowAxis] = pitch;
  return view;
}

} // namespace

TEST(SliceBands, CoverEverySliceOnceWithinTheLimit)
{
  for (std::int64_t slices = 1; slices <= 40; ++slices)
  {
    for (std::int64_t most = 1; most <= 45; ++most)
    {
      const compute::SliceBands bands(slices, most);
      std::int64_t              next = 0;
      for (std::int64_t i = 0; i < bands.GetCount(); ++i)
      {
        ASSERT_EQ(bands.GetBegin(i), next);
        next = bands.GetEnd(i);
        ASSERT_LE(next - bands.GetBegin(i), most);
        ASSERT_LE(next - bands.GetBegin(i), bands.GetEnd(0)) << "the first band is the largest";
        ASSERT_GT(next, bands.GetBegin(i)) << slices << " in " << most;
      }
      ASSERT_EQ(next, slices);
      ASSERT_EQ(bands.GetCount(), (slices + most - 1) / most);
    }
  }
}

TEST(SliceBands, CountBeyondThirtyTwoBits)
{
  const compute::SliceBands bands(std::int64_t{ 1 } << 40, std::int64_t{ 1 } << 8);
  EXPECT_EQ(bands.GetCount(), std::int64_t{ 1 } << 32);
  EXPECT_EQ(bands.GetEnd(bands.GetCount() - 1), std::int64_t{ 1 } << 40);
  const compute::SliceBands one(std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(one.GetCount(), 1);
}

TEST(BandProjection, DepthsOfBandsAddUp)
{
  const auto names = testkernels::Names();
  double     worst[2] = { 0.0, 0.0 };
  for (unsigned int seed = 0; seed < 24; ++seed)
  {
    const JosephScene               scene(seed);
    const kernel::VolumeView &      volume = scene.volume->view;
    const compute::ProjectionPolicy policy;
    testkernels::ForEach([&](std::size_t number) {
      for (const Projector projector : AllProjectors)
      {
        const Result whole = ProjectWhole(volume, scene.view, projector, policy);
        const bool   packets = whole.report.kernel.find("packets") != std::string::npos;
        for (const std::int64_t most : { std::int64_t{ 1 }, std::int64_t{ 2 }, std::int64_t{ 7 }, volume.size[2] })
        {
          const Result bands = ProjectBands(volume, scene.view, projector, policy, most);
          const double distance = FindDistance(bands, whole, scene.largest);
          worst[packets ? 1 : 0] = std::max(worst[packets ? 1 : 0], distance);
          ASSERT_LE(distance, packets ? PacketBound : ScalarBound)
            << "seed " << seed << ": " << scene << ", " << ToString(projector) << ", bands of " << most << ", "
            << names.at(number);
          ASSERT_EQ(bands.report.raysWithEndInside, whole.report.raysWithEndInside) << "seed " << seed;
          ASSERT_EQ(bands.report.projector, whole.report.projector);
        }
      }
    });
  }
  RecordProperty("worst_scalar", std::to_string(worst[0] * 1e6) + "e-6");
  RecordProperty("worst_packets", std::to_string(worst[1] * 1e6) + "e-6");
}

TEST(BandProjection, ASingleBandIsTheVolume)
{
  const JosephScene               scene(3);
  const compute::ProjectionPolicy policy;
  for (const Projector projector : AllProjectors)
  {
    EXPECT_EQ(ProjectBands(scene.volume->view, scene.view, projector, policy, 1000).depths,
              ProjectWhole(scene.volume->view, scene.view, projector, policy).depths);
  }
}

// At 45 degrees two axes are equally steep, and rounding decides which is the main one: for a band it could decide
// otherwise than for the volume.
TEST(BandProjection, MainAxisIsThatOfTheWholeVolume)
{
  Random      random(5);
  OwnedVolume volume(21, 22, 23);
  random.Fill(volume);
  const testkernels::ScalarReference scalar;
  for (int trial = 0; trial < 600; ++trial)
  {
    const double reach = random.Uniform(40.0, 60.0);
    const double center[3] = { random.Uniform(8.0, 12.0), random.Uniform(8.0, 12.0), random.Uniform(8.0, 12.0) };
    const auto   view = ParallelRays({ center[0] - 4.0, center[1] - reach, center[2] - reach },
                                   { center[0], center[1] + reach, center[2] + reach },
                                   0,
                                   1,
                                   0.7,
                                   5);
    const Result whole = ProjectWhole(volume.view, view, Projector::Joseph, {});
    ASSERT_EQ(whole.report.projector, "joseph");
    ASSERT_LE(FindDistance(ProjectBands(volume.view, view, Projector::Joseph, {}, 3), whole, 1e-3), ScalarBound)
      << "trial " << trial;
  }
}

// A source inside one band is outside the others: they must not go back to Joseph for its rays.
TEST(BandProjection, RaysThatEndInsideAreSoForEveryBand)
{
  Random      random(6);
  OwnedVolume volume(17, 18, 19);
  random.Fill(volume);
  const auto names = testkernels::Names();
  for (int trial = 0; trial < 20; ++trial)
  {
    const double source[3] = { random.Uniform(0, 16), random.Uniform(0, 17), random.Uniform(0, 18) };
    const auto   along = static_cast<int>(random.Integer(1, 2));
    double       first[3] = { source[0] - 6.0, source[1] - 6.0, source[2] - 6.0 };
    first[along] = 40.0;
    const auto view = ConeRays(source, first, 0, 3 - along, 1.0, 13);
    testkernels::ForEach([&](std::size_t number) {
      const Result whole = ProjectWhole(volume.view, view, Projector::Joseph, {});
      const Result bands = ProjectBands(volume.view, view, Projector::Joseph, {}, 4);
      ASSERT_EQ(whole.report.raysWithEndInside, 13 * 13);
      ASSERT_EQ(bands.report.raysWithEndInside, 13 * 13);
      ASSERT_LE(FindDistance(bands, whole, 1e-3), ScalarBound) << "trial " << trial << ", " << names.at(number);
    });
  }
}

// A detector within the last voxel's tent is outside all bands but the last one.
TEST(BandProjection, RaysThatEndInTheOutermostTentAreSoForEveryBand)
{
  Random      random(7);
  OwnedVolume volume(9, 10, 30);
  random.Fill(volume);
  for (int trial = 0; trial < 20; ++trial)
  {
    const double source[3] = { 4.0, 4.0, random.Uniform(-200.0, -100.0) };
    const auto   view = ConeRays(source, { 0.3, 0.4, random.Uniform(29.0, 30.0) }, 0, 1, 0.45, 17);
    const Result whole = ProjectWhole(volume.view, view, Projector::Joseph, {});
    const Result bands = ProjectBands(volume.view, view, Projector::Joseph, {}, 4);
    ASSERT_EQ(whole.report.raysWithEndInside, 17 * 17);
    ASSERT_EQ(bands.report.raysWithEndInside, 17 * 17);
    ASSERT_LE(FindDistance(bands, whole, 1e-3), ScalarBound) << "trial " << trial;
  }
}

TEST(BandProjection, RectangleOfTheDetectorHasTheSameDepths)
{
  const JosephScene       scene(4);
  const auto &            volume = scene.volume->view;
  const Result            all = ProjectBands(volume, scene.view, Projector::Joseph, {}, volume.size[2]);
  std::vector<float>      part(4, -1.0F);
  const std::int64_t      column = scene.view.columns / 2;
  const std::int64_t      row = scene.view.rows / 2;
  compute::BandProjection projection(volume, scene.view, Projector::Joseph, {}, { nullptr, column, row, 1, 1 });
  std::vector<float>      transposed(scene.volume->values.size());
  compute::TransposeVolume(volume, compute::SerialFor, transposed.data());
  projection.Add(
    { volume, compute::MakeTransposedView(volume, transposed.data()) }, 0, compute::SerialFor, compute::SerialFor);
  projection.Store(part.data());
  EXPECT_EQ(part[0], all.depths.at(static_cast<std::size_t>(column + row * scene.view.columns)));
  EXPECT_EQ(part[1], -1.0F);
}

// ------------------------------------------------------------------------------------- volumes beyond 2^31 voxels

static_assert(std::is_same_v<std::remove_extent_t<decltype(kernel::VolumeView::stride)>, std::int64_t>);
static_assert(std::is_same_v<std::remove_extent_t<decltype(kernel::VolumeView::size)>, std::int64_t>);

TEST(HugeVolumeGrid, OffsetsAreCountedWith64Bits)
{
  const auto volume = kernel::MakeVolumeGrid(2048, 2048, 1100);
  EXPECT_EQ(volume.stride[2], std::int64_t{ 1 } << 22);
  const std::int64_t last = 2047 * volume.stride[0] + 2047 * volume.stride[1] + 1099 * volume.stride[2];
  EXPECT_EQ(last, std::int64_t{ 2048 } * 2048 * 1100 - 1);
  EXPECT_GT(last, std::int64_t{ 1 } << 32);
  const auto transposed = compute::MakeTransposedView(volume, nullptr);
  EXPECT_EQ(2047 * transposed.stride[0] + 2047 * transposed.stride[1] + 1099 * transposed.stride[2], last);
  const auto cube = kernel::MakeVolumeGrid(100000, 100000, 100000);
  EXPECT_EQ(cube.stride[2] * 99999 + cube.stride[1] * 99999 + 99999, std::int64_t{ 1000000000000000 } - 1);
}

namespace
{

/** 2048 x 2048 x 1100 voxels, more than 2^32, of which the system gives memory only for the pages that are written. */
class HugeVolume : public testing::Test
{
protected:
  static constexpr std::int64_t Columns = 2048;
  static constexpr std::int64_t Slices = 1100;
  static constexpr std::size_t  Bytes = sizeof(float) * Columns * Columns * Slices;

  void
  SetUp() override
  {
    m_Memory = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m_Memory == MAP_FAILED)
    {
      GTEST_SKIP() << "this system reserves no " << Bytes << " bytes of addresses";
    }
    volume = kernel::MakeVolumeView(static_cast<float *>(m_Memory), Columns, Columns, Slices);
    this->At(Columns - 1, Columns - 1, Slices - 1) = 0.5F;
    this->At(Columns - 2, Columns - 1, Slices - 1) = 0.25F;
    this->At(Columns - 1, Columns - 1, Slices - 2) = 0.125F;
  }

  void
  TearDown() override
  {
    if (m_Memory != MAP_FAILED)
    {
      munmap(m_Memory, Bytes);
    }
  }

  float &
  At(std::int64_t x, std::int64_t y, std::int64_t z)
  {
    return static_cast<float *>(m_Memory)[x + Columns * (y + Columns * z)];
  }

  /** The far corner, 4 x 4 x 4 voxels, as a volume of its own. */
  void
  FillCorner(OwnedVolume & corner)
  {
    for (std::int64_t z = 0; z < 4; ++z)
    {
      for (std::int64_t y = 0; y < 4; ++y)
      {
        for (std::int64_t x = 0; x < 4; ++x)
        {
          corner.At(x, y, z) = this->At(Columns - 4 + x, Columns - 4 + y, Slices - 4 + z);
        }
      }
    }
  }

  /** Rays along y past the far edge. \param first index of the corner's first voxel. */
  static kernel::ViewRays
  RaysAlongY(const double (&first)[3])
  {
    return ParallelRays({ Columns - 2.6 - first[0], -10.0 - first[1], Slices - 2.7 - first[2] },
                        { Columns - 2.5 - first[0], Columns + 10.0 - first[1], Slices - 2.6 - first[2] },
                        0,
                        2,
                        0.125,
                        16);
  }

  kernel::VolumeView volume{};

private:
  void * m_Memory{ MAP_FAILED };
};

} // namespace

TEST_F(HugeVolume, FarCornerIsProjected)
{
  OwnedVolume corner(4, 4, 4);
  this->FillCorner(corner);
  const auto names = testkernels::Names();
  testkernels::ForEach([&](std::size_t number) {
    for (const Projector projector : AllProjectors)
    {
      Result     whole;
      const auto view = RaysAlongY({ 0.0, 0.0, 0.0 });
      const auto output = WholeDetector(view, whole.depths);
      compute::ForwardProject(volume, view, projector, {}, compute::SerialFor, output);
      const auto expected =
        ProjectWhole(corner.view, RaysAlongY({ Columns - 4.0, Columns - 4.0, Slices - 4.0 }), projector, {});
      EXPECT_GT(*std::max_element(whole.depths.begin(), whole.depths.end()), 0.4F);
      EXPECT_LE(FindDistance(whole, expected, 0.01), PacketBound) << ToString(projector) << ", " << names.at(number);
    }
  });
}

TEST_F(HugeVolume, FarBandIsProjected)
{
  const auto view = RaysAlongY({ 0.0, 0.0, 0.0 });
  for (const Projector projector : AllProjectors)
  {
    Result     whole;
    Result     band;
    const auto output = WholeDetector(view, whole.depths);
    compute::ForwardProject(volume, view, projector, {}, compute::SerialFor, output);
    compute::BandProjection projection(volume, view, projector, {}, WholeDetector(view, band.depths));
    const auto              lastSlices =
      kernel::MakeVolumeView(volume.values + (Slices - 3) * volume.stride[2], Columns, Columns, 3);
    projection.Add(lastSlices, Slices - 3, compute::SerialFor, compute::SerialFor);
    projection.Store(band.depths.data());
    EXPECT_LE(FindDistance(band, whole, 0.01), PacketBound) << ToString(projector);
  }
}

TEST_F(HugeVolume, FarCornerIsProjectedBack)
{
  const auto               view = RaysAlongY({ 0.0, 0.0, 0.0 });
  const std::vector<float> pixels(static_cast<std::size_t>(view.columns * view.rows), 1.0F);
  for (const Projector projector : AllProjectors)
  {
    std::vector<float> depths;
    compute::ForwardProject(volume, view, projector, {}, compute::SerialFor, WholeDetector(view, depths));
    double forward = 0.0;
    for (const float depth : depths)
    {
      forward += static_cast<double>(depth);
    }
    std::vector<float>     voxels(8, -1.0F);
    const kernel::IndexBox box{ { Columns - 2, Columns - 2, Slices - 2 }, { Columns, Columns, Slices } };
    compute::BackProject(kernel::MakeVolumeGrid(Columns, Columns, Slices),
                         view,
                         projector,
                         {},
                         compute::SerialFor,
                         pixels.data(),
                         compute::WeightPower::One,
                         { voxels.data(), box });
    // (A x) . 1 = x . (A^T 1): only three voxels are not 0, and they are in the box.
    const double back = 0.125 * static_cast<double>(voxels[3]) + 0.25 * static_cast<double>(voxels[6]) +
                        0.5 * static_cast<double>(voxels[7]);
    EXPECT_NEAR(back, forward, PacketBound * forward) << ToString(projector);
  }
}
