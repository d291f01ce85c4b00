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
#ifndef itkProjectionVolume_h
#define itkProjectionVolume_h

#include "RadiographyExport.h"
#include "itkRadiographyMacros.h"

#include "itkDataObject.h"
#include "itkImage.h"
#include "itkObjectFactory.h"

#include <memory>
#include <mutex>

namespace itk
{

class MultiThreaderBase;

/** \class ProjectionVolume
 * \brief A volume of linear attenuation coefficients, checked and laid out for the projectors.
 *
 * Built once from an image and then shared by all views and filters; it owns whatever copies the projectors want in
 * other memory orders. It holds the image and must not outlive changes to its pixels: an image that is modified needs a
 * new ProjectionVolume (a filter that is given an image sees to that itself).
 *
 * The field between the voxels: values sit at voxel centres, trilinear between them, falling linearly to zero one voxel
 * outside, so that a uniform block integrates to its mass.
 *
 * \ingroup Radiography */
class Radiography_EXPORT ProjectionVolume : public DataObject
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(ProjectionVolume);

  using Self = ProjectionVolume;
  using Superclass = DataObject;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(ProjectionVolume);

  using ImageType = Image<float, 3>;

  /** Values that no tissue, bone or metal at diagnostic or portal energies has, 1/mm. */
  static constexpr double LargestAttenuation = 10.0;

  /** \param image mu in 1/mm, any origin, spacing, direction and index start; wholly in memory.
   * \throws ExceptionObject if a value is not finite, below 0 or above LargestAttenuation (it names the first such
   * voxel and says what the image looks like, for instance Hounsfield units), or if the image is empty. */
  void
  SetImage(const ImageType * image);

  const ImageType *
  GetImage() const
  {
    return m_Image;
  }

  /** The voxels a second time, in memory order y, x, z: fast projection along x needs y contiguous. Made by the first
   * view along x, by the threads given, and kept until ReleaseTransposedCopy(), SetImage() or the end of this object; 4
   * bytes per voxel. May be called by several filters at the same time.
   * \throws ExceptionObject if there is no image, or no memory for the copy; it says what to do. */
  std::shared_ptr<const float>
  GetTransposedCopy(MultiThreaderBase & multiThreader) const;

  /** What GetTransposedCopy() holds at present: 0 or 4 bytes per voxel. */
  SizeValueType
  GetTransposedCopyBytes() const;

  /** Gives the memory back; a projection that is running keeps it until its end. */
  void
  ReleaseTransposedCopy();

protected:
  ProjectionVolume();
  ~ProjectionVolume() override;
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

private:
  ImageType::ConstPointer m_Image;
  // Made behind the back of filters that only read: the lock is for them.
  mutable std::mutex                   m_TransposedCopyLock;
  mutable std::shared_ptr<const float> m_TransposedCopy;
};

} // namespace itk

#endif
