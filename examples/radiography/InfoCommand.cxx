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

#include "Projection.h"

#include "itkTransmissionImageFilter.h"
#include "itkTranslationTransform.h"
#include "itkVersion.h"

#include <memory>

#ifdef RADIOGRAPHY_USE_DCMTK
#  include "dcmtk/config/osconfig.h"
#  include "dcmtk/dcmdata/dcuid.h"
#endif
#ifdef RADIOGRAPHY_USE_XRAYLIB
#  include "xraylib.h"
#endif

namespace radiography::program
{
namespace
{

std::string
DCMTKVersion()
{
#ifdef RADIOGRAPHY_USE_DCMTK
  return OFFIS_DCMTK_VERSION_STRING;
#else
  return "not built in: DICOM is neither read nor written";
#endif
}

std::string
XraylibVersion()
{
#ifdef RADIOGRAPHY_USE_XRAYLIB
  return std::to_string(XRAYLIB_MAJOR) + "." + std::to_string(XRAYLIB_MINOR);
#else
  return "not built in: mu of water and bone must be given";
#endif
}

/** Projects a block of 8 voxels onto 2 pixels: what runs says so itself, and what does not, why. */
DRRFilter::ComputeReport
AskProjector(DRRFilter::ProjectorEnum projector, const Console & console)
{
  auto                  image = VolumeImage::New();
  VolumeImage::SizeType size;
  size.Fill(2);
  image->SetRegions(size);
  image->Allocate();
  image->FillBuffer(0.02f);
  auto volume = itk::ProjectionVolume::New();
  volume->SetImage(image);

  itk::RadiographGeometry::CArm arm;
  arm.sourceIsocenterDistance = 100.0;
  arm.sourceDetectorDistance = 150.0;
  auto view = itk::RadiographGeometry::New();
  view->SetCArm(arm, { 2, 2, 1.0, 1.0 });
  const auto identity = itk::TranslationTransform<double, 3>::New();
  return Project(*volume, *view, *identity, { projector, 1 }, console).report;
}

JSON
DescribeProjectors(const Console & console)
{
  using Projector = DRRFilter::ProjectorEnum;
  JSON list = JSON::array();
  for (const auto projector : { Projector::Joseph, Projector::CellGauss, Projector::Siddon })
  {
    list.push_back(DescribeCompute(AskProjector(projector, console)));
  }
  return list;
}

/** Evaluates one pixel: the filter says what ran. */
std::string
TransmissionKernel()
{
  auto image = VolumeImage::New();
  image->SetRegions(VolumeImage::SizeType{ { 1, 1, 1 } });
  image->Allocate();
  image->FillBuffer(1.0f);
  const auto filter = itk::TransmissionImageFilter::New();
  filter->SetInput(image);
  filter->Update();
  return filter->GetKernelName();
}

JSON
DescribeProgram(const Console & console)
{
  return { { "version", RADIOGRAPHY_VERSION },
           { "build",
             { { "compiler", RADIOGRAPHY_COMPILER },
               { "build_type", RADIOGRAPHY_BUILD_TYPE },
               { "itk", itk::Version::GetITKVersion() },
               { "dcmtk", DCMTKVersion() },
               { "xraylib", XraylibVersion() } } },
           { "projectors", DescribeProjectors(console) },
           { "transmission", { { "kernel", TransmissionKernel() } } } };
}

void
RunInfo(const CommonOptions & options)
{
  const Console console(options);
  const auto    info = DescribeProgram(console);
  if (console.WantsJSON())
  {
    console.Print(info);
    return;
  }
  console.Say("radiography " + info["version"].get<std::string>());
  for (const auto & [name, value] : info["build"].items())
  {
    console.Say("  " + name + ": " + value.get<std::string>());
  }
  for (const auto & projector : info["projectors"])
  {
    console.Say("projector " + projector["projector"].get<std::string>() + ": kernel " +
                projector["kernel"].get<std::string>() + ", " + std::to_string(projector["threads"].get<unsigned>()) +
                " threads, " + projector["policy"].get<std::string>());
    for (const auto & [kernel, reason] : projector["not_used"].items())
    {
      console.Say("  not " + kernel + ": " + reason.get<std::string>());
    }
  }
  console.Say("transmission: kernel " + info["transmission"]["kernel"].get<std::string>());
}

} // namespace

void
AddInfoCommand(CLI::App & program, Action & chosen)
{
  const auto options = std::make_shared<CommonOptions>();
  auto &     command = *program.add_subcommand("info", "version, build, and the kernels that would run here");
  AddCommonOptions(command, *options);
  command.callback([options, &chosen] { chosen = [options] { RunInfo(*options); }; });
}

} // namespace radiography::program
