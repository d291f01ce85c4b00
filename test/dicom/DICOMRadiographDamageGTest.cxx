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
#include "DICOMXrayFiles.h"

#include <cstdlib>
#include <random>

using namespace xray;

namespace
{

/** Reads as a person would, options and all. Whatever the file is, there is an image or an error. */
bool
IsReadOrRefused(const std::string & path)
{
  const auto reader = Reader::New();
  reader->SetFileName(path);
  reader->SetFrame(1);
  try
  {
    reader->Update();
    return reader->GetOutput()->GetBufferedRegion().GetNumberOfPixels() > 0;
  }
  catch (const itk::ExceptionObject & error)
  {
    return !std::string(error.GetDescription()).empty();
  }
}

std::string
ReadFile(const std::string & path)
{
  std::ifstream file(path, std::ios::binary);
  return { std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>() };
}

void
WriteFile(const std::string & path, const std::string & bytes)
{
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/** An image of each kind with all the tags that matter. */
std::vector<File>
MakeAll()
{
  std::vector<File> files;
  files.push_back(MakeXA());
  Dataset & d = *files.back()->getDataset();
  Put(d, DCM_PixelSpacing, "0.3\\0.3");
  Put(d, DCM_ShutterShape, "RECTANGULAR\\POLYGONAL");
  Put(d, DCM_ShutterLeftVerticalEdge, "1");
  Put(d, DCM_ShutterRightVerticalEdge, "12");
  Put(d, DCM_ShutterUpperHorizontalEdge, "1");
  Put(d, DCM_ShutterLowerHorizontalEdge, "10");
  Put(d, DCM_VerticesOfThePolygonalShutter, "1\\1\\1\\12\\10\\1");
  Put(d, DCM_PositionerPrimaryAngleIncrement, "0");
  files.push_back(MakeRTImage());
  files.push_back(MakeDX());
  return files;
}

/** Values that break careless readers. */
const char * const Hostile[] = { "", "0", "-1", "1e308", "nan", "1,5", "\\", "1\\2\\3\\4\\5", "99999999999999", "+-1" };

unsigned
FromEnvironment(const char * name, unsigned otherwise)
{
  const char * const text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::stoul(text));
}

} // namespace

TEST(DICOMRadiographDamage, EveryTagHostileOrMissing)
{
  unsigned count = 0;
  for (const auto & original : MakeAll())
  {
    for (unsigned long i = 0; i < original->getDataset()->card(); ++i)
    {
      const auto tag = original->getDataset()->getElement(i)->getTag().getXTag();
      if (tag == DCM_PixelData)
      {
        continue;
      }
      for (std::size_t h = 0; h <= std::size(Hostile); ++h)
      {
        DcmFileFormat copy(*original);
        Dataset &     d = *copy.getDataset();
        if (h == std::size(Hostile))
        {
          d.findAndDeleteElement(tag);
        }
        else if (d.putAndInsertString(tag, Hostile[h]).bad())
        {
          d.putAndInsertUint16(tag, static_cast<Uint16>(h * 4099));
        }
        const TemporaryFolder folder;
        const auto            path = (folder / "x").string();
        ASSERT_TRUE(copy.saveFile(path.c_str(), EXS_LittleEndianExplicit).good());
        EXPECT_TRUE(IsReadOrRefused(path)) << tag.toString() << ": " << h;
        ++count;
      }
    }
  }
  EXPECT_GT(count, 700u);
}

TEST(DICOMRadiographDamage, TruncatedAnywhere)
{
  const Written file(MakeXA());
  const auto    bytes = ReadFile(file.Path());
  for (std::size_t length = 0; length < bytes.size(); length += 11)
  {
    WriteFile(file.Path(), bytes.substr(0, length));
    const auto text = testimages::Refusal([&file] {
      file.reader->Modified();
      file.reader->Update();
    });
    EXPECT_NE(text.find(file.Path()), std::string::npos) << length;
  }
}

/** RADIOGRAPHY_DAMAGE_ROUNDS makes the run long, RADIOGRAPHY_DAMAGE_SEED another one. */
TEST(DICOMRadiographDamage, RandomBytesAnywhere)
{
  const unsigned seed = FromEnvironment("RADIOGRAPHY_DAMAGE_SEED", 20240607);
  const unsigned rounds = FromEnvironment("RADIOGRAPHY_DAMAGE_ROUNDS", 100);
  std::mt19937   random(seed);
  for (const auto & original : MakeAll())
  {
    const TemporaryFolder folder;
    const auto            path = (folder / "x").string();
    ASSERT_TRUE(original->saveFile(path.c_str(), EXS_LittleEndianExplicit).good());
    const auto bytes = ReadFile(path);
    for (unsigned round = 0; round < rounds; ++round)
    {
      auto damaged = bytes;
      for (unsigned k = 0; k < 1 + random() % 8; ++k)
      {
        // The header is where it hurts.
        damaged[132 + random() % std::min<std::size_t>(damaged.size() - 132, 1200)] = static_cast<char>(random());
      }
      WriteFile(path, damaged);
      EXPECT_TRUE(IsReadOrRefused(path)) << "seed " << seed << ", round " << round;
    }
  }
}
