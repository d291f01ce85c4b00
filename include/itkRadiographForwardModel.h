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
#ifndef itkRadiographForwardModel_h
#define itkRadiographForwardModel_h

#include "RadiographyExport.h"
#include "itkDetectorResponseImageFilter.h"
#include "itkRadiographyMacros.h"
#include "itkSubrayRadiographImageFilter.h"
#include "itkTransmissionImageFilter.h"

#include "itkDataObjectDecorator.h"
#include "itkFixedArray.h"
#include "itkImageToImageFilter.h"
#include "itkTransform.h"

#include <string>

namespace itk
{

/** \class RadiographForwardModel
 * \brief The whole chain, from mu to detector readings, as one filter.
 *
 *     mu -> optical depth L of each pixel of the view -> counts lambda = n0 exp(-L) -> readings g (lambda + s) + b
 *
 * Inputs: mu in 1/mm (SetInput), the view (SetGeometry), the transform from world to CT points (SetTransform, identity
 * by default), and n0, if it is an image. Outputs, all on the view's detector: the readings (GetOutput()), the expected
 * primary counts (GetCounts()) and the optical depths (GetDepth()), which with SubraysPerSide above 1 or a focal spot
 * are the effective ones, -ln of the mean transmission of the sub-rays of a pixel.
 *
 * The stages are SubrayRadiographImageFilter, TransmissionImageFilter and DetectorResponseImageFilter, bit for bit:
 * their documentation says what each parameter means, and depths and counts are rounded to binary32 between them. Each
 * execution computes all three.
 *
 * RadiographForwardModelAdjointImageFilter pulls cotangents of the outputs back to mu, n0, g, s and b.
 *
 * \throws ExceptionObject before any output is touched: what the stages refuse; no n0.
 *
 * \sa RadiographForwardModelAdjointImageFilter
 * \ingroup Radiography */
class Radiography_EXPORT RadiographForwardModel : public ImageToImageFilter<Image<float, 3>, Image<float, 3>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(RadiographForwardModel);

  using Self = RadiographForwardModel;
  using Superclass = ImageToImageFilter<Image<float, 3>, Image<float, 3>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(RadiographForwardModel);

  using ImageType = Image<float, 3>;
  using TransformType = Transform<double, 3, 3>;
  using ProjectorEnum = DigitallyReconstructedRadiographImageFilterEnums::Projector;
  using OpenBeamFormEnum = TransmissionImageFilterEnums::OpenBeamForm;
  using ComputeReport = DigitallyReconstructedRadiographImageFilter::ComputeReport;
  /** Width along the detector's columns' direction, height along its rows', mm. */
  using FocalSpotSizeType = FixedArray<double, 2>;

  /** \name The projection; see SubrayRadiographImageFilter. */
  ///@{
  itkSetInputMacro(Geometry, RadiographGeometry);
  itkGetInputMacro(Geometry, RadiographGeometry);
  /** World points to CT points. */
  itkSetGetDecoratedObjectInputMacro(Transform, TransformType);
  itkSetEnumMacro(Projector, ProjectorEnum);
  itkGetEnumMacro(Projector, ProjectorEnum);
  /** Overrides of the projection policy. */
  void
  SetPolicy(const std::string & overrides);
  itkGetConstReferenceMacro(Policy, std::string);
  /** N, sub-rays along each side of a pixel; 1 by default. */
  itkSetMacro(SubraysPerSide, unsigned int);
  itkGetConstMacro(SubraysPerSide, unsigned int);
  /** 0 x 0 by default: a point source. */
  itkSetMacro(FocalSpotSize, FocalSpotSizeType);
  itkGetConstReferenceMacro(FocalSpotSize, FocalSpotSizeType);
  /** M, source points along each side of the focal spot; 4 by default. */
  itkSetMacro(FocalSpotSamples, unsigned int);
  itkGetConstMacro(FocalSpotSamples, unsigned int);
  /** What ran in the last Update(). */
  const ComputeReport &
  GetComputeReport() const
  {
    return m_ComputeReport;
  }
  ///@}

  /** \name The open beam n0, in the forms of TransmissionImageFilter; the last one set holds. */
  ///@{
  /** One number, never differentiated. */
  void
  SetOpenBeamCounts(double counts);
  /** The number given; 0 where the form is another. */
  itkGetConstMacro(OpenBeamCounts, double);
  /** One value per pixel of the detector. */
  void
  SetOpenBeamCountsImage(const ImageType * image);
  /** One pixel that holds for all. */
  void
  SetSharedOpenBeamCountsImage(const ImageType * image);
  /** The image of either form, or null. */
  const ImageType *
  GetOpenBeamCountsImage() const;
  itkGetEnumMacro(OpenBeamForm, OpenBeamFormEnum);
  ///@}

  /** \name The detector; see DetectorResponseImageFilter. */
  ///@{
  /** g, detector units per count; 1 by default. */
  itkSetMacro(Gain, double);
  itkGetConstMacro(Gain, double);
  /** s, counts; 0 by default. */
  itkSetMacro(Scatter, double);
  itkGetConstMacro(Scatter, double);
  /** b, detector units; 0 by default. */
  itkSetMacro(Offset, double);
  itkGetConstMacro(Offset, double);
  ///@}

  /** The readings; the same as GetOutput(). */
  ImageType *
  GetReadings();
  const ImageType *
  GetReadings() const;
  /** lambda, the expected primary counts. */
  ImageType *
  GetCounts();
  const ImageType *
  GetCounts() const;
  /** L, the (effective) optical depths. */
  ImageType *
  GetDepth();
  const ImageType *
  GetDepth() const;

  /** For the adjoint: throws unless the outputs hold the whole detector and all that they were computed from is
   * unmodified since. */
  void
  RefuseOutdatedOutputs() const;

protected:
  RadiographForwardModel();
  ~RadiographForwardModel() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  VerifyPreconditions() ITKv5_CONST override;
  void
  VerifyInputInformation() ITKv5_CONST override;
  void
  GenerateOutputInformation() override;
  void
  GenerateInputRequestedRegion() override;
  void
  GenerateData() override;

private:
  void
  SetOpenBeamImage(const ImageType * image, OpenBeamFormEnum form);
  void
  RefuseParameters() const;
  const ProjectionVolume *
  PrepareVolume();
  SmartPointer<SubrayRadiographImageFilter>
  Project(const OutputImageRegionType & region);
  SmartPointer<TransmissionImageFilter>
  Attenuate(ImageType * depth, const OutputImageRegionType & region);
  SmartPointer<DetectorResponseImageFilter>
  ReadOut(ImageType * counts, const OutputImageRegionType & region);

  ProjectorEnum             m_Projector{ ProjectorEnum::Joseph };
  std::string               m_Policy;
  unsigned int              m_SubraysPerSide{ 1 };
  FocalSpotSizeType         m_FocalSpotSize{};
  unsigned int              m_FocalSpotSamples{ 4 };
  OpenBeamFormEnum          m_OpenBeamForm{ OpenBeamFormEnum::None };
  double                    m_OpenBeamCounts{ 0.0 };
  double                    m_Gain{ 1.0 };
  double                    m_Scatter{ 0.0 };
  double                    m_Offset{ 0.0 };
  ComputeReport             m_ComputeReport;
  ProjectionVolume::Pointer m_Volume;
};

} // namespace itk

#endif
