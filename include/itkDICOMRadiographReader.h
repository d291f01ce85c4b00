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
#ifndef itkDICOMRadiographReader_h
#define itkDICOMRadiographReader_h

#include "RadiographyExport.h"
#include "itkDICOMRadiographInformation.h"
#include "itkRadiographGeometry.h"
#include "itkRadiographyMacros.h"

#include "itkImage.h"
#include "itkImageSource.h"
#include "itkObjectFactory.h"

#include <memory>

namespace itk
{

/** \class DICOMRadiographReader
 * \brief Reads an X-ray image from a DICOM file, with the view it was taken from.
 *
 * XA and XRF (enhanced or not), RF, DX, CR and RT Image are read, and secondary captures with the view given by hand;
 * any of the encodings that DICOMCTVolumeReader reads. The output is an image of one slice that lies in the world as
 * the detector did, ready to be compared with what DigitallyReconstructedRadiographImageFilter makes for GetGeometry().
 * A second output, the mask, is 0 where a shutter, a collimator or padding covers the image and 1 elsewhere.
 *
 * The view of XA, of XRF (RF) with positioner angles, and of DX and CR on a C-arm is that of
 * RadiographGeometry::SetCArm with the positioner's angles (frame increments added), distances and ImagerPixelSpacing;
 * the principal ray hits the middle of the matrix, and PatientOrientation tells whether the image is stored mirrored or
 * turned. Enhanced XA and XRF say all of it frame by frame, and may say where the isocenter is projected to. The view
 * of an RT Image comes from gantry, couch, receptor angle and translation, RTImagePosition and RTImageOrientation (IEC
 * 61217). Secondary captures have angles, distances and pitch by the setters, or SetGeometry().
 *
 * Nothing is guessed. What is missing or contradictory is listed as a problem with the tag and the setter that helps;
 * while one of them refuses, there is no view and Update() throws. Assumptions are listed too, as warnings. Each number
 * that was used is listed with the tag or the setter it came from. What a setter says wins over the file.
 *
 * Pixel values are stored value x RescaleSlope + RescaleIntercept, or in XA and XRF what the Modality LUT (in enhanced
 * ones the table TO_LINEAR) leads back to, rounded once to float. Windows, VOI LUTs and MONOCHROME1 never change
 * values. GetPixelMeaning() says how values depend on the beam's intensity. Linear means *proportional*, not counts:
 * the gain is not known.
 *
 * The output's metadata has `radiography_source_mm`, `radiography_quantity` (the pixel meaning's name) and
 * `radiography_photometric_interpretation`.
 *
 * \code
 *   auto reader = itk::DICOMRadiographReader::New();
 *   reader->SetFileName("angiogram.dcm");
 *   reader->SetFrame(3);
 *   reader->Update();
 * \endcode
 *
 * \ingroup Radiography */
class Radiography_EXPORT DICOMRadiographReader : public ImageSource<Image<float, 3>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(DICOMRadiographReader);

  using Self = DICOMRadiographReader;
  using Superclass = ImageSource<Image<float, 3>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(DICOMRadiographReader);

  using ImageType = Image<float, 3>;
  using MaskImageType = Image<unsigned char, 3>;
  using PointType = RadiographGeometry::PointType;
  using PatientPosition = RadiographGeometry::PatientPosition;
  using PixelMeaning = DICOMRadiographEnums::PixelMeaning;

  itkSetStringMacro(FileName);
  itkGetStringMacro(FileName);

  /** The largest image that is accepted, in pixels; the size that a file declares is held against it before memory is
   * allocated. Default 2^28 (1 GiB). */
  itkSetMacro(MaximumNumberOfPixels, SizeValueType);
  itkGetConstMacro(MaximumNumberOfPixels, SizeValueType);

  /** \name What the user says; each wins over the file. ClearOptions() takes all of it back. Angles in radians. */
  ///@{
  /** Which frame, counted from 1. Required if there are several. */
  void
  SetFrame(SizeValueType frame);
  /** The detector's pitch in mm. */
  void
  SetPitch(double betweenColumns, double betweenRows);
  /** How the patient lies on the couch; RT Images only. */
  void
  SetPatientPosition(PatientPosition position);
  /** In the world, mm. */
  void
  SetIsocenter(const PointType & isocenter);
  /** C-arm, as RadiographGeometry::CArm has it. */
  void
  SetPrimaryAngle(double radians);
  void
  SetSecondaryAngle(double radians);
  void
  SetRoll(double radians);
  /** Treatment machine, IEC 61217; RT Images only. */
  void
  SetGantryAngle(double radians);
  void
  SetCouchAngle(double radians);
  void
  SetReceptorAngle(double radians);
  void
  SetSourceIsocenterDistance(double distance);
  void
  SetSourceDetectorDistance(double distance);
  /** Where columns and rows run to, as PatientOrientation (0020,0020) has it: "L\F". */
  void
  SetPatientOrientation(const std::string & letters);
  /** What pixels are; a Modality LUT is then not applied. */
  void
  SetPixelMeaning(PixelMeaning meaning);
  /** The whole view, which must have the image's size. */
  void
  SetGeometry(const RadiographGeometry * geometry);
  void
  ClearOptions();
  ///@}

  /** Reads the header anew, not the pixels. Problems of the view do not throw here, they are listed.
   * \throws ExceptionObject if the file is no X-ray image or cannot be read whatever the setters say. */
  void
  ReadInformation();

  /** What the last reading found; empty before. */
  const DICOMRadiographInformation &
  GetInformation() const;

  /** The view; null if something is refused or nothing was read. */
  const RadiographGeometry *
  GetGeometry() const;

  PixelMeaning
  GetPixelMeaning() const;

  /** Whether a pixel's value is proportional to the beam's intensity, as a Poisson likelihood wants it. */
  bool
  IsProportionalToIntensity() const;

  /** 1 where the image is open, 0 behind a shutter or a collimator (their edges included) and where it is padding. */
  MaskImageType *
  GetMaskOutput();

  using Superclass::MakeOutput;
  /** The mask is the second output. */
  ProcessObject::DataObjectPointer
  MakeOutput(ProcessObject::DataObjectPointerArraySizeType index) override;

protected:
  DICOMRadiographReader();
  ~DICOMRadiographReader() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Reads the header. \throws ExceptionObject naming every problem that refuses, and the setters that help. */
  void
  GenerateOutputInformation() override;

  /** Always the whole image. */
  void
  EnlargeOutputRequestedRegion(DataObject * output) override;

  /** Decodes the frame. \throws ExceptionObject if it cannot be. */
  void
  GenerateData() override;

private:
  struct Implementation;

  std::string                     m_FileName{};
  SizeValueType                   m_MaximumNumberOfPixels{ SizeValueType{ 1 } << 28 };
  std::unique_ptr<Implementation> m_Implementation;
};

} // namespace itk

#endif
