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
// CPU time of a whole orbit of views, as a reconstruction or a search for a pose asks for: a cubic volume of noise, the
// source 1000 mm from its middle on a circle about z, the detector 1500 mm from the source. Contenders take turns, view
// after view, so that a busy machine treats them alike. See doc/performance.md.
//
//   OrbitTiming SIZE VIEWS CONTENDER...
//
// SIZE: voxels and pixels of a side. CONTENDER: a projector, perhaps an instruction set, and what is overridden in the
// policy, as in "joseph", "siddon@AVX2" and "joseph:slabBlock=4,tileColumns=32". One row of a table for each.

#include "compute/ForwardProjection.h"
#include "compute/InstructionSet.h"
#include "compute/TransposedVolume.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace compute = radiography::compute;
namespace kernel = radiography::kernel;

namespace
{

struct Contender
{
  std::string               name;
  compute::Projector        projector;
  compute::InstructionSet   instructionSet;
  compute::ProjectionPolicy policy;
  double                    seconds;
  std::string               kernel;
};

compute::Projector
FindProjector(const std::string & name)
{
  for (const auto projector : { compute::Projector::Joseph, compute::Projector::CellGauss, compute::Projector::Siddon })
  {
    if (name == compute::ToString(projector))
    {
      return projector;
    }
  }
  throw std::invalid_argument("there is no projector \"" + name + "\"");
}

/** \param name empty: the best one. */
compute::InstructionSet
FindInstructionSet(const std::string & name)
{
  for (const compute::InstructionSet & set : compute::GetInstructionSets())
  {
    if (name.empty() || name == set.name)
    {
      return set;
    }
  }
  throw std::invalid_argument("this machine has no instruction set \"" + name + "\"");
}

/** What of a text stands before a mark and, without the mark, behind it. */
std::pair<std::string, std::string>
Split(const std::string & text, char mark)
{
  const std::size_t at = text.find(mark);
  return { text.substr(0, at), at == std::string::npos ? "" : text.substr(at + 1) };
}

Contender
MakeContender(const std::string & text)
{
  const auto [what, overrides] = Split(text, ':');
  const auto [projector, set] = Split(what, '@');
  return {
    text, FindProjector(projector), FindInstructionSet(set), compute::ParseProjectionPolicy(overrides), 0.0, {}
  };
}

/** Source and detector turned by an angle about z, in the index space of a cube of 256 mm. */
kernel::ViewRays
MakeView(std::int64_t size, double angle)
{
  const double scale = static_cast<double>(size) / 256.0;
  const double middle = 0.5 * static_cast<double>(size - 1);
  const double pitch = 400.0 / static_cast<double>(size);
  const double along[3] = { std::sin(angle), std::cos(angle), 0.0 };
  const double column[3] = { pitch * std::cos(angle), -pitch * std::sin(angle), 0.0 };
  const double row[3] = { 0.0, 0.0, pitch };

  kernel::ViewRays view{};
  view.columns = size;
  view.rows = size;
  for (int a = 0; a < 3; ++a)
  {
    const double start = -1000.0 * along[a];
    const double end = 500.0 * along[a] - middle * (column[a] + row[a]);
    view.start.origin[a] = middle + scale * start;
    view.end.origin[a] = middle + scale * end;
    view.end.column[a] = scale * column[a];
    view.end.row[a] = scale * row[a];
    view.span.origin[a] = end - start;
    view.span.column[a] = column[a];
    view.span.row[a] = row[a];
  }
  return view;
}

void
Run(std::int64_t size, int views, std::vector<Contender> & contenders)
{
  std::vector<float>       values(static_cast<std::size_t>(size * size * size));
  std::vector<float>       transposed(values.size());
  const kernel::VolumeView volume = kernel::MakeVolumeView(values.data(), size, size, size);
  std::minstd_rand         engine(1);
  for (float & value : values)
  {
    value = std::uniform_real_distribution<float>(0.0F, 0.04F)(engine);
  }
  compute::TransposeVolume(volume, compute::SerialFor, transposed.data());
  const compute::VolumeLayouts layouts(volume, compute::MakeTransposedView(volume, transposed.data()));

  std::vector<float> depths(static_cast<std::size_t>(size * size));
  for (int number = 0; number < views; ++number)
  {
    const kernel::ViewRays view = MakeView(size, 2.0 * 3.14159265358979323846 * number / views);
    for (Contender & contender : contenders)
    {
      const compute::ForcedInstructionSet forced(contender.instructionSet);
      const std::clock_t                  begin = std::clock();
      const auto                          report = compute::ForwardProject(layouts,
                                                  view,
                                                  contender.projector,
                                                  contender.policy,
                                                  compute::SerialFor,
                                                  { depths.data(), 0, 0, view.columns, view.rows });
      contender.seconds += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      contender.kernel = report.kernel;
    }
  }
}

} // namespace

int
main(int argc, char ** argv)
{
  if (argc < 4)
  {
    std::fprintf(stderr, "usage: %s SIZE VIEWS CONTENDER...\n", argv[0]);
    return 2;
  }
  try
  {
    const int              views = std::atoi(argv[2]);
    std::vector<Contender> contenders;
    for (int i = 3; i < argc; ++i)
    {
      contenders.push_back(MakeContender(argv[i]));
    }
    Run(std::atoi(argv[1]), views, contenders);
    std::printf("| contender | CPU ms per view | all views, s | what ran last |\n| --- | --- | --- | --- |\n");
    for (const Contender & contender : contenders)
    {
      std::printf("| %s | %.1f | %.1f | %s |\n",
                  contender.name.c_str(),
                  1e3 * contender.seconds / views,
                  contender.seconds,
                  contender.kernel.c_str());
    }
  }
  catch (const std::exception & error)
  {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
