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
#ifndef itkRadiographToVolumeMetricv4_h
#define itkRadiographToVolumeMetricv4_h

#include "RadiographyExport.h"
#include "itkDigitallyReconstructedRadiographImageFilter.h"
#include "itkFisherInformationProvider.h"
#include "itkProjectionVolume.h"
#include "itkRadiographGeometry.h"
#include "itkRadiographyMacros.h"

#include "itkImage.h"
#include "itkImageToImageMetricv4.h"

#include "vnl/vnl_matrix.h"
#include "vnl/vnl_vector.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace radiography::compute
{
struct ComputeReport;
} // namespace radiography::compute

namespace itk
{

class MultiThreaderBase;
struct AffineMap;

/** \class RadiographToVolumeMetricv4
 * \brief How well a CT in a pose explains X-ray images of it: what all metrics of radiographs share.
 *
 * The fixed image is the radiograph of view 0, a 3-D image of one slice on the detector of its RadiographGeometry;
 * AddView() adds more radiographs of the same pose, and all views are summed inside one metric. The moving image is the
 * CT as mu in 1/mm. The moving transform maps world points, in which the views are given, to CT points, as everywhere
 * in ITK's registration: the pose of the CT in the world is its inverse. Any linear ITK transform serves, a composite
 * too. A metric of this family works with ImageRegistrationMethodv4 and every v4 optimizer.
 *
 * One evaluation projects the CT into each view, lets the subclass compare depths with images (EvaluateSimilarity), and
 * contracts what it says of each pixel with the derivatives of the rays, in binary64. Derivatives are exact for the
 * sums that the projector makes.
 *
 * - The value is minimised; the "derivative" is minus its gradient.
 * - An evaluation is a pure function of the transform's parameters. It has the same bits for any number of threads, and
 *   GetValue() the same as GetValueAndDerivative(). Where packets of rays run (GetComputeReport() says so) depths are
 *   binary32, as in an image; the policy "simd=0" has them in binary64, slowly.
 * - Valid points are compared pixels whose ray has an optical depth other than 0. A pose without any is legal: value
 *   and derivative are finite, GetNumberOfValidPoints() is 0 and GetValueDerivativeAndInformation() returns false. So
 *   is a transform that cannot be inverted; its value is OutOfRangeValue.
 * - Initialize() sets the virtual domain to a box of cubic voxels in the world around the CT, at most 64 along its
 *   longest side, whatever was set before: scales estimators sample its points.
 * - ITK's point sets, spatial-object masks and fixed transforms other than the identity are refused, not ignored.
 *
 * A metric keeps its workspace between evaluations: one object must not be evaluated by several threads at once.
 *
 * \throws ExceptionObject from Initialize(), before any work: no image, no geometry, an image or mask that does not lie
 * on its detector or is not in memory, no CT or one that is not mu in 1/mm (Hounsfield units), a transform that is not
 * linear or cannot be inverted, and what the subclass refuses. From an evaluation: Initialize() was not called since
 * the last change of an image, view, mask, CT or option.
 *
 * \ingroup Radiography */
class Radiography_EXPORT RadiographToVolumeMetricv4
  : public ImageToImageMetricv4<Image<float, 3>, Image<float, 3>, Image<float, 3>, double>
  , public FisherInformationProvider
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(RadiographToVolumeMetricv4);

  using Self = RadiographToVolumeMetricv4;
  using Superclass = ImageToImageMetricv4<Image<float, 3>, Image<float, 3>, Image<float, 3>, double>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkOverrideGetNameOfClassMacro(RadiographToVolumeMetricv4);

  using ImageType = Image<float, 3>;
  using MaskImageType = Image<unsigned char, 3>;
  using ProjectorEnum = DigitallyReconstructedRadiographImageFilterEnums::Projector;
  using ComputeReport = DigitallyReconstructedRadiographImageFilter::ComputeReport;
  using MeasureType = Superclass::MeasureType;
  using DerivativeType = Superclass::DerivativeType;
  using InformationType = FisherInformationProvider::InformationType;

  /** The value where the transform cannot be inverted or is not finite: larger than any other, and its square is still
   * a number. */
  static constexpr double OutOfRangeValue = 1e150;

  /** \name Views. View 0 is the fixed image with SetGeometry() and SetMask(). */
  ///@{
  itkSetConstObjectMacro(Geometry, RadiographGeometry);
  itkGetConstObjectMacro(Geometry, RadiographGeometry);
  /** Pixels of view 0 that are 0 in the mask are not looked at; null for all. */
  itkSetConstObjectMacro(Mask, MaskImageType);
  itkGetConstObjectMacro(Mask, MaskImageType);

  /** One more view; the first one that is added is number 1.
   * \param mask null for all pixels */
  void
  AddView(const ImageType * image, const RadiographGeometry * geometry, const MaskImageType * mask = nullptr);

  /** The fixed image, if there is one, and those that were added. */
  unsigned int
  GetNumberOfViews() const;

  /** Takes away all views, view 0 too. */
  void
  ClearViews();

  /** \throws ExceptionObject if there is no such view. */
  const ImageType *
  GetViewImage(unsigned int view) const;
  const RadiographGeometry *
  GetViewGeometry(unsigned int view) const;
  /** Null if all pixels are compared. */
  const MaskImageType *
  GetViewMask(unsigned int view) const;
  ///@}

  /** A CT that is already prepared and may be shared by several metrics; wins over the moving image, and stands in for
   * one. */
  itkSetConstObjectMacro(ProjectionVolume, ProjectionVolume);
  itkGetConstObjectMacro(ProjectionVolume, ProjectionVolume);

  itkSetEnumMacro(Projector, ProjectorEnum);
  itkGetEnumMacro(Projector, ProjectorEnum);

  /** See DigitallyReconstructedRadiographImageFilter::SetPolicy. */
  void
  SetPolicy(const std::string & overrides);
  itkGetConstReferenceMacro(Policy, std::string);

  /** Compares every n-th pixel of every n-th row, beginning with number (n - 1) / 2; 1 by default.
   * \throws ExceptionObject from Initialize() if it is 0 or leaves an image without pixels. */
  itkSetMacro(Stride, unsigned int);
  itkGetConstMacro(Stride, unsigned int);

  /** Must be called after every change of an image, view, mask, CT or option, before an evaluation. Not after a change
   * of the transform's parameters. */
  void
  Initialize() override;

  MeasureType
  GetValue() const override;
  void
  GetDerivative(DerivativeType & derivative) const override;
  /** \param derivative is resized only if its size is wrong, and filled in place. */
  void
  GetValueAndDerivative(MeasureType & value, DerivativeType & derivative) const override;
  bool
  GetValueDerivativeAndInformation(MeasureType &     value,
                                   DerivativeType &  derivative,
                                   InformationType & information) const override;

  /** What the present transform makes the image of a view look like: all pixels of the detector, in the image's unit.
   * \throws ExceptionObject if there is no such view, or the transform cannot be inverted. */
  ImageType::Pointer
  MakePrediction(unsigned int view) const;

  /** Image against prediction, in the unit that the subclass states; 0 where the mask is.
   * \throws ExceptionObject as MakePrediction(). */
  ImageType::Pointer
  MakeResidual(unsigned int view) const;

  /** Directions in the space of the transform's parameters and the nuisances that the images say nothing about, each a
   * sentence that names what takes part; empty if there is none.
   *
   * A direction is named if, at the present transform, its share of the information that there would be if every
   * parameter were alone is below `bound`: an eigenvalue of the profiled information, scaled to a unit diagonal before
   * nuisances are taken out, or of the nuisances' own information, scaled likewise. */
  std::vector<std::string>
  FindSingularDirections(double bound = 1e-7) const;

  /** What ran in the last evaluation, rays with an end inside counted over all views. */
  const ComputeReport &
  GetComputeReport() const
  {
    return m_ComputeReport;
  }

  /** The latest change of this object, a view's image, geometry or mask, or the CT. */
  ModifiedTimeType
  GetMTime() const override;

  /** Needs no new Initialize(). */
  void
  SetMovingTransform(MovingTransformType * transform) override;

  /** \name Threads. Results do not depend on them. */
  ///@{
  ThreadIdType
  GetNumberOfWorkUnitsUsed() const override;
  void
  SetMaximumNumberOfWorkUnits(const ThreadIdType number) override;
  ThreadIdType
  GetMaximumNumberOfWorkUnits() const override;
  ///@}

protected:
  RadiographToVolumeMetricv4();
  ~RadiographToVolumeMetricv4() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** \name What a similarity is: the hook for subclasses */
  ///@{
  /** The pixels of one view that are compared (every Stride-th), in raster order, columns fastest. */
  struct ViewPixels
  {
    std::int64_t columns{ 0 };
    std::int64_t rows{ 0 };
    /** What was measured. */
    const float * image{ nullptr };
    /** 0: not compared. Never null, one byte for every pixel. */
    const unsigned char * mask{ nullptr };
    /** Optical depths at the present transform, 0 where the mask is. Null outside EvaluateSimilarity(). */
    const double * depths{ nullptr };
    /** Pixel (i, j) is pixel (first + i stride, first + j stride) of the detector, counted from its first one. */
    std::int64_t first{ 0 };
    std::int64_t stride{ 1 };
    /** The size of the whole detector. */
    std::int64_t detectorColumns{ 0 };
    std::int64_t detectorRows{ 0 };
  };

  /** A pixel that enters a difference: how far it is from the pixel p that the difference belongs to, and its factor.
   */
  struct DifferencePixel
  {
    std::int64_t column{ 0 };
    std::int64_t row{ 0 };
    double       factor{ 0.0 };
  };

  /** Differences of pixels, of one kind. The information gains the sum of weights[p] D_p D_p^T, with D_p the sum of
   * factor x slopes[q] x J_q over the pixels q that the difference at p is made of. */
  struct Difference
  {
    std::vector<DifferencePixel> pixels;
    /** One for each pixel; 0 where a pixel of the difference would lie outside or is masked. */
    std::vector<double> weights;
  };

  /** What a similarity says of each pixel of a view. Every vector has one entry for each pixel, 0 where the mask is, or
   * is empty where it is optional. With J_p = dL_p / d(parameters), the derivative is - sum of scores x J. */
  struct PixelTerms
  {
    /** d(value) / dL. */
    std::vector<double> scores;
    /** w: the information gains the sum of w_p J_p J_p^T. Optional. */
    std::vector<double> weights;
    /** For similarities of image gradients. Optional. */
    std::vector<Difference> differences;
    /** One for each pixel, for all differences. Optional: 1. */
    std::vector<double> slopes;
    /** Images that Coupling refers to. */
    std::vector<std::vector<double>> amplitudes;
  };

  /** A part of a coupling column: c_kp = amplitudes[p] x columnFactors[column] x rowFactors[row] for the pixels of one
   * view, which adds sum of c_kp J_p to C_k. Parts of the same k add up. */
  struct Coupling
  {
    /** k */
    std::size_t nuisance{ 0 };
    std::size_t view{ 0 };
    /** Which of the view's PixelTerms::amplitudes. */
    std::size_t amplitudes{ 0 };
    /** One for each column of the view; empty: 1. Stretches of 0 cost nothing. */
    std::vector<double> columnFactors;
    /** One for each row of the view; empty: 1. */
    std::vector<double> rowFactors;
  };

  /** What a similarity says of all views. */
  struct Similarity
  {
    /** Finite. */
    double value{ 0.0 };
    /** Whether the value means something: false where nothing can be compared. */
    bool isMeaningful{ true };
    /** One for each view. */
    std::vector<PixelTerms> views;
    /** Nuisances that were eliminated: the information loses C^T S^-1 C. */
    std::vector<Coupling> couplings;
    /** S, K x K, symmetric and positive semidefinite; directions without information are left out. */
    vnl_matrix<double> nuisanceInformation;
    /** K names, for FindSingularDirections(). */
    std::vector<std::string> nuisanceNames;
  };

  /** How much of a Similarity is asked for; each includes those before it. */
  enum class Order : uint8_t
  {
    /** value and isMeaningful */
    Value = 0,
    /** scores */
    Derivative = 1,
    /** weights, couplings and their matrix */
    Information = 2
  };

  /** The callable that hands out ITK's threads: body(0) ... body(count - 1), as launchers in src/compute take it. */
  using ParallelForType = std::function<void(std::int64_t count, const std::function<void(std::int64_t)> & body)>;

  /** Compares depths and images of all views: a pure function of the depths, the same bits for any number of threads
   * and for any Order. Must not throw for finite depths.
   * \param similarity is that of an earlier call, to be overwritten: its memory can be used again. */
  virtual void
  EvaluateSimilarity(const std::vector<ViewPixels> & views, Order order, Similarity & similarity) const = 0;

  /** Called by Initialize() when views and CT have been checked, before any work: refuses images that the similarity
   * has no use for, and options. Throws, or leaves everything as it is. */
  virtual void
  VerifySimilarity() const;

  /** Called at the end of Initialize(): whatever a similarity keeps of the images. */
  virtual void
  PrepareSimilarity();

  /** From depths of all pixels of a detector to what the image of this view should be; in place. Called after an
   * evaluation at the present transform. By default depths are left as they are. */
  virtual void
  ConvertToPrediction(unsigned int view, ImageType & depths) const;

  /** From depths of all pixels of a detector to residuals; in place. Called after an evaluation at the present
   * transform. By default image minus prediction. */
  virtual void
  ConvertToResidual(unsigned int view, ImageType & depths) const;

  /** \throws ExceptionObject unless Initialize() was called since the last change. */
  void
  RequirePrepared() const;

  /** The pixels of each view, without depths. After Initialize(). */
  const std::vector<ViewPixels> &
  GetViewPixels() const;

  /** The pixels of an image on a view's detector that ViewPixels stand for, in their order. */
  std::vector<float>
  SamplePixels(unsigned int view, const ImageType & image) const;

  /** \throws ExceptionObject unless the image lies on the view's detector and is wholly in memory.
   * \param name what it is, for the message */
  void
  RefuseOtherDetector(unsigned int view, const ImageBase<3> & image, const char * name) const;

  /** The metric's threads. */
  ParallelForType
  GetParallelFor() const;

  /** The terms of an evaluation at the present transform; throws if it cannot be inverted. For what a subclass offers
   * besides value and derivative. */
  const Similarity &
  EvaluateTerms(Order order) const;

  /** Derivatives of depths contracted with scores within square blocks of pixels, for the last EvaluateTerms(): the sum
   * of scores x J of the block, N numbers. Blocks are counted in raster order.
   * \param blockSize pixels along a side */
  std::vector<std::vector<double>>
  ContractBlocks(unsigned int view, unsigned int blockSize) const;

  /** C, K x N, of the last EvaluateTerms(Order::Information). */
  const vnl_matrix<double> &
  GetCouplingMatrix() const;

  /** The sum of w J J^T, N x N, of the last EvaluateTerms(Order::Information). */
  const vnl_matrix<double> &
  GetInformationWithNuisancesHeld() const;
  ///@}

private:
  struct View
  {
    ImageType::ConstPointer          image;
    RadiographGeometry::ConstPointer geometry;
    MaskImageType::ConstPointer      mask;
  };
  struct Workspace;

  View
  GetView(unsigned int view) const;
  bool
  IsPrepared() const;
  void
  RefuseFramework() const;
  void
  RefuseView(unsigned int number) const;
  void
  PrepareViews();
  void
  SetVirtualDomainAroundVolume();
  void
  ProjectView(std::size_t number, const AffineMap & pose, Order order) const;
  /** \return false if the transform cannot be inverted. */
  bool
  ProjectViews(Order order) const;
  void
  AddReport(const radiography::compute::ComputeReport & report) const;
  void
  Contract(Order order) const;
  /** \return whether the value means something. */
  bool
  Evaluate(Order order) const;
  void
  StoreDerivative(DerivativeType & derivative) const;
  std::string
  DescribeSingularDirection(const vnl_vector<double> & direction,
                            const vnl_vector<double> & scales,
                            double                     bound) const;
  ImageType::Pointer
  ProjectWholeView(unsigned int view) const;

  RadiographGeometry::ConstPointer m_Geometry;
  MaskImageType::ConstPointer      m_Mask;
  std::vector<View>                m_FurtherViews;
  ProjectionVolume::ConstPointer   m_ProjectionVolume;
  ProjectionVolume::Pointer        m_OwnVolume;
  ProjectorEnum                    m_Projector{ ProjectorEnum::Joseph };
  std::string                      m_Policy;
  unsigned int                     m_Stride{ 1 };

  SmartPointer<MultiThreaderBase> m_MultiThreader;
  // Prepared views and the memory of evaluations, whose results are in it.
  std::unique_ptr<Workspace> m_Workspace;
  mutable ComputeReport      m_ComputeReport;
};

} // namespace itk

#endif
