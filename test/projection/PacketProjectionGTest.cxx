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
#include "ProjectionFixtures.h"

#include "itkImageRegionIterator.h"
#include "itkMultiThreaderBase.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <sys/resource.h>
#include <thread>
#include <vector>

using namespace radiography::test;

namespace
{

itk::ProjectionVolume::Pointer
MakeVolume(const ImageType * image)
{
  const auto volume = itk::ProjectionVolume::New();
  volume->SetImage(image);
  return volume;
}

/** Along y for angle 0, along x for 90. */
FilterType::Pointer
MakeViewOf(const itk::ProjectionVolume * volume, double primaryDeg, double rollDeg = 0.0)
{
  const auto filter = FilterType::New();
  filter->SetProjectionVolume(volume);
  filter->SetGeometry(MakeCArmView(primaryDeg, 5, 61, 1.3, rollDeg));
  return filter;
}

std::vector<float>
GetPixels(const ImageType * image)
{
  const float * const begin = image->GetBufferPointer();
  return std::vector<float>(begin, begin + image->GetBufferedRegion().GetNumberOfPixels());
}

bool
RanPackets(const FilterType & filter)
{
  return filter.GetComputeReport().kernel.find("packets") != std::string::npos;
}

} // namespace

TEST(PacketProjection, ViewsAlongXShareOneTransposedCopy)
{
  const auto image = MakeRandomImage(1, { { 31, 29, 17 } });
  const auto volume = MakeVolume(image);
  EXPECT_EQ(volume->GetTransposedCopyBytes(), 0U);
  const auto alongY = MakeViewOf(volume, 0);
  alongY->Update();
  EXPECT_TRUE(RanPackets(*alongY)) << alongY->GetComputeReport().kernel;
  EXPECT_EQ(volume->GetTransposedCopyBytes(), 0U) << "the image's own memory serves y and z";

  const auto first = MakeViewOf(volume, 90);
  first->Update();
  EXPECT_TRUE(RanPackets(*first));
  EXPECT_EQ(volume->GetTransposedCopyBytes(), 4U * 31 * 29 * 17);
  const auto copy = volume->GetTransposedCopy(*first->GetMultiThreader());
  const auto second = MakeViewOf(volume, -90);
  second->Update();
  EXPECT_EQ(volume->GetTransposedCopy(*second->GetMultiThreader()), copy) << "shared, not made again";
}

TEST(PacketProjection, TheTransposedCopyEndsWithItsImageOrWhenAsked)
{
  const auto                       image = MakeRandomImage(2, { { 31, 29, 17 } });
  const auto                       volume = MakeVolume(image);
  const auto                       threader = itk::MultiThreaderBase::New();
  const std::weak_ptr<const float> first = volume->GetTransposedCopy(*threader);
  EXPECT_FALSE(first.expired());
  volume->ReleaseTransposedCopy();
  EXPECT_TRUE(first.expired());
  EXPECT_EQ(volume->GetTransposedCopyBytes(), 0U);

  const auto before = MakeViewOf(volume, 90);
  before->Update();
  const auto pixels = GetPixels(before->GetOutput());
  EXPECT_GT(volume->GetTransposedCopyBytes(), 0U) << "made again";
  volume->SetImage(MakeCenteredImage({ { 31, 29, 17 } }, 1.5, 1.2, 2.0));
  EXPECT_EQ(volume->GetTransposedCopyBytes(), 0U);
  before->Update();
  EXPECT_EQ(GetPixels(before->GetOutput()), std::vector<float>(pixels.size(), 0.0F)) << "no voxel of the old image";
  EXPECT_THROW(itk::ProjectionVolume::New()->GetTransposedCopy(*threader), itk::ExceptionObject);
}

TEST(PacketProjection, SeveralThreadsGetOneTransposedCopy)
{
  const auto                                volume = MakeVolume(MakeRandomImage(7, { { 31, 29, 17 } }));
  std::vector<std::shared_ptr<const float>> copies(4);
  std::vector<std::thread>                  threads;
  for (auto & copy : copies)
  {
    threads.emplace_back([&copy, &volume]() { copy = volume->GetTransposedCopy(*itk::MultiThreaderBase::New()); });
  }
  for (std::thread & thread : threads)
  {
    thread.join();
  }
  for (const auto & copy : copies)
  {
    EXPECT_EQ(copy, copies.front());
  }
}

TEST(PacketProjection, WithoutTheCopyTheReferenceRuns)
{
  const auto volume = MakeVolume(MakeRandomImage(3, { { 31, 29, 17 } }));
  const auto filter = MakeViewOf(volume, 90);
  filter->Update();
  const auto packets = GetPixels(filter->GetOutput());
  volume->ReleaseTransposedCopy();
  filter->SetPolicy("transposedCopy=0");
  filter->Update();
  EXPECT_FALSE(RanPackets(*filter));
  EXPECT_EQ(volume->GetTransposedCopyBytes(), 0U);
  EXPECT_EQ(filter->GetComputeReport().notUsed.count("simd"), 1U);
  const auto reference = GetPixels(filter->GetOutput());
  for (size_t i = 0; i < packets.size(); ++i)
  {
    // 2e-6 of a ray through 31 voxels of 0.05/mm.
    ASSERT_NEAR(packets[i], reference[i], 1e-7 * reference[i] + 2e-6 * 0.05 * 50.0) << i;
  }
}

TEST(PacketProjection, SameBitsForAnyThreadsAndRegionAlongEachAxisAndRoll)
{
  const auto volume = MakeVolume(MakeRandomImage(4, { { 31, 29, 47 } }));
  for (const double primary : { 0.0, 20.0, 90.0, 110.0 })
  {
    for (const double roll : { 0.0, 45.0, 70.0 })
    {
      const auto whole = MakeViewOf(volume, primary, roll);
      whole->SetNumberOfWorkUnits(1);
      whole->Update();
      ASSERT_TRUE(RanPackets(*whole));
      const auto pixels = GetPixels(whole->GetOutput());
      const auto threaded = MakeViewOf(volume, primary, roll);
      threaded->SetNumberOfWorkUnits(7);
      threaded->Update();
      EXPECT_EQ(GetPixels(threaded->GetOutput()), pixels);

      const itk::ImageRegion<3> region({ { 3, 11, 0 } }, { { 37, 22, 1 } });
      const auto                part = MakeViewOf(volume, primary, roll);
      part->UpdateOutputInformation();
      part->GetOutput()->SetRequestedRegion(region);
      part->GetOutput()->Update();
      for (itk::ImageRegionIterator<ImageType> it(part->GetOutput(), region); !it.IsAtEnd(); ++it)
      {
        const auto index = it.GetIndex();
        ASSERT_EQ(it.Get(), pixels[static_cast<size_t>(index[0] + 61 * index[1])]) << index;
      }
    }
  }
}

TEST(PacketProjection, TheEnvironmentSwitchesPacketsOff)
{
  const auto volume = MakeVolume(MakeRandomImage(5, { { 31, 29, 17 } }));
  const auto filter = MakeViewOf(volume, 90);
  setenv("RADIOGRAPHY_DISABLE_SIMD", "1", 1);
  filter->Update();
  unsetenv("RADIOGRAPHY_DISABLE_SIMD");
  EXPECT_EQ(filter->GetComputeReport().kernel, "joseph, scalar binary64");
  EXPECT_EQ(filter->GetComputeReport().notUsed.at("simd"), "switched off: RADIOGRAPHY_DISABLE_SIMD=1");
  EXPECT_EQ(volume->GetTransposedCopyBytes(), 0U) << "not made for nothing";
}

TEST(PacketProjection, AHundredPosesTakeNoMoreMemoryThanOne)
{
  const auto volume = MakeVolume(MakeRandomImage(6, { { 128, 128, 64 } }));
  const auto filter = MakeViewOf(volume, 90);
  const auto pose = itk::Euler3DTransform<double>::New();
  filter->SetTransform(pose);
  filter->Update();
  const auto peakKilobytes = []() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const auto before = peakKilobytes();
  for (int call = 0; call < 100; ++call)
  {
    pose->SetRotation(0.001 * call, 0.002, -0.001 * call);
    filter->Update();
  }
  ASSERT_TRUE(RanPackets(*filter));
  // The volume has 4 MiB and so has its copy: one more of either, once, would show.
  EXPECT_LT(peakKilobytes() - before, 3072);
}
