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
/** Whether the covariances of registration cover the truth as often as they say: many realisations of photon noise on
 * images of a chest CT, each registered, with a right model of the image and with wrong ones. Prints a table in
 * Markdown; see README.md beside.
 *
 *     RegistrationCoverage CT_FOLDER [--realisations N] [--cases a,b]
 */
#include "ProtocolScene.h"

#include "itkDigitallyReconstructedRadiographImageFilter.h"
#include "itkRadiographRegistrationMethod.h"

#include "vnl/algo/vnl_matrix_inverse.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

namespace
{

using namespace protocol;
using ResultType = itk::RadiographRegistrationResult;

// Half the protocol's resolution, and a hundredth of its photons, so that noise is not nothing beside other errors.
constexpr unsigned int Side = 64;
constexpr double       Pitch = 6.4;
constexpr double       OpenBeam = 1e3 * Pitch * Pitch;
constexpr unsigned int BlockSize = 4;
constexpr unsigned int Parameters = 6;
// 95 % of chi-square with six degrees of freedom, and of a normal number.
constexpr double RegionBound = 12.5916;
constexpr double IntervalBound = 1.95996;

/** How images depart from what is registered. */
struct Imaging
{
  std::string name;
  double      exposure{ 1.0 };
  /** The CT that registers has mu times this. */
  double attenuation{ 1.0 };
  /** Of the mean primary: the same everywhere, or smooth. */
  double uniformScatter{ 0.0 };
  double smoothScatter{ 0.0 };
  /** Voxels' exact lengths at the CT's full resolution, 4 x 4 sub-rays a pixel; else as registration projects. */
  bool fine{ false };
  /** Exposure, attenuation and scatter. */
  bool estimated{ false };
};

std::vector<Imaging>
AllImagings()
{
  std::vector<Imaging> imagings;
  const auto           add = [&imagings](const char * name, const auto & change) { AddCase(imagings, name, change); };
  add("known", [](Imaging &) {});
  add("estimated",
      [](Imaging & i) { i.exposure = 1.5, i.attenuation = 0.9, i.uniformScatter = 0.3, i.estimated = true; });
  add("fine", [](Imaging & i) { i.fine = true; });
  add("fine-estimated",
      [](Imaging & i) { i.fine = i.estimated = true, i.exposure = 1.5, i.attenuation = 0.9, i.smoothScatter = 0.3; });
  add("attenuation-ignored", [](Imaging & i) { i.attenuation = 0.9; });
  add("scatter-ignored", [](Imaging & i) { i.smoothScatter = 0.3; });
  return imagings;
}

struct MeanView
{
  GeometryType::Pointer geometry;
  ImageType::Pointer    mean;
};

/** As registration projects. */
ImageType::Pointer
ProjectAlike(const ImageType & mu, const GeometryType & geometry)
{
  const auto drr = itk::DigitallyReconstructedRadiographImageFilter::New();
  drr->SetInput(&mu);
  drr->SetGeometry(&geometry);
  drr->SetProjector(itk::DigitallyReconstructedRadiographImageFilter::ProjectorEnum::CellGauss);
  drr->Update();
  const ImageType::Pointer depths = drr->GetOutput();
  depths->DisconnectPipeline();
  return depths;
}

MeanView
MakeMeanView(const ImageType & mu, double primaryAngle, const Imaging & imaging)
{
  MeanView view;
  view.geometry = MakeGeometry(mu, primaryAngle, Side, Pitch);
  view.mean = imaging.fine ? ProjectFinely(mu, *view.geometry) : ProjectAlike(mu, *view.geometry);
  double sum = 0.0;
  for (itk::ImageRegionIterator<ImageType> p(view.mean, view.mean->GetLargestPossibleRegion()); !p.IsAtEnd(); ++p)
  {
    p.Set(static_cast<float>(OpenBeam * imaging.exposure * std::exp(-p.Get())));
    sum += p.Get();
  }
  const auto smooth = Copy(*view.mean);
  Smooth(*smooth, Side, Side / 5);
  const double uniform = imaging.uniformScatter * sum / (Side * Side);
  for (unsigned int i = 0; i < Side * Side; ++i)
  {
    view.mean->GetBufferPointer()[i] +=
      static_cast<float>(uniform + imaging.smoothScatter * smooth->GetBufferPointer()[i]);
  }
  return view;
}

/** One realisation, from a start about 2 mm off. The truth is the identity. */
itk::RadiographRegistrationMethod::Pointer
Register(const ImageType & mu, const std::vector<MeanView> & views, const Imaging & imaging, unsigned int seed)
{
  const auto method = itk::RadiographRegistrationMethod::New();
  method->SetInput(&mu);
  for (std::size_t v = 0; v < views.size(); ++v)
  {
    const auto counts = AddNoise(*views[v].mean, 2 * seed + static_cast<unsigned int>(v));
    method->SetOpenBeamCounts(method->AddView(counts, views[v].geometry), OpenBeam);
  }
  method->SetEstimateExposure(imaging.estimated);
  method->SetEstimateAttenuation(imaging.estimated);
  method->SetEstimateScatter(imaging.estimated);
  std::mt19937_64 random(seed);
  const PointType center = itk::CenterOfGrid(mu);
  method->SetInitialTransform(DrawStart(random, 2.0, center, TargetsAround(center)));
  method->SetBlockSize(BlockSize);
  itk::RadiographRegistrationLevel level;
  level.projector = itk::RadiographRegistrationMethod::ProjectorEnum::CellGauss;
  method->SetLevels({ level });
  method->Update();
  return method;
}

/** How often a covariance covers the truth. */
class Coverage
{
public:
  void
  Add(const vnl_vector<double> & error, const vnl_matrix<double> & covariance)
  {
    const double squared = dot_product(error, vnl_matrix_inverse<double>(covariance).as_matrix() * error);
    m_Squares.push_back(squared);
    for (unsigned int i = 0; i < Parameters; ++i)
    {
      m_Intervals[i] += std::abs(error[i]) <= IntervalBound * std::sqrt(covariance(i, i)) ? 1 : 0;
    }
  }

  /** Percentages, then mean, variance and Kolmogorov-Smirnov distance of the squared normalised errors. */
  void
  Print() const
  {
    const auto count = static_cast<double>(m_Squares.size());
    const auto inside =
      std::count_if(m_Squares.begin(), m_Squares.end(), [](double square) { return square <= RegionBound; });
    double sum = 0.0;
    double sumOfSquares = 0.0;
    for (const double square : m_Squares)
    {
      sum += square;
      sumOfSquares += square * square;
    }
    const double mean = sum / count;
    const auto   extremes = std::minmax_element(m_Intervals, m_Intervals + Parameters);
    std::cout << " | " << std::setprecision(3) << 100.0 * static_cast<double>(inside) / count << " | "
              << 100.0 * *extremes.first / count << "-" << 100.0 * *extremes.second / count << " | " << mean << ", "
              << sumOfSquares / count - mean * mean << " | " << this->MeasureKolmogorovSmirnov();
  }

private:
  /** The largest distance of the empirical distribution from chi-square with six degrees of freedom. */
  double
  MeasureKolmogorovSmirnov() const
  {
    std::vector<double> sorted = m_Squares;
    std::sort(sorted.begin(), sorted.end());
    const auto count = static_cast<double>(sorted.size());
    double     distance = 0.0;
    for (std::size_t i = 0; i < sorted.size(); ++i)
    {
      const double half = 0.5 * sorted[i];
      const double probability = 1.0 - std::exp(-half) * (1.0 + half + 0.5 * half * half);
      distance = std::max({ distance, (i + 1.0) / count - probability, probability - i / count });
    }
    return distance;
  }

  std::vector<double> m_Squares;
  double              m_Intervals[Parameters]{};
};

void
RunImaging(const ImageType & full, const ImageType & reduced, const Imaging & imaging, unsigned int realisations)
{
  std::vector<MeanView> views;
  for (const double angle : { 0.0, 0.5 * itk::Math::pi })
  {
    views.push_back(MakeMeanView(imaging.fine ? full : reduced, angle, imaging));
  }
  const auto   mu = Scaled(reduced, imaging.attenuation);
  const auto   targets = TargetsAround(itk::CenterOfGrid(*mu));
  Coverage     known;
  Coverage     inflated;
  double       error = 0.0;
  unsigned int doubtful = 0;
  for (unsigned int seed = 1; seed <= realisations; ++seed)
  {
    const auto               method = Register(*mu, views, imaging, seed);
    const ResultType &       result = *method->GetOutput();
    const auto &             parameters = result.GetTransform()->GetParameters();
    const vnl_vector<double> difference(parameters.data_block(), Parameters);
    known.Add(difference, result.GetCovariance());
    inflated.Add(difference, result.GetInflatedCovariance());
    error += MeasureError(*result.GetTransform(), targets, nullptr) / realisations;
    doubtful += result.GetVerdict() == itk::RadiographRegistrationEnums::Verdict::Doubtful ? 1 : 0;
  }
  std::cout << "| " << imaging.name << " | " << std::setprecision(3) << error;
  known.Print();
  inflated.Print();
  std::cout << " | " << 100.0 * doubtful / realisations << " |" << std::endl;
}

} // namespace

int
main(int argc, char * argv[])
{
  std::string  wanted;
  unsigned int realisations = 400;
  for (int i = 2; i + 1 < argc; i += 2)
  {
    const std::string option = argv[i];
    if (option == "--cases")
    {
      wanted = argv[i + 1];
    }
    else if (option == "--realisations")
    {
      realisations = static_cast<unsigned int>(std::atoi(argv[i + 1]));
    }
    else
    {
      realisations = 0;
    }
  }
  if (argc < 2 || argc % 2 != 0 || realisations == 0)
  {
    std::cerr << "usage: RegistrationCoverage CT_FOLDER [--realisations N] [--cases a,b]" << std::endl;
    return 2;
  }
  try
  {
    const auto mu = ReadAttenuation(argv[1]);
    const auto pyramid = itk::RadiographPyramid::New();
    pyramid->SetVolumeBlock({ { 8, 8, 2 } });
    const auto reduced = pyramid->AverageVolume(mu);
    std::cout
      << "| case | error, mm | region, % | parameters, % | mean, variance | KS | inflated: region, % | parameters, % "
         "| mean, variance | KS | doubtful, % |\n"
         "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
      << std::endl;
    for (const Imaging & imaging : AllImagings())
    {
      if (wanted.empty() || ("," + wanted + ",").find("," + imaging.name + ",") != std::string::npos)
      {
        RunImaging(*mu, *reduced, imaging, realisations);
      }
    }
  }
  catch (const std::exception & error)
  {
    std::cerr << error.what() << std::endl;
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
