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
#ifndef itkDICOMRadiographWriter_h
#define itkDICOMRadiographWriter_h

#include "RadiographyExport.h"
#include "itkDICOMRadiographInformation.h"
#include "itkRadiographGeometry.h"
#include "itkRadiographyMacros.h"

#include "itkImage.h"
#include "itkObjectFactory.h"
#include "itkProcessObject.h"

#include <string>
#include <vector>

namespace itk
{

/** \class DICOMRadiographWriter
 * \brief Writes a digitally reconstructed radiograph as a DICOM RT Image.
 *
 * An RT Image holds any view with a point source: gantry, couch and receptor angle, isocentre and the first pixel's
 * place are found from the geometry, for a patient who lies HFS (PS3.3 C.8.8.2, IEC 61217). A view that is seen from
 * the detector's far side, as those of a C-arm are, gets an RTImageOrientation that says so. DICOMRadiographReader
 * reads the view back to 1e-6 mm, and values to half a quantisation step.
 *
 * Values are stored in 16 bits as (value - RescaleIntercept) / RescaleSlope. Of values that are proportional to the
 * intensity the intercept is 0, so that they stay so.
 *
 * Instance and series get fresh UIDs. Study and frame of reference are those of the CT whose files are given as
 * references, or fresh as well. The patient's attributes are empty unless KeepPatient is on; then they are those of the
 * first reference file.
 *
 * Refused by name: a parallel beam, a mirrored grid (direction of determinant -1), a grid whose columns and rows are
 * not perpendicular, values that are not finite, an image that does not lie on the view's grid. The file appears only
 * when it is complete.
 *
 * \ingroup Radiography */
class Radiography_EXPORT DICOMRadiographWriter : public ProcessObject
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(DICOMRadiographWriter);

  using Self = DICOMRadiographWriter;
  using Superclass = ProcessObject;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(DICOMRadiographWriter);

  using ImageType = Image<float, 3>;
  using PixelMeaning = DICOMRadiographEnums::PixelMeaning;

  using Superclass::SetInput;
  /** One slice on the view's grid. */
  void
  SetInput(const ImageType * image);
  const ImageType *
  GetInput();

  itkSetConstObjectMacro(Geometry, RadiographGeometry);
  itkGetConstObjectMacro(Geometry, RadiographGeometry);

  itkSetStringMacro(FileName);
  itkGetStringMacro(FileName);

  /** How values depend on the intensity; Unknown, the default, writes no PixelIntensityRelationship. */
  itkSetEnumMacro(PixelMeaning, PixelMeaning);
  itkGetEnumMacro(PixelMeaning, PixelMeaning);

  /** Log values: whether they rise with the intensity (log transmission) or fall (optical depth). Default: they fall.
   */
  itkSetMacro(LogRises, bool);
  itkGetConstMacro(LogRises, bool);
  itkBooleanMacro(LogRises);

  /** Where on the principal ray the isocentre is, mm from the source. 0, the default: in the detector's plane. */
  itkSetMacro(SourceIsocenterDistance, double);
  itkGetConstMacro(SourceIsocenterDistance, double);

  /** Files of the CT series that the image was made from. */
  void
  SetReferenceFiles(const std::vector<std::string> & files);
  const std::vector<std::string> &
  GetReferenceFiles() const
  {
    return m_ReferenceFiles;
  }

  /** Whether the patient's attributes are taken over from the first reference file. Default: off. */
  itkSetMacro(KeepPatient, bool);
  itkGetConstMacro(KeepPatient, bool);
  itkBooleanMacro(KeepPatient);

  /** RT Image Label, at most 16 characters. */
  itkSetStringMacro(Label);
  itkGetStringMacro(Label);

  /** Derivation Description, for people: what was computed and how. */
  itkSetStringMacro(DerivationDescription);
  itkGetStringMacro(DerivationDescription);

  /** Writes the file. \throws ExceptionObject if the view or the values cannot be written, or the disc is full. */
  void
  Write();

  /** The same. */
  void
  Update() override
  {
    this->Write();
  }

protected:
  DICOMRadiographWriter();
  ~DICOMRadiographWriter() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;

private:
  void
  CheckInput(const ImageType * image) const;

  RadiographGeometry::ConstPointer m_Geometry{};
  std::string                      m_FileName{};
  PixelMeaning                     m_PixelMeaning{ PixelMeaning::Unknown };
  bool                             m_LogRises{ false };
  double                           m_SourceIsocenterDistance{ 0.0 };
  std::vector<std::string>         m_ReferenceFiles{};
  bool                             m_KeepPatient{ false };
  std::string                      m_Label{ "DRR" };
  std::string                      m_DerivationDescription{};
};

} // namespace itk

#endif
