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
/** A published case of pose recovery, with ours in place of theirs: a CT of 128 x 128 x 64 voxels of water and bone at
 * 80 keV, two orthogonal views of 128 x 128 pixels of 8 mm, SAD 800 mm, SDD 1200 mm, 10,000 open-beam photons, expected
 * counts without noise, start 3.77 mm root mean square target error. Prints one line for each run:
 *
 *     PublishedPoseRecovery [runs [work units]]
 */
#include "itkRadiographForwardModel.h"
#include "itkRadiographRegistrationMethod.h"

#include "itkEuler3DTransform.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkMath.h"

#include <cmath>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <vector>

namespace
{

using ImageType = itk::Image<float, 3>;
using TransformType = itk::Transform<double, 3, 3>;
using EulerType = itk::Euler3DTransform<double>;
using PointType = itk::Point<double, 3>;
using MethodType = itk::RadiographRegistrationMethod;

// xraylib's, 80 keV, 1/mm.
constexpr double Water = 0.0183657;
constexpr double Bone = 0.0410801;
constexpr double Photons = 10000.0;
constexpr double VoxelSize = 3.0;
constexpr double StartError = 3.7686;

bool
IsInside(const PointType & point, const PointType & center, double rx, double ry, double rz)
{
  const double x = (point[0] - center[0]) / rx;
  const double y = (point[1] - center[1]) / ry;
  const double z = (point[2] - center[2]) / rz;
  return x * x + y * y + z * z < 1.0;
}

PointType
At(double x, double y, double z)
{
  PointType point;
  point[0] = x;
  point[1] = y;
  point[2] = z;
  return point;
}

// A trunk of water with a spine, ribs on one side, a hip bone on the other, and an airway.
double
MuAt(const PointType & point)
{
  const bool isBone = IsInside(point, At(0, 70, 0), 22, 22, 400) || IsInside(point, At(-95, -10, 40), 12, 60, 14) ||
                      IsInside(point, At(-90, 0, 0), 12, 55, 12) || IsInside(point, At(80, 30, -55), 35, 30, 30);
  const bool isAir = IsInside(point, At(40, -30, 60), 30, 25, 45);
  const bool isBody = IsInside(point, At(0, 0, 0), 160, 110, 300);
  return !isBody || isAir ? 0.0 : isBone ? Bone : Water;
}

ImageType::Pointer
MakeCT()
{
  const itk::Size<3>     size{ { 128, 128, 64 } };
  const auto             image = ImageType::New();
  ImageType::SpacingType spacing(VoxelSize);
  ImageType::PointType   origin;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    origin[axis] = -0.5 * (static_cast<double>(size[axis]) - 1.0) * VoxelSize;
  }
  image->SetRegions(size);
  image->SetSpacing(spacing);
  image->SetOrigin(origin);
  image->Allocate();
  for (itk::ImageRegionIteratorWithIndex<ImageType> it(image, image->GetLargestPossibleRegion()); !it.IsAtEnd(); ++it)
  {
    PointType point;
    image->TransformIndexToPhysicalPoint(it.GetIndex(), point);
    it.Set(static_cast<float>(MuAt(point)));
  }
  return image;
}

itk::RadiographGeometry::Pointer
MakeView(double angle)
{
  itk::RadiographGeometry::CArm arm;
  arm.primaryAngle = angle;
  arm.sourceIsocenterDistance = 800.0;
  arm.sourceDetectorDistance = 1200.0;
  arm.isocenter.Fill(0.0);
  const auto view = itk::RadiographGeometry::New();
  view->SetCArm(arm, { 128, 128, 8.0, 8.0 });
  return view;
}

ImageType::Pointer
MakeCounts(const ImageType * ct, const itk::RadiographGeometry * view, const TransformType * pose)
{
  const auto model = itk::RadiographForwardModel::New();
  model->SetInput(ct);
  model->SetGeometry(view);
  model->SetTransform(pose);
  model->SetProjector(itk::RadiographForwardModel::ProjectorEnum::CellGauss);
  model->SetOpenBeamCounts(Photons);
  model->Update();
  const ImageType::Pointer counts = model->GetCounts();
  counts->DisconnectPipeline();
  return counts;
}

double
TargetError(const TransformType & found, const TransformType & truth)
{
  double sum = 0.0;
  for (unsigned int corner = 0; corner < 8; ++corner)
  {
    const PointType target =
      At((corner & 1U) != 0 ? 80 : -80, (corner & 2U) != 0 ? 60 : -60, (corner & 4U) != 0 ? 70 : -70);
    sum += found.GetInverseTransform()->TransformPoint(target).SquaredEuclideanDistanceTo(
      truth.GetInverseTransform()->TransformPoint(target));
  }
  return std::sqrt(sum / 8.0);
}

EulerType::Pointer
MakeStart(double size)
{
  const auto             start = EulerType::New();
  itk::Vector<double, 3> translation;
  translation[0] = 2.5 * size;
  translation[1] = -2.0 * size;
  translation[2] = 1.5 * size;
  start->SetRotation(0.015 * size, -0.02 * size, 0.01 * size);
  start->SetTranslation(translation);
  return start;
}

void
Run(const ImageType * ct, const std::vector<itk::RadiographGeometry::Pointer> & views, itk::ThreadIdType workUnits)
{
  const auto truth = EulerType::New();
  const auto method = MethodType::New();
  method->SetInput(ct);
  for (unsigned int view = 0; view < views.size(); ++view)
  {
    method->AddView(MakeCounts(ct, views[view], truth), views[view]);
    method->SetOpenBeamCounts(view, Photons);
  }
  double size = 1.0;
  for (unsigned int i = 0; i < 20; ++i)
  {
    size *= StartError / TargetError(*MakeStart(size), *truth);
  }
  const auto start = MakeStart(size);
  method->SetInitialTransform(start);
  if (workUnits > 0)
  {
    method->SetNumberOfWorkUnits(workUnits);
  }
  method->Update();
  const auto & result = *method->GetOutput();
  std::cout << result.GetVerdict() << ": " << TargetError(*start, *truth) << " mm -> "
            << TargetError(*method->GetTransform(), *truth) << " mm, " << result.GetStationarity()
            << " standard errors from stationary, " << result.GetSeconds() << " s;";
  for (const auto & level : result.GetLevels())
  {
    std::cout << ' ' << level.imageSizes.front()[0] << "^2 " << level.projector << ": " << level.iterations
              << " steps in " << level.seconds << " s;";
  }
  std::cout << " halves " << result.GetHalvesDistance() << " of " << result.GetHalvesBound() << std::endl;
  for (const std::string & reason : result.GetReasons())
  {
    std::cout << "  " << reason << std::endl;
  }
}

} // namespace

int
main(int argc, char * argv[])
{
  try
  {
    const int  runs = argc > 1 ? std::atoi(argv[1]) : 3;
    const auto workUnits = static_cast<itk::ThreadIdType>(argc > 2 ? std::atoi(argv[2]) : 0);
    const auto ct = MakeCT();
    for (int run = 0; run < runs; ++run)
    {
      Run(ct, { MakeView(0.0), MakeView(0.5 * itk::Math::pi) }, workUnits);
    }
  }
  catch (const std::exception & error)
  {
    std::cerr << error.what() << std::endl;
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
