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

namespace itk
{

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

protected:
  ProjectionVolume();
  ~ProjectionVolume() override;
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

private:
  ImageType::ConstPointer m_Image;
};

} // namespace itk

#endif
