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
#ifndef itkRadiographPyramid_h
#define itkRadiographPyramid_h

#include "RadiographyExport.h"
#include "itkRadiographGeometry.h"
#include "itkRadiographyMacros.h"

#include "itkImage.h"
#include "itkMultiThreaderBase.h"
#include "itkObject.h"

namespace itk
{

/** \class RadiographPyramid
 * \brief One level of a pyramid of radiographs, their geometry, and a CT.
 *
 * Square blocks of ImageBlock x ImageBlock pixels, counted from the first pixel of an image, become one:
 *
 * | what                                 | method            | a block becomes                                        |
 * |--------------------------------------|-------------------|--------------------------------------------------------|
 * | counts, open-beam counts, scatter    | SumCounts()       | its sum: counts with Poisson statistics again          |
 * | any other image, optical depths too  | AverageImage()    | its mean                                               |
 * | mask (0: do not look)                | ReduceMask()      | 1 where no pixel of it is 0                            |
 * | source and detector                  | ReduceGeometry()  | a pixel whose centre is the middle of the block        |
 * | mu in 1/mm, blocks of VolumeBlock    | AverageVolume()   | its mean, at the middle of the block                   |
 *
 * An open beam given as one number n0 becomes n0 x ImageBlock^2.
 *
 * Images whose size is no multiple of ImageBlock lose the columns and rows at their end that fill no block
 * (CountDroppedPixels()): a pixel that counts fewer photons would not be like the others. A volume loses nothing: its
 * last blocks are filled up with 0, the value outside a CT, so that the sum of mu times the volume of a voxel, the
 * mass, is the same.
 *
 * A ray through the middle of a block does not see the mean of the block's transmissions: to second order, the sum of
 * n0 exp(-L) over a block is that of its middle ray times 1 + Var(L) / 2 for depths that vary linearly over the block.
 * Edges that a coarse level blurs move its optimum: end on a fine one.
 *
 * All sums are made in binary64 in raster order and rounded once: same bits for any number of threads.
 *
 * \throws ExceptionObject before anything is allocated: no image, an image not wholly in memory, a radiograph with more
 * than one slice, blocks of size 0 or larger than the image.
 *
 * \ingroup Radiography */
class Radiography_EXPORT RadiographPyramid : public Object
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(RadiographPyramid);

  using Self = RadiographPyramid;
  using Superclass = Object;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(RadiographPyramid);

  using ImageType = Image<float, 3>;
  using MaskImageType = Image<unsigned char, 3>;

  /** Pixels along each side of a block of a radiograph; 1 by default. */
  itkSetMacro(ImageBlock, unsigned int);
  itkGetConstMacro(ImageBlock, unsigned int);

  /** Voxels along each axis of a block of the CT; 1, 1, 1 by default. */
  itkSetMacro(VolumeBlock, Size<3>);
  itkGetConstReferenceMacro(VolumeBlock, Size<3>);

  /** The threads that do the work: set their number there, as in a ProcessObject. */
  MultiThreaderBase *
  GetMultiThreader() const
  {
    return m_MultiThreader;
  }

  /** \name One level each. The results' first index is 0. */
  ///@{
  ImageType::Pointer
  SumCounts(const ImageType * counts) const;
  ImageType::Pointer
  AverageImage(const ImageType * image) const;
  MaskImageType::Pointer
  ReduceMask(const MaskImageType * mask) const;
  RadiographGeometry::Pointer
  ReduceGeometry(const RadiographGeometry * geometry) const;
  ImageType::Pointer
  AverageVolume(const ImageType * volume) const;
  ///@}

  /** Columns and rows at the end of an image of this size that fill no block. */
  Size<2>
  CountDroppedPixels(const Size<3> & imageSize) const;

protected:
  RadiographPyramid();
  ~RadiographPyramid() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;

private:
  Size<3>
  GetImageBlockSize() const;
  void
  RefuseNotInMemory(const ImageBase<3> * image, const char * name) const;
  void
  RefuseRadiograph(const ImageBase<3> * image, const char * name) const;
  void
  RefuseBlocks(const Size<3> & size, const Size<3> & block, const char * name) const;

  unsigned int               m_ImageBlock{ 1 };
  Size<3>                    m_VolumeBlock{ { 1, 1, 1 } };
  MultiThreaderBase::Pointer m_MultiThreader;
};

} // namespace itk

#endif
