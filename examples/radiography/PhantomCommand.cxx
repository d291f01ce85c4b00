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
#include "Commands.h"

#include "Errors.h"
#include "Numbers.h"
#include "OutputFile.h"
#include "PhantomSeriesWriter.h"

#include <filesystem>
#include <fstream>
#include <memory>

namespace fs = std::filesystem;

namespace radiography::program
{
namespace
{

struct PhantomOptions
{
  CommonOptions common;
  std::string   folder;
  std::uint64_t size{ 128 };
  std::uint64_t seed{ 0 };
};

#ifdef RADIOGRAPHY_USE_DCMTK

const char * const TruthName = "truth.json";

bool
IsPhantomFile(const fs::path & path)
{
  const auto name = path.filename().string();
  return name == TruthName || (name.rfind("slice-", 0) == 0 && path.extension() == ".dcm");
}

/** A folder that holds anything but an earlier phantom is left alone. */
void
RefuseForeignFolder(const fs::path & folder)
{
  if (!fs::exists(folder))
  {
    return;
  }
  if (!fs::is_directory(folder))
  {
    throw Failure(folder.string() + " is a file, not a folder");
  }
  for (const auto & entry : fs::directory_iterator(folder))
  {
    if (!IsPhantomFile(entry.path()))
    {
      throw Failure("the folder " + folder.string() + " holds " + entry.path().filename().string() +
                      ", which is not part of a phantom",
                    "choose a new or an empty folder");
    }
  }
}

JSON
DescribeSolids(const PhantomModel & model)
{
  JSON list = JSON::array();
  for (const auto & solid : model.Solids())
  {
    Bounds box = solid.pieces.front().bounds;
    for (const auto & piece : solid.pieces)
    {
      for (std::size_t i = 0; i < 3; ++i)
      {
        box.low[i] = std::min(box.low[i], piece.bounds.low[i]);
        box.high[i] = std::max(box.high[i], piece.bounds.high[i]);
      }
    }
    list.push_back({ { "name", solid.name },
                     { "material", solid.material },
                     { "bounds_mm", { { "low", box.low }, { "high", box.high } } } });
  }
  return list;
}

JSON
DescribeTruth(const PhantomModel & model, const PhantomSeries & series)
{
  JSON targets = JSON::array();
  for (const auto & target : model.Targets())
  {
    targets.push_back({ { "name", target.name },
                        { "center_mm", target.center },
                        { "radius_mm", target.radius },
                        { "material", target.material } });
  }
  JSON materials = JSON::array();
  for (const auto & [name, hounsfield] : model.Materials())
  {
    materials.push_back({ { "name", name }, { "hounsfield", hounsfield } });
  }
  const double voxel = series.Voxel();
  const double first = series.FirstCenter();
  return { { "radiography_phantom", 1 },
           { "coordinates", "LPS mm" },
           { "seed", series.seed },
           { "size", { series.size, series.size, series.size } },
           { "spacing_mm", { voxel, voxel, voxel } },
           { "origin_mm", { first, first, first } },
           { "targets", targets },
           { "materials", materials },
           { "solids", DescribeSolids(model) } };
}

void
WriteTruth(const JSON & truth, const fs::path & path)
{
  std::ofstream file(path, std::ios::binary);
  file << truth.dump(2) << '\n';
  if (!file.flush())
  {
    throw Failure("cannot write " + path.string());
  }
}

/** Removes a folder that did not become what it was made for. */
class TemporaryFolder
{
public:
  explicit TemporaryFolder(fs::path path)
    : m_Path(std::move(path))
  {
    fs::create_directory(m_Path);
  }
  ~TemporaryFolder()
  {
    std::error_code ignored;
    fs::remove_all(m_Path, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &
  operator=(const TemporaryFolder &) = delete;

  const fs::path &
  Path() const
  {
    return m_Path;
  }

private:
  fs::path m_Path;
};

/** The complete new phantom takes the place of what was there. */
void
MoveInto(const fs::path & from, const fs::path & folder)
{
  fs::create_directory(folder);
  std::vector<fs::path> old;
  for (const auto & entry : fs::directory_iterator(folder))
  {
    old.push_back(entry.path());
  }
  for (const auto & path : old)
  {
    fs::remove(path);
  }
  for (const auto & entry : fs::directory_iterator(from))
  {
    fs::rename(entry.path(), folder / entry.path().filename());
  }
}

void
RunPhantom(const PhantomOptions & options)
{
  const Console console(options.common);
  Stopwatch     watch;
  fs::path      folder = fs::absolute(options.folder).lexically_normal();
  if (folder.filename().empty())
  {
    folder = folder.parent_path(); // the name ended with a slash
  }
  RefuseForeignFolder(folder);
  fs::create_directories(folder.parent_path());

  const PhantomSeries series{ static_cast<std::size_t>(options.size), options.seed };
  const PhantomModel  model(options.seed);
  TemporaryFolder     work(TemporaryNameBeside(folder, ""));
  WritePhantomSeries(model, series, work.Path());
  const auto truth = DescribeTruth(model, series);
  WriteTruth(truth, work.Path() / TruthName);
  MoveInto(work.Path(), folder);

  if (console.WantsJSON())
  {
    console.Print({ { "folder", options.folder },
                    { "files", series.size },
                    { "truth", (fs::path(options.folder) / TruthName).string() },
                    { "size", truth["size"] },
                    { "spacing_mm", truth["spacing_mm"] },
                    { "origin_mm", truth["origin_mm"] },
                    { "seed", series.seed },
                    { "seconds", { { "total", watch.Total() } } } });
  }
  const auto n = std::to_string(series.size);
  console.Say("chest phantom, " + n + " x " + n + " x " + n + " voxels of " + ToText(series.Voxel()) + " mm, seed " +
              std::to_string(series.seed) + ": " + options.folder);
}

#else

void
RunPhantom(const PhantomOptions &)
{
  throw Failure("this build has no DCMTK and cannot write DICOM", HowToBuildWithDCMTK);
}

#endif

} // namespace

void
AddPhantomCommand(CLI::App & program, Action & chosen)
{
  const auto options = std::make_shared<PhantomOptions>();
  auto &     command = *program.add_subcommand("phantom", "write a DICOM CT series of a chest phantom, with its truth");
  command.add_option("OUT_DIR", options->folder, "the folder to make")->required();
  AddInteger(command, "--size", options->size, 16, 512, "voxels along each edge");
  AddInteger(command, "--seed", options->seed, 0, std::numeric_limits<std::uint32_t>::max(), "which phantom");
  AddCommonOptions(command, options->common);
  command.callback([options, &chosen] { chosen = [options] { RunPhantom(*options); }; });
}

} // namespace radiography::program
