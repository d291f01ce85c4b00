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
#ifndef itkCorrelationRadiographToVolumeMetricv4_h
#define itkCorrelationRadiographToVolumeMetricv4_h

#include "itkRadiographToVolumeMetricv4.h"

#include <ostream>

namespace radiography::compute
{
struct SimilarityTerms;
} // namespace radiography::compute

namespace itk
{

/** \class CorrelationRadiographToVolumeMetricv4Enums
 * \brief What metrics of correlation compare an image with.
 * \ingroup Radiography */
class CorrelationRadiographToVolumeMetricv4Enums
{
public:
  /** What is computed from the CT to be compared with the image. */
  enum class Compared : uint8_t
  {
    /** L: for images whose values are the logarithm of what was counted, as display images mostly are. */
    OpticalDepth = 0,
    /** exp(-L): for images that are linear in what was counted. */
    Transmission = 1
  };

  /** How pixel values go with what is compared. */
  enum class Relation : uint8_t
  {
    /** Either way, found anew in every evaluation. */
    Automatic = 0,
    /** They grow with it: bone is bright in an image compared with optical depths. */
    Growing = 1,
    /** They fall with it: bone is dark in an image compared with optical depths. */
    Falling = 2
  };
};

extern Radiography_EXPORT std::ostream &
                          operator<<(std::ostream & out, CorrelationRadiographToVolumeMetricv4Enums::Compared value);
extern Radiography_EXPORT std::ostream &
                          operator<<(std::ostream & out, CorrelationRadiographToVolumeMetricv4Enums::Relation value);

/** \class CorrelationRadiographToVolumeMetricv4
 * \brief What similarities share that compare a radiograph whose pixels are no counts: gain and offset are free.
 *
 * A normalised correlation rho of M quantities of a view (its pixels, or differences of pixels: the subclass says)
 * makes a value that is minimised:
 *
 * | relation  | value of a view    | least | greatest |
 * |-----------|--------------------|-------|----------|
 * | Automatic | M (1 - rho^2) / 2  | 0     | M / 2    |
 * | Growing   | M (1 - rho)        | 0     | 2 M      |
 * | Falling   | M (1 + rho)        | 0     | 2 M      |
 *
 * Values of views add up. All three agree near |rho| = 1. M (1 - rho^2) / 2 is half the sum of squared residuals of the
 * straight line image = offset + slope x quantity, fitted by least squares, in units of the image's variance: half a
 * deviance with offset and slope profiled out, whose dispersion (the noise variance in those units) is about 2 value /
 * M. So the inverse of the information matrix times GetDispersion() is the covariance of the parameters for residuals
 * that are independent; those of images that are no counts seldom are.
 *
 * The derivative is exact. A quantity without variance (the CT is out of the view) has no correlation: its value is
 * that of rho = 0, without a derivative, and an evaluation means nothing if all quantities of all views are so.
 *
 * MakePrediction() gives offset + slope x what is compared, with the line of the present transform; MakeResidual()
 * image minus prediction in units of the image's standard deviation over the pixels that are compared.
 *
 * \throws ExceptionObject from Initialize(), besides what the base refuses: fewer than three pixels to compare, a pixel
 * to compare that is not finite, an image that is constant.
 *
 * Subclasses of this class are compiled within the module.
 *
 * \ingroup Radiography */
class Radiography_EXPORT CorrelationRadiographToVolumeMetricv4 : public RadiographToVolumeMetricv4
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CorrelationRadiographToVolumeMetricv4);

  using Self = CorrelationRadiographToVolumeMetricv4;
  using Superclass = RadiographToVolumeMetricv4;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkOverrideGetNameOfClassMacro(CorrelationRadiographToVolumeMetricv4);

  using ComparedEnum = CorrelationRadiographToVolumeMetricv4Enums::Compared;
  using RelationEnum = CorrelationRadiographToVolumeMetricv4Enums::Relation;

  /** OpticalDepth by default. */
  itkSetEnumMacro(Compared, ComparedEnum);
  itkGetEnumMacro(Compared, ComparedEnum);

  /** Automatic by default. A known relation makes more poses unlike the right one. */
  itkSetEnumMacro(Relation, RelationEnum);
  itkGetEnumMacro(Relation, RelationEnum);

  /** 2 value / M at the present transform, M of all views together: the share of the image's variance that is left.
   * \throws ExceptionObject if the transform cannot be inverted. */
  double
  GetDispersion() const;

  /** The covariance of the transform's parameters that holds also where residuals belong together over blocks of
   * pixels, at the present transform: I^-1 (sum over blocks of s s^T) I^-1, s the score of a block with offset and
   * slope held, I the information (Liang and Zeger 1986, with image blocks for clusters). Times n / (n - N), n the
   * number of blocks that have a score. It needs no dispersion. \param blockSize pixels along a side, at least 1
   * \throws ExceptionObject if the information is singular (it names the direction), or there are not more blocks than
   * parameters. */
  vnl_matrix<double>
  ComputeSandwichCovariance(unsigned int blockSize = 8) const;

protected:
  CorrelationRadiographToVolumeMetricv4();
  ~CorrelationRadiographToVolumeMetricv4() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Correlates one view.
   * \param terms is empty before. */
  virtual void
  CorrelateView(unsigned int                            view,
                const ViewPixels &                      pixels,
                Order                                   order,
                radiography::compute::SimilarityTerms & terms) const = 0;

  void
  EvaluateSimilarity(const std::vector<ViewPixels> & views, Order order, Similarity & similarity) const override;
  void
  VerifySimilarity() const override;
  void
  ConvertToPrediction(unsigned int view, ImageType & depths) const override;
  void
  ConvertToResidual(unsigned int view, ImageType & depths) const override;

private:
  struct Line;

  void
  RefuseView(unsigned int view) const;
  Line
  FitLine(unsigned int view, const ImageType & depths) const;

  ComparedEnum m_Compared{ ComparedEnum::OpticalDepth };
  RelationEnum m_Relation{ RelationEnum::Automatic };
  // M of the last evaluation.
  mutable SizeValueType m_NumberOfCorrelated{ 0 };
};

} // namespace itk

#endif
