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
#ifndef itkGradientCorrelationRadiographToVolumeMetricv4_h
#define itkGradientCorrelationRadiographToVolumeMetricv4_h

#include "itkCorrelationRadiographToVolumeMetricv4.h"

#include "itkObjectFactory.h"

namespace itk
{

/** \class GradientCorrelationRadiographToVolumeMetricv4Enums
 * \brief How GradientCorrelationRadiographToVolumeMetricv4 differentiates images.
 * \ingroup Radiography */
class GradientCorrelationRadiographToVolumeMetricv4Enums
{
public:
  /** A difference operator along columns or rows. */
  enum class Difference : uint8_t
  {
    /** Half the difference of the two neighbours. */
    Central = 0,
    /** The same, averaged over three lines with the weights 1, 2, 1. */
    Sobel = 1
  };
};

extern Radiography_EXPORT std::ostream &
operator<<(std::ostream & out, GradientCorrelationRadiographToVolumeMetricv4Enums::Difference value);

/** \class GradientCorrelationRadiographToVolumeMetricv4
 * \brief Correlation of the gradient of a radiograph with that of the optical depths (or transmissions) of a CT.
 *
 * Both images are differentiated along columns and along rows, per mm on the detector; each of the two directions has
 * its normalised correlation (G. Penney et al., A comparison of similarity measures for use in 2-D-3-D medical image
 * registration, IEEE Trans. Med. Imaging 17, 1998), and a view's value is the mean of the two values, M the number of
 * differences. A difference counts if all pixels that enter it, and those between them, lie in the image and are not
 * masked. With a Stride they are those of every n-th pixel. Smooth changes over the image, such as scatter or
 * shading, hardly matter; edges do. So the capture range is small: start near, or on smoothed images.
 *
 * The information matrix is the Gauss-Newton matrix of the two least-squares problems with their lines eliminated
 * (variable projection). Differences of neighbouring pixels share pixels, so that their noise is not independent: a
 * covariance made of it is a rough one.
 *
 * \sa CorrelationRadiographToVolumeMetricv4 for values, relation and what is refused
 * \ingroup Radiography */
class Radiography_EXPORT GradientCorrelationRadiographToVolumeMetricv4 : public CorrelationRadiographToVolumeMetricv4
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(GradientCorrelationRadiographToVolumeMetricv4);

  using Self = GradientCorrelationRadiographToVolumeMetricv4;
  using Superclass = CorrelationRadiographToVolumeMetricv4;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(GradientCorrelationRadiographToVolumeMetricv4);

  using DifferenceEnum = GradientCorrelationRadiographToVolumeMetricv4Enums::Difference;

  /** Central by default; Sobel averages noise out over three lines. */
  itkSetEnumMacro(Difference, DifferenceEnum);
  itkGetEnumMacro(Difference, DifferenceEnum);

protected:
  GradientCorrelationRadiographToVolumeMetricv4();
  ~GradientCorrelationRadiographToVolumeMetricv4() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  CorrelateView(unsigned int                            view,
                const ViewPixels &                      pixels,
                Order                                   order,
                radiography::compute::SimilarityTerms & terms) const override;

private:
  DifferenceEnum m_Difference{ DifferenceEnum::Central };
};

} // namespace itk

#endif
