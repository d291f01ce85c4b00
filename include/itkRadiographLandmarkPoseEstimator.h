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
#ifndef itkRadiographLandmarkPoseEstimator_h
#define itkRadiographLandmarkPoseEstimator_h

#include "RadiographyExport.h"
#include "itkRadiographGeometry.h"
#include "itkRadiographyMacros.h"

#include "itkEuler3DTransform.h"
#include "itkObject.h"
#include "itkObjectFactory.h"

#include "vnl/vnl_matrix.h"

#include <string>
#include <vector>

namespace radiography::compute
{
struct LandmarkPose;
struct LandmarkProblem;
} // namespace radiography::compute

namespace itk
{

/** \class RadiographLandmarkPoseEstimator
 * \brief A start pose from landmarks: points of a CT, and the pixels in which radiographs show them.
 *
 * Enough are four landmarks in one view of a cone beam, or three that two views show (cone or parallel). The pose is
 * the rigid motion with the least sum of squared distances, in mm on the detectors, between where landmarks are
 * projected to and where they were seen. It is found without a start: from the closed poses of three landmarks (as many
 * as four for each triple) or from triangulation, then by Levenberg and Marquardt's iteration from the best of these.
 *
 * The result is a transform as registration takes and gives it: it maps world points, in which the views are given, to
 * points of the CT (both LPS, mm).
 *
 * The covariance of its six parameters supposes independent errors of the same size along columns and rows: that of
 * LandmarkStandardDeviation if it was given, else what the residuals say, sum of squares / (2 n - 6). In a single view
 * the distance from the source is the least certain; errors of the landmarks in the CT count as well, magnified.
 *
 * Landmarks in a plane, and any four of them with noise, may have two poses that explain the image nearly as well:
 * IsAmbiguous() says so if the sum of squares of the second minimum is within 9 variances of the best (with a standard
 * deviation of not less than half a pixel), and GetAlternativeTransform() is that pose.
 *
 * \throws ExceptionObject from Compute(), with the name of what is wrong: too few landmarks, landmarks on a line
 * (second principal extent within 2 % of the first), no pose with all landmarks in front of the sources, a motion that
 * moves no pixel. From AddLandmark() and AddObservation(): a name that is not known or used twice, a number that is not
 * finite, a view that was not added.
 *
 * \sa RadiographLandmarkJSON for files
 * \ingroup Radiography */
class Radiography_EXPORT RadiographLandmarkPoseEstimator : public Object
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(RadiographLandmarkPoseEstimator);

  using Self = RadiographLandmarkPoseEstimator;
  using Superclass = Object;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(RadiographLandmarkPoseEstimator);

  using PointType = Point<double, 3>;
  using PixelType = RadiographGeometry::PixelType;
  using TransformType = Euler3DTransform<double>;
  using CovarianceType = vnl_matrix<double>;

  /** Where one view shows one landmark, and how far the projection of the pose found is from it. */
  struct Observation
  {
    unsigned int view{ 0 };
    std::string  landmark;
    PixelType    pixel;
    /** Where the pose found puts it. */
    PixelType projected;
    /** Distance of the two, mm on the detector and in pixels. */
    double error{ 0.0 };
    double pixelError{ 0.0 };
  };

  /** \return the view's number, from 0 */
  unsigned int
  AddView(const RadiographGeometry * geometry);

  /** A point of the CT, LPS, mm. */
  void
  AddLandmark(const std::string & name, const PointType & point);

  /** The pixel (continuous index: column, row, from 0) in which a view shows a landmark. */
  void
  AddObservation(unsigned int view, const std::string & landmark, const PixelType & pixel);

  /** Takes views, landmarks and observations away. */
  void
  Clear();

  /** The transform's centre; by default (and after UseDefaultCenter()) the middle of the landmarks that are seen, in
   * the CT. */
  void
  SetCenter(const PointType & center);
  void
  UseDefaultCenter();

  /** Of where a landmark is seen, along columns and along rows, mm on the detector; 0, the default: from the residuals.
   */
  itkSetMacro(LandmarkStandardDeviation, double);
  itkGetConstMacro(LandmarkStandardDeviation, double);

  void
  Compute();

  /** \name Results of the last Compute() */
  ///@{
  /** World points to CT points; null before. */
  itkGetConstObjectMacro(Transform, TransformType);
  /** Root of the mean squared distance on the detectors, mm. */
  itkGetConstMacro(RMSError, double);
  /** The same in pixels. */
  itkGetConstMacro(RMSPixelError, double);
  /** In the order in which they were added. */
  const std::vector<Observation> &
  GetObservations() const
  {
    return m_Observations;
  }
  /** Of the transform's parameters: three angles (radians), translation (mm). Infinite on the diagonal, else 0, if the
   * three angles are locked (a tilt of a right angle) and so have no covariance. */
  itkGetConstReferenceMacro(Covariance, CovarianceType);
  /** Landmarks lie in a plane: third principal extent within 2 % of the first. */
  itkGetConstMacro(IsCoplanar, bool);
  /** See above. */
  itkGetConstMacro(IsAmbiguous, bool);
  /** The second best pose; null if there is no second minimum. */
  itkGetConstObjectMacro(AlternativeTransform, TransformType);
  /** mm */
  itkGetConstMacro(AlternativeRMSError, double);
  /** Sentences about what should be known of the result: a plane, two poses. */
  const std::vector<std::string> &
  GetWarnings() const
  {
    return m_Warnings;
  }
  ///@}

protected:
  RadiographLandmarkPoseEstimator();
  ~RadiographLandmarkPoseEstimator() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;

private:
  struct Landmark
  {
    std::string name;
    PointType   point;
  };

  std::size_t
  FindLandmark(const std::string & name) const;
  radiography::compute::LandmarkProblem
  MakeProblem() const;
  void
  RefuseFault(const radiography::compute::LandmarkPose & pose) const;
  double
  SmallestPixel() const;
  void
  StoreErrors();
  void
  StoreCovariance(const radiography::compute::LandmarkPose & pose);
  void
  StoreAlternative(const radiography::compute::LandmarkPose & pose, const PointType & center);
  PointType
  ChooseCenter() const;

  std::vector<RadiographGeometry::ConstPointer> m_Views;
  std::vector<Landmark>                         m_Landmarks;
  std::vector<Observation>                      m_Observations;
  bool                                          m_HasCenter{ false };
  PointType                                     m_Center{};
  double                                        m_LandmarkStandardDeviation{ 0.0 };

  TransformType::Pointer   m_Transform;
  TransformType::Pointer   m_AlternativeTransform;
  double                   m_RMSError{ 0.0 };
  double                   m_RMSPixelError{ 0.0 };
  double                   m_AlternativeRMSError{ 0.0 };
  CovarianceType           m_Covariance;
  bool                     m_IsCoplanar{ false };
  bool                     m_IsAmbiguous{ false };
  std::vector<std::string> m_Warnings;
};

} // namespace itk

#endif
