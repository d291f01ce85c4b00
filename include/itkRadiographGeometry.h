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
#ifndef itkRadiographGeometry_h
#define itkRadiographGeometry_h

#include "RadiographyExport.h"
#include "itkRadiographyMacros.h"

#include "itkContinuousIndex.h"
#include "itkDataObject.h"
#include "itkImageBase.h"
#include "itkMatrix.h"
#include "itkObjectFactory.h"
#include "itkPoint.h"
#include "itkSize.h"
#include "itkVector.h"

#include <cstdint>
#include <ostream>

namespace itk
{

/** \class RadiographGeometryEnums
 * \brief The choices that a RadiographGeometry knows.
 * \ingroup Radiography */
class RadiographGeometryEnums
{
public:
  /** Cone: all rays start at one source point. Parallel: all rays have one direction. */
  enum class Beam : uint8_t
  {
    Cone = 0,
    Parallel = 1
  };

  /** How the patient lies on the couch, as in DICOM Patient Position (0018,5100). */
  enum class PatientPosition : uint8_t
  {
    HFS = 0,
    HFP = 1,
    FFS = 2,
    FFP = 3
  };
};

extern Radiography_EXPORT std::ostream &
                          operator<<(std::ostream & out, RadiographGeometryEnums::Beam value);
extern Radiography_EXPORT std::ostream &
                          operator<<(std::ostream & out, RadiographGeometryEnums::PatientPosition value);

/** \class RadiographGeometry
 * \brief One view: where the source is and where each detector pixel is, in the world.
 *
 * World is the DICOM patient coordinate system (LPS: x to the patient's left, y to posterior, z to superior), in
 * millimetres; angles are in radians. The detector is the grid of a 3-D image of one slice: origin = centre of pixel
 * (0, 0), first direction column = the way of increasing column index, second = the way of increasing row index.
 * Source-detector distance, principal point and the 3 x 4 matrix are derived from source and grid, never stored: a
 * calibrated detector in any pose fits.
 *
 * | name          | meaning                                                                    |
 * |---------------|----------------------------------------------------------------------------|
 * | source        | the point that all rays leave (cone), world, mm                            |
 * | direction     | the unit vector along which all rays run (parallel), world                 |
 * | pixel         | continuous index (column, row); integers are pixel centres, the first is 0 |
 * | principal ray | from the source, perpendicular to the detector                             |
 *
 * A detector grid whose direction has determinant -1 (a mirrored image) is legal.
 *
 * The class cannot know whether the patient really lay where the world says: the pose is the projection filter's
 * transform.
 *
 * \ingroup Radiography */
class Radiography_EXPORT RadiographGeometry : public DataObject
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(RadiographGeometry);

  using Self = RadiographGeometry;
  using Superclass = DataObject;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(RadiographGeometry);

  using Beam = RadiographGeometryEnums::Beam;
  using PatientPosition = RadiographGeometryEnums::PatientPosition;
  using PointType = Point<double, 3>;
  using VectorType = Vector<double, 3>;
  using DirectionType = Matrix<double, 3, 3>;
  using SpacingType = Vector<double, 3>;
  using SizeType = Size<3>;
  using RegionType = ImageRegion<3>;
  using PixelType = ContinuousIndex<double, 2>;
  using ProjectionMatrixType = Matrix<double, 3, 4>;
  using DetectorImageType = ImageBase<3>;

  /** The pixels of a detector: how many, and how far apart (mm between columns, between rows). */
  struct DetectorGrid
  {
    SizeValueType columns{ 0 };
    SizeValueType rows{ 0 };
    double        columnSpacing{ 1.0 };
    double        rowSpacing{ 1.0 };
  };

  /** A C-arm as DICOM X-Ray Angiography describes it (PS3.3 C.8.7.5.1.2).
   *
   * The angles place the *detector* relative to the patient: at 0/0 it is in front of the patient (anterior), primary
   * +90 degrees moves it to the patient's left (LAO), secondary +90 degrees cranially. `roll` turns the detector about
   * the principal ray, its columns' direction towards its rows' direction. The principal ray goes through the isocentre
   * and hits the middle of the detector, index ((columns - 1) / 2, (rows - 1) / 2). */
  struct CArm
  {
    double    primaryAngle{ 0.0 };
    double    secondaryAngle{ 0.0 };
    double    roll{ 0.0 };
    double    sourceIsocenterDistance{ 0.0 };
    double    sourceDetectorDistance{ 0.0 };
    PointType isocenter{};
  };

  /** A treatment machine's gantry and couch (IEC 61217), and how the patient lies on the couch. */
  struct Gantry
  {
    double          gantryAngle{ 0.0 };
    double          couchAngle{ 0.0 };
    PatientPosition patientPosition{ PatientPosition::HFS };
    double          sourceIsocenterDistance{ 0.0 };
    double          sourceDetectorDistance{ 0.0 };
    PointType       isocenter{};
  };

  /** \name Builders. Each replaces the whole view, or throws and leaves it as it was. */
  ///@{
  /** A point source, and a detector in any pose: any one-slice 3-D image, of which only the grid is read.
   * \throws ExceptionObject if the source lies in the detector's plane or the image has more than one slice. */
  void
  SetConeBeam(const PointType & worldSource, const DetectorImageType * detector);

  /** Parallel rays along `worldDirection` (any length but 0).
   * \throws ExceptionObject if the rays run within the detector's plane or the image has more than one slice. */
  void
  SetParallelBeam(const VectorType & worldDirection, const DetectorImageType * detector);

  /** \throws ExceptionObject unless 0 < source-isocentre distance, 0 < source-detector distance. */
  void
  SetCArm(const CArm & arm, const DetectorGrid & grid);

  /** \throws ExceptionObject unless 0 < source-isocentre distance, 0 < source-detector distance. */
  void
  SetGantry(const Gantry & gantry, const DetectorGrid & grid);

  /** A 3 x 4 matrix that maps (x, y, z, 1) in mm to (column, row, 1) times a factor > 0 in front of the source.
   *
   * Its scale is free, a mirrored detector is found from its sign. The grid's spacing fixes the source-detector
   * distance. Hartley and Zisserman, Multiple View Geometry, 2nd edition, section 6.2.4.
   * \throws ExceptionObject if the matrix is singular, skewed by more than 1e-6, or if its two focal lengths disagree
   * with the two spacings by more than 1e-6 of the distance. */
  void
  SetProjectionMatrix(const ProjectionMatrixType & pixelFromWorld, const DetectorGrid & grid);
  ///@}

  itkGetConstMacro(Beam, Beam);

  /** Cone beam only. \throws ExceptionObject for a parallel beam, which has no source. */
  PointType
  GetSource() const;

  /** Unit vector. Parallel beam only. \throws ExceptionObject for a cone beam. */
  VectorType
  GetBeamDirection() const;

  itkGetConstReferenceMacro(DetectorOrigin, PointType);
  itkGetConstReferenceMacro(DetectorSpacing, SpacingType);
  itkGetConstReferenceMacro(DetectorDirection, DirectionType);
  /** Columns, rows, 1. */
  itkGetConstReferenceMacro(DetectorSize, SizeType);

  VectorType
  GetColumnDirection() const;
  VectorType
  GetRowDirection() const;

  /** Centre of a pixel, world, mm. */
  PointType
  GetPixelCenter(double column, double row) const;

  /** Where the ray of a pixel starts. For a parallel beam: `GetPixelCenter` moved back along the beam by
   * `parallelLength` mm. */
  PointType
  GetRayStart(double column, double row, double parallelLength = 1.0) const;

  /** Where the ray through a world point meets the detector's plane.
   * \return false if it never does (the point is level with the source or behind it); `pixel` is then unchanged. */
  bool
  ProjectPoint(const PointType & world, PixelType & pixel) const;

  /** Distance from source to detector plane, mm. Cone beam only. */
  double
  GetSourceDetectorDistance() const;

  /** Where the principal ray hits the detector. Cone beam only. */
  PixelType
  GetPrincipalPoint() const;

  /** World mm to pixel, third component = distance from the source along the principal ray (cone), 1 (parallel). */
  ProjectionMatrixType
  GetProjectionMatrix() const;

  /** Which side the image is seen from. A reader whose right is the columns' way and whose down is the rows' way looks
   * along columns x rows. True if that points away from the source (a beam's eye view), false if it points to it (the
   * reader faces the patient who faces the detector, as in DICOM XA). */
  bool
  IsSeenFromSource() const;

  /** An image without pixels that has the detector's grid. */
  DetectorImageType::Pointer
  MakeDetectorImage() const;

  void
  Graft(const DataObject * data) override;

protected:
  RadiographGeometry();
  ~RadiographGeometry() override;
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

private:
  void
  SetDetector(const DetectorImageType * detector);
  VectorType
  GetPlaneNormal() const;

  Beam          m_Beam{ Beam::Cone };
  PointType     m_Source{};
  VectorType    m_BeamDirection{};
  PointType     m_DetectorOrigin{};
  SpacingType   m_DetectorSpacing{};
  DirectionType m_DetectorDirection{};
  SizeType      m_DetectorSize{};
};

} // namespace itk

#endif
