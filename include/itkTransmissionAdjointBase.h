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
#ifndef itkTransmissionAdjointBase_h
#define itkTransmissionAdjointBase_h

#include "RadiographyExport.h"
#include "itkFirstDerivativeOnly.h"
#include "itkRadiographyMacros.h"

#include "itkImageToImageFilter.h"

#include <set>
#include <string>
#include <vector>

namespace itk
{

/** \class TransmissionAdjointBase
 * \brief What the adjoint filters of the transmission law and the detector have in common.
 *
 * An adjoint filter computes a vector-Jacobian product: from cotangents, the derivatives of some scalar objective with
 * respect to the outputs of a filter, it makes the derivatives with respect to that filter's inputs, the *primals*,
 * which it takes again as its own inputs, as they were. Every term is formed in binary64 from the original values and
 * rounded to binary32 once.
 *
 * Cotangents are consumed: executing again with one that has not been modified since is refused, because it would count
 * twice in an accumulated sum. RetainCotangentsOn() allows it; streaming in pieces needs it. A second Update() with
 * nothing modified does not execute and is fine.
 *
 * Results accumulate on request: an image given as accumulated cotangent is added in binary64 before the one rounding.
 * With AccumulateInPlaceOn() the output takes over the buffer of that image, which must come from no pipeline and be
 * processed whole; read the sum from the output, whose time stamp tells of it. Fill the image with zeros, and call its
 * Modified(), before an independent reverse pass.
 *
 * A sum that binary32 cannot hold is an error that names the gradient, the pixel and the value, before anything is
 * written or accumulated, in unchecked mode too. There is no status to ask for afterwards: an evaluation whose
 * derivative is out of range has thrown and is never accepted by an optimizer. Underflow is legitimate.
 *
 * CheckInputsOff() skips the scan for bad values only, for callers who guarantee theirs.
 *
 * Only an abort leaves an output, or a buffer accumulated in place, partly written.
 *
 * \ingroup Radiography */
class Radiography_EXPORT TransmissionAdjointBase
  : public ImageToImageFilter<Image<float, 3>, Image<float, 3>>
  , public FirstDerivativeOnly
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(TransmissionAdjointBase);

  using Self = TransmissionAdjointBase;
  using Superclass = ImageToImageFilter<Image<float, 3>, Image<float, 3>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkOverrideGetNameOfClassMacro(TransmissionAdjointBase);

  using ImageType = Image<float, 3>;
  using RegionType = ImageType::RegionType;

  /** Whether the same cotangents may be used again. Off by default. */
  itkSetMacro(RetainCotangents, bool);
  itkGetConstMacro(RetainCotangents, bool);
  itkBooleanMacro(RetainCotangents);

  /** Whether an output takes over the buffer of the image that it is accumulated on. Off by default. */
  itkSetMacro(AccumulateInPlace, bool);
  itkGetConstMacro(AccumulateInPlace, bool);
  itkBooleanMacro(AccumulateInPlace);

  /** Whether values are scanned before anything is computed. On by default. */
  itkSetMacro(CheckInputs, bool);
  itkGetConstMacro(CheckInputs, bool);
  itkBooleanMacro(CheckInputs);

protected:
  TransmissionAdjointBase();
  ~TransmissionAdjointBase() override;

  /** Called by constructors: an input whose own derivative would be missing; the first one is the primary input. */
  void
  AddPrimal(const char * inputName, const char * description);
  /** Called by constructors: a cotangent that may be given. */
  void
  AddCotangent(const char * inputName);
  /** Called by constructors: output number `output` may be accumulated on this input. */
  void
  AddAccumulator(unsigned int output, const char * inputName);

  /** Sets an input, or takes it away. */
  void
  SetImage(const char * inputName, const ImageType * image);
  /** The input, or null. */
  const ImageType *
  GetImage(const char * inputName) const;

  /** Whether an input is one pixel that stands for all. */
  virtual bool
  IsOnePixel(const std::string & inputName) const;
  /** Whether a sum over all pixels is wanted, which only the whole image gives. */
  virtual bool
  NeedsWholeImage() const;
  /** Whether an output is computed. */
  virtual bool
  IsWanted(unsigned int output) const;

  /** Throws if a primal value is bad. Called in checked mode. */
  virtual void
  RefuseBadPrimals(const RegionType & region) = 0;
  /** Throws if a result is out of range. Called before any output is touched. */
  virtual void
  RefuseGradientsOutOfRange(const RegionType & region) = 0;
  /** Fills the outputs, which are in place. */
  virtual void
  WriteGradients(const RegionType & region) = 0;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  VerifyPreconditions() ITKv5_CONST override;
  void
  VerifyInputInformation() ITKv5_CONST override;
  void
  EnlargeOutputRequestedRegion(DataObject * output) override;
  void
  GenerateOutputRequestedRegion(DataObject * output) override;
  void
  GenerateInputRequestedRegion() override;
  void
  GenerateData() override;

private:
  struct Primal
  {
    std::string inputName;
    std::string description;
  };
  struct Accumulator
  {
    unsigned int output;
    std::string  inputName;
  };
  std::string
  AccumulatorName(unsigned int output) const;
  ImageType *
  BorrowedInPlace(unsigned int output) const;
  const ImageType &
  OutputImage(unsigned int output) const;
  const ImageType::PixelContainer *
  TargetBuffer(unsigned int output) const;
  void
  RefuseOtherGrid(const std::string & inputName) const;
  void
  RefuseConsumedCotangents() const;
  void
  NoteConsumedCotangents();
  void
  RefuseNonFinite(const std::string & inputName, const RegionType & region);
  void
  RefuseBadValues(const RegionType & region);
  void
  RefuseSharedMemory(unsigned int output) const;
  void
  RefuseUnsafeAccumulation(unsigned int output) const;
  void
  PlaceOutput(unsigned int output);

  bool m_RetainCotangents{ false };
  bool m_AccumulateInPlace{ false };
  bool m_CheckInputs{ true };

  std::vector<Primal>      m_Primals;
  std::vector<std::string> m_Cotangents;
  std::vector<Accumulator> m_Accumulators;
  // Time stamps tell images apart as well: no two are the same.
  std::set<ModifiedTimeType> m_Consumed;
  // The caller's buffer that each output took over in an earlier execution, if any: not to be reused as the output's
  // own.
  std::vector<ImageType::PixelContainer::ConstPointer> m_Borrowed;
};

} // namespace itk

#endif
