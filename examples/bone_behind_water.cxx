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
// The same change of the object is not the same signal: bone_behind_water OUT.csv OUT.svg
// 1 mm of cortical bone replaces nothing behind 0 to 300 mm of water at 60 keV. The optical depth always changes by
// mu_bone x 1 mm; the counts, and what of them stands out of the photon noise, fall with the water in front.

#include "LinePlot.h"
#include "itkHounsfieldAttenuationModel.h"

#include <fstream>
#include <iostream>

namespace
{

constexpr double OpenBeam = 10000.0;
constexpr double Bone = 1.0; // mm

struct Signal
{
  double depthChange;
  double counts;
  double countsChange;
  /** The change of counts in standard deviations of the counts: sqrt(lambda) (1 - exp(-change of depth)). */
  double standardDeviations;
};

Signal
SignalBehind(double water, const itk::HounsfieldAttenuationModel & model)
{
  const double change = model.GetBoneAttenuation() * Bone;
  const double counts = OpenBeam * std::exp(-model.GetWaterAttenuation() * water);
  const double removed = -std::expm1(-change);
  return { change, counts, counts * removed, std::sqrt(counts) * removed };
}

bool
WriteStudy(const itk::HounsfieldAttenuationModel & model, const char * csvPath, const char * svgPath)
{
  const LinePlot::Axis water{ "water in front, mm", 0, 300, { 0, 100, 200, 300 } };
  LinePlot change(0, "1 mm of bone, 10,000 photons", water, { "counts lost", 1, 1e3, { 1, 10, 100, 1e3 }, true });
  LinePlot signal(1, "Against photon noise", water, { "standard deviations", 0, 6, { 0, 1, 2, 3, 4, 5, 6 } });
  LinePlot::Points lost;
  LinePlot::Points significant;
  std::ofstream    csv(csvPath);
  csv.imbue(std::locale::classic());
  csv.precision(12);
  csv << "water_mm,depth_change,counts,counts_change,standard_deviations\n";
  for (int mm = 0; mm <= 300; mm += 10)
  {
    const Signal at = SignalBehind(mm, model);
    csv << mm << ',' << at.depthChange << ',' << at.counts << ',' << at.countsChange << ',' << at.standardDeviations
        << '\n';
    lost.emplace_back(mm, at.countsChange);
    significant.emplace_back(mm, at.standardDeviations);
  }
  change.Curve(lost, "#1f6fb2", "none", "counts lost");
  signal.Curve(significant, "#b3372b", "none", "in one pixel");
  for (const double mm : { 0.0, 100.0, 200.0 })
  {
    change.Dot(mm, SignalBehind(mm, model).countsChange, "#1f6fb2");
    signal.Dot(mm, SignalBehind(mm, model).standardDeviations, "#b3372b");
  }
  std::ofstream svg(svgPath);
  svg << LinePlot::Drawing({ change.Text(), signal.Text() });
  return csv.flush() && svg.flush();
}

} // namespace

int
main(int argc, char * argv[])
{
  if (argc != 3)
  {
    std::cerr << "usage: bone_behind_water OUT.csv OUT.svg" << std::endl;
    return 2;
  }
  return WriteStudy(itk::HounsfieldAttenuationModel(), argv[1], argv[2]) ? 0 : 1;
}
