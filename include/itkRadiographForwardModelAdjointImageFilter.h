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
#ifndef itkRadiographForwardModelAdjointImageFilter_h
#define itkRadiographForwardModelAdjointImageFilter_h

#include "RadiographyExport.h"
#include "itkFirstDerivativeOnly.h"
#include "itkRadiographForwardModel.h"

#include <set>

namespace itk
{

/** \class RadiographForwardModelAdjointImageFilter
 * \brief The derivatives of an objective with respect to mu, n0, gain, scatter and offset, from those with respect to
 * RadiographForwardModel's outputs.
 *
 * Given the forward model (SetForward) and cotangents of its readings, counts or depths, any non-empty subset of which
 * counts (what is not given counts as zero), this filter makes
 * - the mu cotangent, on the grid of mu (objective x mm): the cotangents of the depths, spread over the voxels with
 *   exactly the weights that the projector applied, for every sub-ray from every source point;
 * - the open-beam cotangent, if OpenBeamActiveOn() was called: on the grid of the n0 image, summed where one n0 holds
 *   for all pixels;
 * - the cotangents of gain, scatter and offset, as numbers.
 *
 * It always processes whole images. The stages are DetectorResponseAdjointImageFilter, TransmissionAdjointImageFilter,
 * for sub-rays the adjoint of their average, and RadiographBackProjectionImageFilter. Each works in binary64 from the
 * forward's own values and rounds to binary32 once, so the error of a result is a few times 2^-24 of the sum of the
 * magnitudes of its terms, never of what is left when they cancel. The parts of several source points are added in
 * binary64. The same bits for any number of threads.
 *
 * Sub-rays are projected again, view by view, as their depths were not kept; with a focal spot twice.
 *
 * Call the forward's Update() before. The forward is not evaluated again: this filter throws if its inputs or
 * parameters were modified since. Cotangents are consumed: executing again with one that has not been modified since is
 * refused, because it would count twice in an accumulated sum; RetainCotangentsOn() allows it. Images given as
 * accumulated cotangents are added in binary64 before the rounding; they are not changed.
 *
 * A gradient that its number format cannot hold is an error before any output is touched: an evaluation whose
 * derivative is out of range has thrown and is never accepted by an optimizer.
 *
 * \throws ExceptionObject before any output is touched: no forward, or one that is not up to date; no cotangent; what
 * the stages refuse, cotangents that are not finite and gradients out of range among it; an accumulated mu cotangent
 * that does not lie on the grid of mu; an active n0 that is no image; a mu or n0 that was itself computed as a
 * derivative.
 *
 * \sa RadiographForwardModel
 * \ingroup Radiography */
class Radiography_EXPORT RadiographForwardModelAdjointImageFilter
  : public ImageToImageFilter<Image<float, 3>, Image<float, 3>>
  , public FirstDerivativeOnly
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(RadiographForwardModelAdjointImageFilter);

  using Self = RadiographForwardModelAdjointImageFilter;
  using Superclass = ImageToImageFilter<Image<float, 3>, Image<float, 3>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(RadiographForwardModelAdjointImageFilter);

  using ImageType = Image<float, 3>;

  /** The evaluated forward model; mu and n0 are taken from it as inputs of this filter. */
  void
  SetForward(const RadiographForwardModel * forward);
  itkGetConstObjectMacro(Forward, RadiographForwardModel);

  /** \name Cotangents of the forward's outputs, on the view's detector; null for none. */
  ///@{
  itkSetInputMacro(ReadingCotangent, ImageType);
  itkGetInputMacro(ReadingCotangent, ImageType);
  itkSetInputMacro(CountsCotangent, ImageType);
  itkGetInputMacro(CountsCotangent, ImageType);
  itkSetInputMacro(DepthCotangent, ImageType);
  itkGetInputMacro(DepthCotangent, ImageType);
  ///@}

  /** \name What results are added to; null for nothing. */
  ///@{
  /** On the grid of mu. */
  itkSetInputMacro(AccumulatedMuCotangent, ImageType);
  itkGetInputMacro(AccumulatedMuCotangent, ImageType);
  /** On the grid of the n0 image. */
  itkSetInputMacro(AccumulatedOpenBeamCotangent, ImageType);
  itkGetInputMacro(AccumulatedOpenBeamCotangent, ImageType);
  ///@}

  /** Whether the open-beam cotangent is computed. Off by default. */
  itkSetMacro(OpenBeamActive, bool);
  itkGetConstMacro(OpenBeamActive, bool);
  itkBooleanMacro(OpenBeamActive);

  /** Whether the same cotangents may be used again. Off by default. */
  itkSetMacro(RetainCotangents, bool);
  itkGetConstMacro(RetainCotangents, bool);
  itkBooleanMacro(RetainCotangents);

  /** The mu cotangent; the same as GetOutput(). */
  ImageType *
  GetMuCotangent();
  /** The open-beam cotangent; without pixels unless n0 is active. */
  ImageType *
  GetOpenBeamCotangent();
  /** The derivative with respect to g, of this pass alone; 0 without a reading cotangent. Valid after Update(). */
  itkGetConstMacro(GainCotangent, double);
  /** The derivative with respect to s. */
  itkGetConstMacro(ScatterCotangent, double);
  /** The derivative with respect to b. */
  itkGetConstMacro(OffsetCotangent, double);

  /** Grows with every execution of the forward. */
  ModifiedTimeType
  GetMTime() const override;

protected:
  RadiographForwardModelAdjointImageFilter();
  ~RadiographForwardModelAdjointImageFilter() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  VerifyPreconditions() ITKv5_CONST override;
  void
  VerifyInputInformation() ITKv5_CONST override;
  void
  GenerateOutputInformation() override;
  void
  EnlargeOutputRequestedRegion(DataObject * output) override;
  void
  GenerateOutputRequestedRegion(DataObject * output) override;
  void
  GenerateInputRequestedRegion() override;
  void
  GenerateData() override;

private:
  /** The results of an execution, before any output is touched. */
  struct Results;

  void
  RefuseConsumedCotangents() const;
  void
  NoteConsumedCotangents();
  ImageType::Pointer
  PullBackDetector(Results & results);
  ImageType::Pointer
  PullBackTransmission(ImageType * countsCotangent, Results & results);

  RadiographForwardModel::ConstPointer m_Forward;

  bool   m_OpenBeamActive{ false };
  bool   m_RetainCotangents{ false };
  double m_GainCotangent{ 0.0 };
  double m_ScatterCotangent{ 0.0 };
  double m_OffsetCotangent{ 0.0 };
  // Time stamps tell images apart as well: no two are the same.
  std::set<ModifiedTimeType> m_Consumed;
};

} // namespace itk

#endif
