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
#include "DICOMOutput.h"

#include "Errors.h"

#ifdef RADIOGRAPHY_USE_DCMTK
#  include "itkDICOMRadiographWriter.h"
#endif

namespace radiography::program
{

#ifdef RADIOGRAPHY_USE_DCMTK

namespace
{

using Writer = itk::DICOMRadiographWriter;

Writer::PixelMeaning
MeaningOf(const DICOMOutput & output)
{
  using Meaning = Writer::PixelMeaning;
  const auto & quantity = output.quantity;
  if (quantity == "optical-depth" || quantity == "log-transmission")
  {
    return Meaning::Log;
  }
  if (quantity == "removed")
  {
    return Meaning::Inverted;
  }
  if (quantity == "display")
  {
    return Meaning::Display;
  }
  return output.hasOffset ? Meaning::Unknown : Meaning::Linear;
}

/** How far along the principal ray the point is; 0, which stands for the detector's plane, if it is not in front of the
 * source. */
double
DistanceAlongPrincipalRay(const itk::RadiographGeometry & view, const itk::Point<double, 3> & point)
{
  if (view.GetBeam() != itk::RadiographGeometry::Beam::Cone)
  {
    return 0.0; // refused by the writer
  }
  auto normal = itk::CrossProduct(view.GetColumnDirection(), view.GetRowDirection());
  normal.Normalize();
  normal *= view.IsSeenFromSource() ? 1.0 : -1.0;
  const double distance = (point - view.GetSource()) * normal;
  return distance > 0.0 ? distance : 0.0;
}

} // namespace

void
WriteDICOM(const RadiographImage &         image,
           const itk::RadiographGeometry & view,
           const DICOMOutput &             output,
           const std::string &             path)
{
  const auto writer = Writer::New();
  writer->SetInput(&image);
  writer->SetGeometry(&view);
  writer->SetFileName(path);
  writer->SetPixelMeaning(MeaningOf(output));
  writer->SetLogRises(output.quantity == "log-transmission");
  writer->SetSourceIsocenterDistance(DistanceAlongPrincipalRay(view, output.isocenter));
  writer->SetReferenceFiles(output.references);
  writer->SetKeepPatient(output.keepPatient);
  writer->SetDerivationDescription(output.derivation);
  writer->Write();
}

#else

void
WriteDICOM(const RadiographImage &, const itk::RadiographGeometry &, const DICOMOutput &, const std::string &)
{
  throw Failure("this build has no DCMTK and cannot write DICOM", HowToBuildWithDCMTK);
}

#endif

} // namespace radiography::program
