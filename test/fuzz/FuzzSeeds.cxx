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

// Writes what fuzzing starts from: small files of each kind and encoding, made by the tests' own generators.
// Usage: FuzzSeeds FOLDER, below which ct, radiograph and geometry are made.

#include "DICOMEnhancedFiles.h"
#include "DICOMObjects.h"
#include "FuzzTools.h"

#include "itkRadiographGeometryJSON.h"

#include <cstdlib>
#include <iostream>

namespace fs = std::filesystem;

namespace
{

std::string
BytesOf(const objects::Object & object)
{
  const phantom::TemporaryFolder folder;
  const std::string              path = (folder / "x").string();
  // Sequences of undefined length, in which the mutator can change what it wants without correcting their lengths.
  const OFCondition status = object.file->saveFile(path.c_str(), object.syntax, EET_UndefinedLength);
  if (status.bad())
  {
    throw std::runtime_error(object.name + ": " + status.text());
  }
  std::ifstream file(folder / "x", std::ios::binary);
  return { std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>() };
}

/** In a folder that is made if it is not there, under a number. */
class SeedFolder
{
public:
  explicit SeedFolder(const fs::path & path)
    : m_Path(path)
  {
    fs::create_directories(path);
  }

  void
  Add(const std::string & bytes)
  {
    std::ofstream file(m_Path / ("seed-" + std::to_string(++m_Count)), std::ios::binary);
    if (!(file << bytes))
    {
      throw std::runtime_error("cannot write below " + m_Path.string());
    }
  }

private:
  fs::path m_Path;
  unsigned m_Count{ 0 };
};

std::string
Joined(const std::vector<objects::Object> & series)
{
  std::string joined;
  for (const auto & slice : series)
  {
    joined += (joined.empty() ? "" : std::string(fuzz::FileSeparator)) + BytesOf(slice);
  }
  return joined;
}

/** Three slices with these positions. */
std::string
Stack(const std::vector<std::string> & positions)
{
  auto series = objects::CTSeries(static_cast<unsigned>(positions.size()));
  for (std::size_t k = 0; k < positions.size(); ++k)
  {
    phantom::Put(*series[k].file->getDataset(), DCM_ImagePositionPatient, positions[k]);
  }
  return Joined(series);
}

void
WriteCTSeeds(SeedFolder folder)
{
  for (const auto syntax : objects::LosslessSyntaxes())
  {
    const auto series = objects::CTSeries(2, syntax);
    folder.Add(BytesOf(series.front()));
    folder.Add(Joined(series));
  }
  folder.Add(Stack({ "0\\0\\0", "0\\1\\3", "0\\2\\6" }));            // tilted
  folder.Add(Stack({ "0\\0\\0", "0\\0\\3", "0\\0\\9" }));            // with a gap
  folder.Add(Stack({ "0\\0\\0", "0\\0\\0", "0\\0\\3" }));            // a duplicate that differs
  folder.Add(Stack({ "0\\0\\0", "0\\0\\3", "0\\0\\7", "0\\9\\8" })); // uneven
  using phantom::Groups;
  for (const auto groups : { Groups::AllPerFrame, Groups::SharedWherePossible })
  {
    folder.Add(BytesOf({ "enhanced CT", phantom::MakeEnhanced(phantom::MakeFrames({ 1, 0, 2 }), groups) }));
  }
  auto duplicates = objects::CTSeries(1);
  duplicates.push_back({ "", objects::MakeFullSlice(0) });
  folder.Add(Joined(duplicates));
}

void
WriteRadiographSeeds(SeedFolder folder)
{
  for (const auto & object : objects::XrayObjects())
  {
    folder.Add(BytesOf(object));
  }
}

void
WriteGeometrySeeds(SeedFolder folder)
{
  folder.Add(itk::RadiographGeometryJSON::Serialize(xray::CArmView(30, 10)));
  folder.Add(R"({"radiography_view": 1, "c_arm": {"primary_angle_deg": 30, "secondary_angle_deg": 10, "roll_deg": 5,
    "source_isocenter_mm": 700, "source_detector_mm": 1000, "isocenter_mm": [1, 2, 3]},
    "detector": {"size": [12, 10], "spacing_mm": [0.4, 0.5]}})");
  folder.Add(R"({"radiography_view": 1, "projection_matrix": [[1000, 0, 5.5, 0], [0, 1000, 4.5, 0], [0, 0, 1, 1000]],
    "source_detector_mm": 1000, "detector": {"size": [12, 10], "spacing_mm": [0.4, 0.5]}})");
  folder.Add(R"(<?xml version="1.0"?><!DOCTYPE RTKGEOMETRY><RTKThreeDCircularGeometry version="3">
<SourceToIsocenterDistance>1000</SourceToIsocenterDistance><SourceToDetectorDistance>1500</SourceToDetectorDistance>
<Projection><GantryAngle>30</GantryAngle><ProjectionOffsetX>1</ProjectionOffsetX></Projection>
<Projection><GantryAngle>60</GantryAngle><InPlaneAngle>5</InPlaneAngle></Projection></RTKThreeDCircularGeometry>)");
}

} // namespace

int
main(int argc, char ** argv)
{
  if (argc != 2)
  {
    std::cerr << "Usage: FuzzSeeds FOLDER\n";
    return EXIT_FAILURE;
  }
  ::testing::GTEST_FLAG(throw_on_failure) = true;
  ::testing::InitGoogleTest();
  try
  {
    const fs::path folder(argv[1]);
    WriteCTSeeds(SeedFolder(folder / "ct"));
    WriteRadiographSeeds(SeedFolder(folder / "radiograph"));
    WriteGeometrySeeds(SeedFolder(folder / "geometry"));
  }
  catch (const std::exception & error)
  {
    std::cerr << "FuzzSeeds: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
