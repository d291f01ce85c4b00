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
#include "itkRadiographBackProjectionImageFilter.h"

#include "itkEuler3DTransform.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>

// Counts what operator new hands out, in all of the program, libraries included: hence a driver of its own.
namespace
{

struct Allocations
{
  std::atomic<long>        count{ 0 };
  std::atomic<std::size_t> largest{ 0 };
  /** Handed out and not given back. */
  std::atomic<long> live{ 0 };
};

Allocations g_Allocations;

void *
Allocate(std::size_t size)
{
  void * const memory = std::malloc(std::max<std::size_t>(size, 1));
  if (memory == nullptr)
  {
    throw std::bad_alloc();
  }
  ++g_Allocations.count;
  ++g_Allocations.live;
  std::size_t largest = g_Allocations.largest;
  while (size > largest && !g_Allocations.largest.compare_exchange_weak(largest, size))
  {}
  return memory;
}

void
Free(void * memory)
{
  g_Allocations.live -= memory == nullptr ? 0 : 1;
  std::free(memory);
}

} // namespace

void *
operator new(std::size_t size)
{
  return Allocate(size);
}

void *
operator new[](std::size_t size)
{
  return Allocate(size);
}

void
operator delete(void * memory) noexcept
{
  Free(memory);
}

void
operator delete[](void * memory) noexcept
{
  Free(memory);
}

void
operator delete(void * memory, std::size_t) noexcept
{
  Free(memory);
}

void
operator delete[](void * memory, std::size_t) noexcept
{
  Free(memory);
}

using namespace radiography::test;

namespace
{

constexpr int Calls = 100;

/** Calls `call(i)`, which returns a pixel in the middle, to make what is kept, then Calls times more, and looks at what
 * these allocate. */
template <typename TCall>
void
Watch(const char * name, std::size_t most, const TCall & call)
{
  call(0);
  const double first = call(1);
  EXPECT_NE(call(2), first) << name << " does nothing";
  const long live = g_Allocations.live;
  const long count = g_Allocations.count;
  g_Allocations.largest = 0;
  for (int i = 3; i < Calls + 3; ++i)
  {
    call(i);
  }
  const std::size_t largest = g_Allocations.largest;
  const long        perCall = (g_Allocations.count - count) / Calls;
  testing::Test::RecordProperty(std::string(name) + "_allocations_per_call", std::to_string(perCall));
  testing::Test::RecordProperty(std::string(name) + "_largest_bytes", std::to_string(largest));
  // ITK's threads may be a bit late in giving back what a task was kept in.
  EXPECT_LT(g_Allocations.live, live + Calls / 2) << name << " keeps more with each call";
  EXPECT_LE(largest, most) << name << " allocates an image, or worse, in each call";
}

float
GetMiddle(const ImageType & image)
{
  itk::Index<3> index = image.GetBufferedRegion().GetIndex();
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    index[axis] += static_cast<itk::IndexValueType>(image.GetBufferedRegion().GetSize(axis) / 2);
  }
  return image.GetPixel(index);
}

/** By its parameters: ITK's SetRotation() does not count as a change of the transform. */
void
SetPose(itk::Euler3DTransform<double> & transform, int i)
{
  auto parameters = transform.GetParameters();
  parameters[0] = 0.001 * i;
  parameters[1] = -0.0007 * i;
  transform.SetParameters(parameters);
}

} // namespace

TEST(CallAllocations, ForwardCallsAllocateNoImageForAnyThreads)
{
  const auto volume = MakeRandomImage(1, { { 40, 41, 42 } });
  const auto view = MakeCArmView(30, 10, 128, 1.0);
  const auto transform = itk::Euler3DTransform<double>::New();
  for (const unsigned int threads : { 1U, 2U })
  {
    const auto filter = FilterType::New();
    filter->SetInput(volume);
    filter->SetGeometry(view);
    filter->SetTransform(transform);
    filter->SetNumberOfWorkUnits(threads);
    filter->GetMultiThreader()->SetMaximumNumberOfThreads(threads);
    // Depths are 65,536 bytes, the volume 275,520.
    Watch(threads == 1 ? "forward_1_thread" : "forward_2_threads", 4096, [&](int i) {
      SetPose(*transform, i);
      filter->Update();
      return GetMiddle(*filter->GetOutput());
    });
  }
}

TEST(CallAllocations, BackCallsAllocateNoVolumeForAnyThreads)
{
  const auto volume = MakeRandomImage(1, { { 90, 91, 92 } });
  const auto view = MakeCArmView(30, 10, 64, 3.0);
  const auto transform = itk::Euler3DTransform<double>::New();
  const auto pixels = MakeDetectorPixels(*view);
  pixels->FillBuffer(1.0F);
  for (const unsigned int threads : { 1U, 2U })
  {
    const auto filter = itk::RadiographBackProjectionImageFilter::New();
    filter->SetInput(pixels);
    filter->SetReferenceImage(volume);
    filter->SetGeometry(view);
    filter->SetTransform(transform);
    filter->SetNumberOfWorkUnits(threads);
    filter->GetMultiThreader()->SetMaximumNumberOfThreads(threads);
    // A buffer of 32 x 32 rows has about 500,000 bytes, the volume 3,013,920.
    Watch(threads == 1 ? "back_1_thread" : "back_2_threads", 600000, [&](int i) {
      SetPose(*transform, i);
      filter->Update();
      return GetMiddle(*filter->GetOutput());
    });
  }
}
