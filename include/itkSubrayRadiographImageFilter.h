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
#ifndef itkSubrayRadiographImageFilter_h
#define itkSubrayRadiographImageFilter_h

#include "itkDigitallyReconstructedRadiographImageFilter.h"

#include "itkFixedArray.h"

namespace itk
{

/** \class SubrayRadiographImageFilter
 * \brief A radiograph with pixels and a focal spot of finite size, as effective optical depth -ln T per pixel.
 *
 * Inputs and output are those of DigitallyReconstructedRadiographImageFilter, which projects the rays. A pixel sees the
 * mean *transmission*, never the mean depth, of N x N sub-rays that end in the middles of equal parts of its area, from
 * each of M x M source points in the middles of equal parts of the focal spot: the midpoint rule, all with equal
 * weights. The focal spot is a uniform rectangle about the view's source, parallel to the detector; a side of size 0
 * takes one source point. Feed the result to TransmissionImageFilter.
 *
 * An edge at distance D1 from the source, with the detector at D2, has a penumbra of f (D2 - D1) / D1 on the detector
 * for a focal spot of size f (similar triangles). That the open beam differs between source points, by about (f / D2)
 * squared, is neglected.
 *
 * Source points are projected one after another: memory is that of one view of sub-rays (the requested pixels times N x
 * N) and 32 bytes per requested pixel. Averages are formed in binary64 from the projector's depths and rounded once;
 * the same bits for any number of threads and any requested region. With N = 1 and a point source, bit for bit what
 * DigitallyReconstructedRadiographImageFilter gives.
 *
 * GetComputeReport() tells of the first source point; raysWithEndInside and notUsed are those of all.
 *
 * \throws ExceptionObject before anything is written: what DigitallyReconstructedRadiographImageFilter refuses, numbers
 * out of range, a focal spot with a parallel beam.
 *
 * \sa SubrayAverageImageFilter
 * \ingroup Radiography */
class Radiography_EXPORT SubrayRadiographImageFilter : public DigitallyReconstructedRadiographImageFilter
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(SubrayRadiographImageFilter);

  using Self = SubrayRadiographImageFilter;
  using Superclass = DigitallyReconstructedRadiographImageFilter;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(SubrayRadiographImageFilter);

  /** Width along the detector's columns' direction, height along its rows', mm. */
  using FocalSpotSizeType = FixedArray<double, 2>;

  /** N, sub-rays along each side of a pixel; 1 by default. */
  itkSetMacro(SubraysPerSide, unsigned int);
  itkGetConstMacro(SubraysPerSide, unsigned int);

  /** 0 x 0 by default: a point source. */
  itkSetMacro(FocalSpotSize, FocalSpotSizeType);
  itkGetConstReferenceMacro(FocalSpotSize, FocalSpotSizeType);

  /** M, source points along each side of the focal spot; 4 by default. */
  itkSetMacro(FocalSpotSamples, unsigned int);
  itkGetConstMacro(FocalSpotSamples, unsigned int);

protected:
  SubrayRadiographImageFilter();
  ~SubrayRadiographImageFilter() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  GenerateData() override;

private:
  ImageType::Pointer
  ProjectSubrays(const RadiographGeometry &    view,
                 const ProjectionVolume &      volume,
                 const OutputImageRegionType & subrays,
                 float                         progressWeight);
  void
  AddToReport(const ComputeReport & view);

  unsigned int      m_SubraysPerSide{ 1 };
  FocalSpotSizeType m_FocalSpotSize{};
  unsigned int      m_FocalSpotSamples{ 4 };
};

} // namespace itk

#endif
