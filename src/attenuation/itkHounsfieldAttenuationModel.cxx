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
#include "itkHounsfieldAttenuationModel.h"

#include "itkMacro.h"
#include "itkNumberToString.h"

#include <cmath>
#include <ostream>
#include <string>

#ifdef RADIOGRAPHY_USE_XRAYLIB
#  include <xraylib.h>
#endif

namespace itk
{
namespace
{

// Names in xraylib's list of NIST compounds.
constexpr const char * Water = "Water, Liquid";
constexpr const char * Bone = "Bone, Cortical (ICRP)";

std::string
Text(double value)
{
  return NumberToString<double>()(value);
}

void
RefuseUnlessPositive(const char * name, double value, const char * unit)
{
  if (!std::isfinite(value) || value <= 0.0)
  {
    itkGenericExceptionMacro("The " << name << " is " << Text(value) << ' ' << unit
                                    << "; give a finite number greater than 0.");
  }
}

void
RefuseUnlessTabulated(const char * name, double energy)
{
  RefuseUnlessPositive(name, energy, "keV");
  if (energy < HounsfieldAttenuationModel::MinimumEnergy || energy > HounsfieldAttenuationModel::MaximumEnergy)
  {
    itkGenericExceptionMacro("The " << name << " is " << Text(energy) << " keV, outside the tables of xraylib, "
                                    << Text(HounsfieldAttenuationModel::MinimumEnergy) << " to "
                                    << Text(HounsfieldAttenuationModel::MaximumEnergy)
                                    << " keV; give an energy in keV within them, or state the coefficients.");
  }
}

#ifdef RADIOGRAPHY_USE_XRAYLIB

// Total, coherent scattering included: the loss of primary photons, unlike the energy-absorption coefficient.
double
LookUp(const char * compound, double density, double energy)
{
  RefuseUnlessTabulated("photon energy", energy);
  xrl_error *  error = nullptr;
  const double massCoefficient = CS_Total_CP(compound, energy, &error); // cm^2/g
  if (error != nullptr)
  {
    const std::string message = error->message;
    xrl_error_free(error);
    itkGenericExceptionMacro("xraylib has no attenuation coefficient of \""
                             << compound << "\" at " << Text(energy) << " keV: " << message
                             << ". Give another energy or state the coefficient in 1/mm.");
  }
  constexpr double millimetresPerCentimetre = 10.0;
  return massCoefficient * density / millimetresPerCentimetre;
}

#else

double
LookUp(const char * compound, double, double)
{
  itkGenericExceptionMacro("The attenuation of \""
                           << compound
                           << "\" cannot be looked up: this build is without xraylib. State the coefficients of water "
                              "and of bone in 1/mm and bone's HU, or build with Radiography_USE_XRAYLIB=ON.");
}

#endif

double
StatedOrWater(const std::optional<double> & stated, double energy)
{
  return stated ? *stated : HounsfieldAttenuationModel::LookUpWaterAttenuation(energy);
}

double
StatedOrBone(const std::optional<double> & stated, double energy)
{
  return stated ? *stated : HounsfieldAttenuationModel::LookUpBoneAttenuation(energy);
}

double
LookUpBoneHounsfield(double ctEffectiveEnergy)
{
  RefuseUnlessTabulated("CT's effective energy", ctEffectiveEnergy);
  return 1000.0 * (HounsfieldAttenuationModel::LookUpBoneAttenuation(ctEffectiveEnergy) /
                     HounsfieldAttenuationModel::LookUpWaterAttenuation(ctEffectiveEnergy) -
                   1.0);
}

} // namespace

HounsfieldAttenuationModel::HounsfieldAttenuationModel(const Parameters & parameters)
  : m_Parameters(parameters)
{
  RefuseUnlessPositive("photon energy", parameters.energy, "keV");
  RefuseUnlessPositive("CT's effective energy", parameters.ctEffectiveEnergy, "keV");

  m_WaterAttenuation = StatedOrWater(parameters.waterAttenuation, parameters.energy);
  m_BoneAttenuation = StatedOrBone(parameters.boneAttenuation, parameters.energy);
  m_BoneHounsfield =
    parameters.boneHounsfield ? *parameters.boneHounsfield : LookUpBoneHounsfield(parameters.ctEffectiveEnergy);

  RefuseUnlessPositive("attenuation coefficient of water", m_WaterAttenuation, "/mm");
  RefuseUnlessPositive("attenuation coefficient of bone", m_BoneAttenuation, "/mm");
  RefuseUnlessPositive("HU of bone", m_BoneHounsfield, "HU");
  // Otherwise mu would fall with rising HU and end below zero.
  if (m_BoneAttenuation <= m_WaterAttenuation)
  {
    itkGenericExceptionMacro("The attenuation coefficient of bone, "
                             << Text(m_BoneAttenuation) << " /mm, is not greater than that of water, "
                             << Text(m_WaterAttenuation) << " /mm, at " << Text(parameters.energy)
                             << " keV; state both in 1/mm at the same energy.");
  }
}

bool
HounsfieldAttenuationModel::HasTables()
{
#ifdef RADIOGRAPHY_USE_XRAYLIB
  return true;
#else
  return false;
#endif
}

double
HounsfieldAttenuationModel::LookUpWaterAttenuation(double energy)
{
  return LookUp(Water, WaterDensity, energy);
}

double
HounsfieldAttenuationModel::LookUpBoneAttenuation(double energy)
{
  return LookUp(Bone, BoneDensity, energy);
}

std::ostream &
operator<<(std::ostream & out, const HounsfieldAttenuationModel & model)
{
  return out << "energy " << Text(model.GetEnergy()) << " keV, CT effective energy "
             << Text(model.GetCTEffectiveEnergy()) << " keV, water " << Text(model.GetWaterAttenuation())
             << " /mm, bone " << Text(model.GetBoneAttenuation()) << " /mm at " << Text(model.GetBoneHounsfield())
             << " HU, floor " << Text(HounsfieldAttenuationModel::Floor) << " /mm";
}

} // namespace itk
