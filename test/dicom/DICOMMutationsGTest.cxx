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
#include "DICOMBytes.h"
#include "DICOMEnhancedFiles.h"
#include "DICOMObjects.h"

#include <cstdlib>
#include <random>

// One thing at a time is damaged in a file of each kind and encoding: an element is dropped, doubled, moved, emptied,
// given a hostile value, an odd length or another type, the file is cut, bytes of compressed pixels are changed.
// Whatever comes of it must be an error that names the file or its folder, or the image that the damaged file says,
// voxel by voxel, according to a second, simple reading of it.

using dicombytes::Bytes;

namespace
{

unsigned
FromEnvironment(const char * name, unsigned otherwise)
{
  const char * const text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::stoul(text));
}

Bytes
ReadBytes(const std::filesystem::path & path)
{
  std::ifstream file(path, std::ios::binary);
  return { std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>() };
}

void
WriteBytes(const std::filesystem::path & path, const Bytes & bytes)
{
  std::ofstream(path, std::ios::binary)
    .write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

/** As it is written with sequences of undefined length, so that their parts can be changed one by one. */
Bytes
BytesOf(const objects::Object & object)
{
  const phantom::TemporaryFolder folder;
  const auto                     path = folder / "x";
  EXPECT_TRUE(object.file->saveFile(path.string().c_str(), object.syntax, EET_UndefinedLength).good()) << object.name;
  return ReadBytes(path);
}

// --- what is done to a file ----------------------------------------------------------------------

const std::vector<std::string> &
HostileValues()
{
  using namespace std::string_literals;
  static const std::vector<std::string> all{ ""s,
                                             "0 "s,
                                             "-1"s,
                                             "-0.5"s,
                                             "1e308 "s,
                                             "-1e308"s,
                                             "1e-308"s,
                                             "nan "s,
                                             "inf "s,
                                             "1,5 "s,
                                             "\\ "s,
                                             "1\\2 "s,
                                             "1\\2\\3\\4\\5\\6\\7 "s,
                                             "99999999999999999999"s,
                                             "+-1 "s,
                                             "1 2 "s,
                                             "TEXT"s,
                                             "\0\0"s,
                                             "\0\0\0\0"s,
                                             "\1\0"s,
                                             "\x10\0"s,
                                             "\x7f\xff"s,
                                             "\xff\xff"s,
                                             "x"s,
                                             "\x80\0\0"s,
                                             std::string(60000, '9') };
  return all;
}

/** What was done, for messages. */
struct Mutation
{
  std::string what;
  Bytes       bytes;
};

Bytes
WithType(const Bytes & bytes, const dicombytes::Element & element, const std::string & type)
{
  const Bytes  value(bytes.begin() + static_cast<std::ptrdiff_t>(element.value),
                    bytes.begin() + static_cast<std::ptrdiff_t>(element.end));
  const auto   length = value.size();
  const auto   byte = [length](unsigned i) { return static_cast<std::uint8_t>(length >> (8 * i)); };
  Bytes        result(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(element.begin) + 4);
  const auto * name = reinterpret_cast<const std::uint8_t *>(type.data());
  result.insert(result.end(), name, name + 2);
  if (dicombytes::HasLongLength(name))
  {
    result.insert(result.end(), { 0, 0, byte(0), byte(1), byte(2), byte(3) });
  }
  else
  {
    result.insert(result.end(), { byte(0), byte(1) });
  }
  result.insert(result.end(), value.begin(), value.end());
  result.insert(result.end(), bytes.begin() + static_cast<std::ptrdiff_t>(element.end), bytes.end());
  return result;
}

Mutation
Mutate(const Bytes & bytes, std::mt19937 & random)
{
  static const char * const types[] = { "US", "SS", "DS", "IS", "LO", "CS", "UI", "FD", "AT", "UN", "OB", "SQ" };
  const auto                elements = dicombytes::ElementsOf(bytes.data(), bytes.size());
  const auto &              element = elements[random() % elements.size()];
  const auto &              other = elements[random() % elements.size()];
  const auto                at = "the element at byte " + std::to_string(element.begin) + " ";
  switch (random() % 10)
  {
    case 0:
      return { at + "dropped", Without(bytes, element) };
    case 1:
      return { at + "twice", WithElementElsewhere(bytes, element, element, true) };
    case 2:
      return { at + "moved to byte " + std::to_string(other.begin), WithElementElsewhere(bytes, element, other, true) };
    case 3: {
      const auto * const type = types[random() % std::size(types)];
      return { at + "as " + type, WithType(bytes, element, type) };
    }
    case 4: {
      const auto length = random() % bytes.size();
      return { "cut to " + std::to_string(length) + " bytes",
               Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)) };
    }
    case 5: {
      auto       damaged = bytes;
      const auto place = element.value + random() % (bytes.size() - element.value);
      damaged[place] = static_cast<std::uint8_t>(random());
      return { "byte " + std::to_string(place) + " changed", damaged };
    }
    default: {
      const auto & value = HostileValues()[random() % HostileValues().size()];
      return { at + "with the value \"" + value.substr(0, 30) + "\"",
               WithValue(bytes, element, Bytes(value.begin(), value.end())) };
    }
  }
}

// --- the second reading --------------------------------------------------------------------------

/** All of a text is one number. */
double
NumberIn(DcmItem & item, const DcmTagKey & tag, double ifAbsent)
{
  OFString text;
  if (item.findAndGetOFStringArray(tag, text).bad() || text.empty())
  {
    return ifAbsent;
  }
  char *       end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  while (*end == ' ')
  {
    ++end;
  }
  EXPECT_EQ(*end, '\0') << "what is no number was taken for one: " << text;
  return value;
}

unsigned
WordIn(DcmItem & item, const DcmTagKey & tag)
{
  Uint16 value = 0;
  Sint16 asSigned = 0;
  if (item.findAndGetUint16(tag, value).bad() && item.findAndGetSint16(tag, asSigned).good())
  {
    return static_cast<Uint16>(asSigned);
  }
  return value;
}

/** A file's pixels by PS3.3 C.7.6.3, as far as the damage leaves it readable. */
class SecondReading
{
public:
  explicit SecondReading(const std::filesystem::path & path)
  {
    // Whoever got here has read it, so that it loads.
    EXPECT_TRUE(m_File.loadFile(path.string().c_str()).good());
    // DCMTK has no decoder of JPEG 2000.
    if (DcmXfer(Tags().getOriginalXfer()).getXfer() != EXS_JPEG2000LosslessOnly)
    {
      m_HasPixels = Tags().chooseRepresentation(EXS_LittleEndianExplicit, nullptr).good();
      // It decodes all frames at once, and the damage may be in one that was not asked for.
      EXPECT_TRUE(m_HasPixels || Tags().tagExists(DCM_NumberOfFrames));
    }
  }

  DcmDataset &
  Tags()
  {
    return *m_File.getDataset();
  }

  /** Whether StoredValues() are there to compare with. */
  bool
  HasPixels() const
  {
    return m_HasPixels;
  }

  /** Stored values, of all frames. */
  std::vector<int>
  StoredValues()
  {
    const unsigned   allocated = WordIn(Tags(), DCM_BitsAllocated);
    const unsigned   stored = WordIn(Tags(), DCM_BitsStored);
    const unsigned   shift = WordIn(Tags(), DCM_HighBit) + 1 - stored;
    const bool       isSigned = WordIn(Tags(), DCM_PixelRepresentation) == 1;
    std::vector<int> values;
    const auto       add = [&](unsigned cell) {
      const unsigned bits = (cell >> shift) & ((1u << stored) - 1);
      const bool     isNegative = isSigned && (bits >> (stored - 1)) != 0;
      values.push_back(static_cast<int>(bits) - (isNegative ? 1 << stored : 0));
    };
    unsigned long  count = 0;
    const Uint8 *  bytes = nullptr;
    const Uint16 * words = nullptr;
    if (allocated == 8 && Tags().findAndGetUint8Array(DCM_PixelData, bytes, &count).good())
    {
      std::for_each(bytes, bytes + count, add);
    }
    if (allocated == 16 && Tags().findAndGetUint16Array(DCM_PixelData, words, &count).good())
    {
      std::for_each(words, words + count, add);
    }
    return values;
  }

  /** Whether a stored value can be padding: then it is left out of the comparison. */
  bool
  HasPadding()
  {
    return Tags().tagExists(DCM_PixelPaddingValue);
  }

private:
  DcmFileFormat m_File;
  bool          m_HasPixels{ false };
};

/** How files of a series are called, before their number. */
const std::string FileName = "file-";

/** Counts of one test. */
struct Outcome
{
  unsigned read{ 0 };
  unsigned refused{ 0 };
};

/** Voxels of slice k are slope * stored + intercept of one file, whose position they have. */
void
ExpectSliceOfFile(const itk::Image<float, 3> & image, unsigned k, const std::filesystem::path & path)
{
  SecondReading reading(path);
  DcmDataset &  tags = reading.Tags();
  const auto    size = image.GetBufferedRegion().GetSize();
  ASSERT_EQ(size[0], WordIn(tags, DCM_Columns));
  ASSERT_EQ(size[1], WordIn(tags, DCM_Rows));
  const double slope = NumberIn(tags, DCM_RescaleSlope, NAN);
  const double intercept = NumberIn(tags, DCM_RescaleIntercept, NAN);
  const auto   spacing = image.GetSpacing();
  const auto   origin = image.GetOrigin();
  for (unsigned i = 0; i < 3; ++i)
  {
    OFString text;
    ASSERT_TRUE(tags.findAndGetOFString(DCM_ImagePositionPatient, text, i).good());
    const double position = std::strtod(text.c_str(), nullptr);
    ASSERT_NEAR(origin[i] + image.GetDirection()(i, 2) * spacing[2] * k, position, 0.02 + 1e-12 * std::abs(position));
  }
  if (!reading.HasPixels())
  {
    return;
  }
  const auto stored = reading.StoredValues();
  ASSERT_GE(stored.size(), size[0] * size[1]);
  for (std::size_t i = 0; i < size[0] * size[1]; ++i)
  {
    const float value = image.GetBufferPointer()[k * size[0] * size[1] + i];
    const auto  expected = static_cast<float>(stored[i] * slope + intercept);
    ASSERT_TRUE(value == expected || (reading.HasPadding() && value == itk::DICOMCTVolumeReader::PaddingHU))
      << "pixel " << i << " of slice " << k << ": " << value << " instead of " << expected;
  }
}

/** Which file became which slice stands in the inventory. */
void
ExpectVolumeOfItsFiles(const itk::DICOMCTVolumeReader & reader, const phantom::TemporaryFolder & folder)
{
  unsigned used = 0;
  for (const auto & file : reader.GetInventory().files)
  {
    unsigned number = 0;
    if (file.used && std::sscanf(file.reason.c_str(), "slice %u of", &number) == 1)
    {
      ++used;
      ExpectSliceOfFile(*reader.GetOutput(), number - 1, folder / file.path);
    }
  }
  EXPECT_EQ(used, reader.GetOutput()->GetBufferedRegion().GetSize()[2]);
}

void
ReadVolume(const phantom::TemporaryFolder & folder, bool areSlices, Outcome & outcome)
{
  const auto reader = phantom::MakeReader(folder);
  try
  {
    reader->Update();
  }
  catch (const itk::ExceptionObject & error)
  {
    ++outcome.refused;
    const std::string text(error.GetDescription());
    EXPECT_TRUE(text.find(FileName) != std::string::npos || text.find(folder.String()) != std::string::npos) << text;
    return;
  }
  ++outcome.read;
  const auto & image = *reader->GetOutput();
  const auto   count = image.GetBufferedRegion().GetNumberOfPixels();
  ASSERT_TRUE(std::all_of(
    image.GetBufferPointer(), image.GetBufferPointer() + count, [](float value) { return std::isfinite(value); }));
  if (areSlices)
  {
    ExpectVolumeOfItsFiles(*reader, folder);
  }
}

/** Pixels are slope * stored + intercept where there is no table. */
void
ExpectImageOfFile(xray::Reader & reader, const std::filesystem::path & path)
{
  SecondReading reading(path);
  DcmDataset &  tags = reading.Tags();
  const auto &  image = *reader.GetOutput();
  const auto    size = image.GetBufferedRegion().GetSize();
  ASSERT_EQ(size[0], WordIn(tags, DCM_Columns));
  ASSERT_EQ(size[1], WordIn(tags, DCM_Rows));
  ASSERT_EQ(reader.GetGeometry()->GetDetectorSize(), size);
  if (!reading.HasPixels() || tags.tagExists(DCM_ModalityLUTSequence))
  {
    return;
  }
  const double slope = NumberIn(tags, DCM_RescaleSlope, 1.0);
  const double intercept = NumberIn(tags, DCM_RescaleIntercept, 0.0);
  const auto   stored = reading.StoredValues();
  ASSERT_GE(stored.size(), size[0] * size[1]);
  for (std::size_t i = 0; i < size[0] * size[1]; ++i)
  {
    ASSERT_EQ(image.GetBufferPointer()[i], static_cast<float>(stored[i] * slope + intercept)) << "pixel " << i;
  }
}

void
ReadRadiograph(const std::filesystem::path & path, bool withHelp, Outcome & outcome)
{
  const auto reader = xray::Reader::New();
  reader->SetFileName(path.string());
  reader->SetFrame(1);
  if (withHelp)
  {
    reader->SetPrimaryAngle(0.5);
    reader->SetSecondaryAngle(0.25);
    reader->SetSourceIsocenterDistance(700.0);
  }
  try
  {
    reader->Update();
  }
  catch (const itk::ExceptionObject & error)
  {
    ++outcome.refused;
    EXPECT_NE(std::string(error.GetDescription()).find(path.string()), std::string::npos) << error.GetDescription();
    return;
  }
  ++outcome.read;
  ExpectImageOfFile(*reader, path);
}

/** A share of the mutations for each of `parts` objects. */
unsigned
MutationsFor(std::size_t parts)
{
  return 1 + FromEnvironment("RADIOGRAPHY_MUTATIONS", 600) / static_cast<unsigned>(parts);
}

std::mt19937
SeededRandom()
{
  const unsigned seed = FromEnvironment("RADIOGRAPHY_MUTATIONS_SEED", 20240608);
  ::testing::Test::RecordProperty("seed", static_cast<int>(seed));
  return std::mt19937(seed);
}

void
Tell(const Outcome & outcome)
{
  std::cout << outcome.read << " read, " << outcome.refused << " refused\n";
  EXPECT_GT(outcome.read, 0u);
  EXPECT_GT(outcome.refused, 0u);
}

/** The syntaxes in which dicombytes can find its way. */
std::vector<E_TransferSyntax>
ExplicitSyntaxes()
{
  auto       all = objects::LosslessSyntaxes();
  const auto isOther = [](E_TransferSyntax syntax) {
    return syntax == EXS_LittleEndianImplicit || syntax == EXS_BigEndianExplicit ||
           syntax == EXS_DeflatedLittleEndianExplicit;
  };
  all.erase(std::remove_if(all.begin(), all.end(), isOther), all.end());
  return all;
}

} // namespace

/** RADIOGRAPHY_MUTATIONS makes the run long, RADIOGRAPHY_MUTATIONS_SEED another one; so for all tests here. */
TEST(DICOMMutations, ACTSliceIsExactOrRefused)
{
  auto       random = SeededRandom();
  Outcome    outcome;
  const auto syntaxes = ExplicitSyntaxes();
  for (const auto syntax : syntaxes)
  {
    constexpr unsigned       slices = 3;
    phantom::TemporaryFolder folder;
    std::vector<Bytes>       whole;
    const auto               series = objects::CTSeries(slices, syntax);
    for (unsigned k = 0; k < slices; ++k)
    {
      whole.push_back(BytesOf(series[k]));
      WriteBytes(folder / (FileName + std::to_string(k)), whole[k]);
    }
    for (unsigned i = 0; i < MutationsFor(syntaxes.size()) && !::testing::Test::HasFailure(); ++i)
    {
      const unsigned k = random() % slices;
      const auto     mutation = Mutate(whole[k], random);
      SCOPED_TRACE(series[k].name + ", mutation " + std::to_string(i) + ", slice " + std::to_string(k) + ": " +
                   mutation.what);
      WriteBytes(folder / (FileName + std::to_string(k)), mutation.bytes);
      ReadVolume(folder, true, outcome);
      WriteBytes(folder / (FileName + std::to_string(k)), whole[k]);
    }
  }
  Tell(outcome);
}

TEST(DICOMMutations, AnEnhancedCTImageIsFiniteOrRefused)
{
  auto    random = SeededRandom();
  Outcome outcome;
  for (const auto groups : { phantom::Groups::AllPerFrame, phantom::Groups::SharedWherePossible })
  {
    phantom::TemporaryFolder folder;
    const auto whole = BytesOf({ "enhanced CT", phantom::MakeEnhanced(phantom::MakeFrames({ 1, 0, 2 }), groups) });
    for (unsigned i = 0; i < MutationsFor(2) && !::testing::Test::HasFailure(); ++i)
    {
      const auto mutation = Mutate(whole, random);
      SCOPED_TRACE("mutation " + std::to_string(i) + ": " + mutation.what);
      WriteBytes(folder / FileName, mutation.bytes);
      ReadVolume(folder, false, outcome);
    }
  }
  Tell(outcome);
}

TEST(DICOMMutations, AnXrayImageIsExactOrRefused)
{
  auto       random = SeededRandom();
  Outcome    outcome;
  const auto all = objects::XrayObjects();
  for (const auto & object : all)
  {
    const auto                     whole = BytesOf(object);
    const phantom::TemporaryFolder folder;
    for (unsigned i = 0; i < MutationsFor(all.size()) && !::testing::Test::HasFailure(); ++i)
    {
      const auto elements = dicombytes::ElementsOf(whole.data(), whole.size());
      if (elements.size() < 20)
      {
        break; // an encoding in which dicombytes does not find its way
      }
      const auto mutation = Mutate(whole, random);
      SCOPED_TRACE(object.name + ", mutation " + std::to_string(i) + ": " + mutation.what);
      WriteBytes(folder / "x", mutation.bytes);
      ReadRadiograph(folder / "x", random() % 2 == 0, outcome);
    }
  }
  Tell(outcome);
}
