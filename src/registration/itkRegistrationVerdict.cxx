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
#include "registration/itkRegistrationVerdict.h"

#include <algorithm>
#include <locale>
#include <sstream>

namespace itk
{
namespace
{

using Content = RadiographRegistrationResult::Content;

// Three digits are enough for a sentence; the numbers themselves are in the result.
std::string
Rounded(double value)
{
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(3);
  text << value;
  return text.str();
}

class Doubts
{
public:
  void
  AddIf(bool isDoubtful, const std::string & sentence)
  {
    if (isDoubtful)
    {
      m_Sentences.push_back(sentence);
    }
  }

  std::vector<std::string>
  GetSentences() const
  {
    return m_Sentences;
  }

private:
  std::vector<std::string> m_Sentences;
};

void
LookAtOptimizer(const Content & content, const RegistrationBounds & bounds, Doubts & doubts)
{
  const std::string stop = content.levels.empty() ? "" : " " + content.levels.back().stopCondition;
  // Not a number is doubtful too.
  doubts.AddIf(!(content.inflatedStationarity <= bounds.stationarity),
               "The optimizer stopped " + Rounded(content.inflatedStationarity) +
                 " standard errors from where the objective is stationary; the bound is " +
                 Rounded(bounds.stationarity) + "." + stop);
}

void
LookAtHalves(const Content & content, Doubts & doubts)
{
  doubts.AddIf(
    content.halvesWereCompared && !(content.halvesDistance <= content.halvesBound) &&
      !(content.halvesDisplacement <= content.halvesTolerance),
    "Two interleaved halves of the pixels, registered each on its own, disagree: their transforms differ by " +
      Rounded(content.halvesDistance) + " standard errors, the bound is " + Rounded(content.halvesBound) + "; and by " +
      Rounded(content.halvesDisplacement) + " mm, the tolerance is " + Rounded(content.halvesTolerance) +
      " mm. Something in the images is not in the model.");
}

void
LookAtFit(const Content & content, const RegistrationBounds & bounds, Doubts & doubts)
{
  doubts.AddIf(
    !(content.relativeResidual <= bounds.relativeResidual),
    "The prediction is off by " + Rounded(100.0 * content.relativeResidual) +
      " % of itself (root mean square over informative pixels); the bound is " +
      Rounded(100.0 * bounds.relativeResidual) +
      " %. Either this is not the pose, or the images show what the CT does not, or exposure, attenuation or "
      "scatter should be estimated.");
  for (std::size_t view = 0; view < content.correlations.size(); ++view)
  {
    doubts.AddIf(!(content.correlations[view] >= bounds.correlation),
                 "The correlation of view " + std::to_string(view) + " is " + Rounded(content.correlations[view]) +
                   "; the bound is " + Rounded(bounds.correlation) + '.');
  }
}

void
LookAtOutliers(const Content & content, const RegistrationBounds & bounds, Doubts & doubts)
{
  const auto outliers = static_cast<double>(content.outliers);
  const auto pixels = static_cast<double>(content.pixels) + outliers;
  doubts.AddIf(outliers > bounds.outliers * pixels,
               "Of the pixels, " + Rounded(100.0 * outliers / pixels) + " % were left out as outliers; the bound is " +
                 Rounded(100.0 * bounds.outliers) +
                 " %. Either this is not the pose, or the CT is not what the images show.");
}

bool
IsWithinFactor(double value, double bound)
{
  return value <= bound && value * bound >= 1.0;
}

void
LookAtNuisances(const Content & content, const RegistrationBounds & bounds, Doubts & doubts)
{
  for (std::size_t view = 0; view < content.nuisances.size(); ++view)
  {
    const RadiographRegistrationNuisances & found = content.nuisances[view];
    // The same for all views.
    doubts.AddIf(view == 0 && found.attenuationIsEstimated && !IsWithinFactor(found.attenuation, bounds.attenuation),
                 "The factor on mu was estimated as " + Rounded(found.attenuation) + ", beyond a factor of " +
                   Rounded(bounds.attenuation) + ": no CT is as wrong as that.");
    doubts.AddIf(found.exposureIsEstimated && !IsWithinFactor(found.exposure, bounds.exposure),
                 "The exposure of view " + std::to_string(view) + " was estimated as " + Rounded(found.exposure) +
                   " times the open beam's counts, beyond a factor of " + Rounded(bounds.exposure) + '.');
  }
}

} // namespace

std::vector<std::string>
FindDoubts(const Content & content, const RegistrationBounds & bounds)
{
  Doubts doubts;
  doubts.AddIf(!content.singularDirection.empty(), content.singularDirection);
  LookAtOptimizer(content, bounds, doubts);
  LookAtHalves(content, doubts);
  LookAtFit(content, bounds, doubts);
  LookAtNuisances(content, bounds, doubts);
  LookAtOutliers(content, bounds, doubts);
  return doubts.GetSentences();
}

} // namespace itk
