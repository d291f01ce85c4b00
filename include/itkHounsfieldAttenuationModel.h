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
#ifndef itkHounsfieldAttenuationModel_h
#define itkHounsfieldAttenuationModel_h

#include "RadiographyExport.h"

#include <iosfwd>
#include <optional>

namespace itk
{

/** \class HounsfieldAttenuationParameters
 * \brief What is stated about a CT and a beam; what is not stated is looked up in xraylib.
 * \ingroup Radiography */
struct HounsfieldAttenuationParameters
{
  /** Energy of the radiograph's photons, in keV. */
  double energy{ 60.0 };
  /** The CT's effective energy, in keV: it fixes the HU of bone. */
  double ctEffectiveEnergy{ 75.0 };
  /** Linear attenuation coefficient of water at `energy`, in 1/mm. Not stated: xraylib's. */
  std::optional<double> waterAttenuation{};
  /** Linear attenuation coefficient of cortical bone at `energy`, in 1/mm. Not stated: xraylib's. */
  std::optional<double> boneAttenuation{};
  /** The HU that cortical bone has in this CT. Not stated: from xraylib at `ctEffectiveEnergy`. */
  std::optional<double> boneHounsfield{};
};

/** \class HounsfieldAttenuationModel
 * \brief The curve HU -> linear attenuation coefficient mu, in 1/mm, at a stated photon energy.
 *
 * Two straight pieces (air to water, water to cortical bone):
 * - HU <= 0: mu = mu_w max(0, 1 + HU / 1000). Below -1000 HU the floor, 0 /mm, holds.
 * - HU > 0: mu = mu_w + (HU / HU_b) (mu_b - mu_w), continued beyond HU_b.
 *
 * mu_w and mu_b are water's and bone's at the photon energy E; HU_b = 1000 (mu_b(E_ct) / mu_w(E_ct) - 1) is bone's HU
 * in a CT of effective energy E_ct.
 *
 * Coefficients are *total* mass attenuation coefficients with coherent scattering (not energy absorption) of xraylib
 * (Schoonjans et al. 2011) for "Water, Liquid" at 1.0 g/cm^3 and "Bone, Cortical (ICRP)" at 1.85 g/cm^3; (cm^2/g) times
 * (g/cm^3) / 10 gives 1/mm. A coefficient that is stated wins over the table, each on its own. E_ct belongs to the CT,
 * so HU_b does not follow stated coefficients: it is looked up unless it is stated too. Without xraylib all three must
 * be stated.
 *
 * \throws ExceptionObject from the constructor, naming the parameter, its value and the remedy: a value that is not
 * finite or not positive, an energy outside xraylib's range, bone that does not attenuate more than water, a table that
 * is needed but not built in.
 *
 * \ingroup Radiography */
class Radiography_EXPORT HounsfieldAttenuationModel
{
public:
  using Parameters = HounsfieldAttenuationParameters;

  /** 1 g/cm^3 and 1.85 g/cm^3 (ICRP's cortical bone). */
  static constexpr double WaterDensity = 1.0;
  static constexpr double BoneDensity = 1.85;

  /** The range of energies of xraylib's tables, in keV. */
  static constexpr double MinimumEnergy = 0.1;
  static constexpr double MaximumEnergy = 800.0;

  /** The least mu this curve gives, in 1/mm. Voxels of less than -1000 HU are raised to it. */
  static constexpr double Floor = 0.0;
  /** The HU at and below which mu is the floor. */
  static constexpr double FloorHounsfield = -1000.0;

  explicit HounsfieldAttenuationModel(const Parameters & parameters = Parameters());

  /** Whether this build looks coefficients up (built with xraylib). */
  static bool
  HasTables();

  /** Linear attenuation coefficient from xraylib, in 1/mm, at an energy in keV. */
  static double
  LookUpWaterAttenuation(double energy);
  static double
  LookUpBoneAttenuation(double energy);

  /** What was stated. */
  const Parameters &
  GetParameters() const
  {
    return m_Parameters;
  }
  double
  GetEnergy() const
  {
    return m_Parameters.energy;
  }
  double
  GetCTEffectiveEnergy() const
  {
    return m_Parameters.ctEffectiveEnergy;
  }

  /** mu_w, mu_b in 1/mm at the photon energy, and HU_b: stated or looked up. */
  double
  GetWaterAttenuation() const
  {
    return m_WaterAttenuation;
  }
  double
  GetBoneAttenuation() const
  {
    return m_BoneAttenuation;
  }
  double
  GetBoneHounsfield() const
  {
    return m_BoneHounsfield;
  }

  /** mu in 1/mm. */
  double
  Evaluate(double hounsfield) const
  {
    if (hounsfield > 0.0)
    {
      return m_WaterAttenuation + (hounsfield / m_BoneHounsfield) * (m_BoneAttenuation - m_WaterAttenuation);
    }
    return IsFloored(hounsfield) ? Floor : m_WaterAttenuation * (1.0 + hounsfield / 1000.0);
  }

  /** d mu / d HU, in 1/mm. At a kink it is that of the piece the formulas above assign the point to: at -1000 HU, and
   * below, 0; at 0 HU that of the lower piece, mu_w / 1000. */
  double
  EvaluateDerivative(double hounsfield) const
  {
    if (hounsfield > 0.0)
    {
      return (m_BoneAttenuation - m_WaterAttenuation) / m_BoneHounsfield;
    }
    return hounsfield > FloorHounsfield ? m_WaterAttenuation / 1000.0 : 0.0;
  }

  /** Whether the curve would be negative here without its floor: HU < -1000. */
  static bool
  IsFloored(double hounsfield)
  {
    return hounsfield < FloorHounsfield;
  }

private:
  Parameters m_Parameters{};
  double     m_WaterAttenuation{ 0.0 };
  double     m_BoneAttenuation{ 0.0 };
  double     m_BoneHounsfield{ 0.0 };
};

/** Every number of the model, on one line. */
extern Radiography_EXPORT std::ostream &
                          operator<<(std::ostream & out, const HounsfieldAttenuationModel & model);

} // namespace itk

#endif
