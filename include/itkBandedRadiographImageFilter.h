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
#ifndef itkBandedRadiographImageFilter_h
#define itkBandedRadiographImageFilter_h

#include "RadiographyExport.h"
#include "itkDigitallyReconstructedRadiographImageFilter.h"
#include "itkRadiographyMacros.h"

namespace radiography::compute
{
class BandProjection;
}

namespace itk
{

/** \class BandedRadiographImageFilter
 * \brief The radiograph of a volume that need not fit into memory: slice band after slice band, within a budget.
 *
 * Takes the same inputs as DigitallyReconstructedRadiographImageFilter and gives the same optical depths, but asks its
 * input for bands of whole slices one after the other, as StreamingImageFilter does. A source that streams (an
 * ImageFileReader of an uncompressed MetaImage file, with pixelwise filters behind it) then never holds more than a
 * band; one that cannot delivers the whole volume each time, with the same result and no memory saved. The CT must come
 * as an image (SetInput): a ProjectionVolume, which is in memory as a whole, is refused.
 *
 * Each voxel's part of the field belongs to one band, so that the depths of the bands add up. All choices (projector,
 * main axis, rays with an end inside) are made for the whole volume. The result differs from that of the whole volume
 * by rounding only: by 3e-7 of the depth where rays are integrated in binary64, by 4e-6 where Joseph's packets in
 * binary32 run (grazing rays: of the largest mu times 1 mm). It has the same bits for any number of threads and any
 * requested region; the budget is part of what decides them.
 *
 * Whether values are mu in 1/mm is seen when their band comes; nothing is written before all have come.
 *
 * \throws ExceptionObject as DigitallyReconstructedRadiographImageFilter does, for a ProjectionVolume, and for a budget
 * too small for a single slice (it says how much is needed).
 *
 * \ingroup Radiography */
class Radiography_EXPORT BandedRadiographImageFilter : public DigitallyReconstructedRadiographImageFilter
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(BandedRadiographImageFilter);

  using Self = BandedRadiographImageFilter;
  using Superclass = DigitallyReconstructedRadiographImageFilter;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(BandedRadiographImageFilter);

  /** Bytes that may be in use at the same time; 1 GiB by default. Counted are the band of the input (4 bytes a voxel),
   * its copy in another memory order where the view is along the volume's first axis and Joseph's packets run (4 more),
   * and the depths of the whole detector with their sums (16 bytes a pixel). Not counted is what filters before this
   * one hold for themselves: with ReleaseDataFlagOn() it is theirs for as long as they work. */
  itkSetMacro(MemoryBudget, SizeValueType);
  itkGetConstMacro(MemoryBudget, SizeValueType);

  /** Into how many bands the input's slices are cut: known after UpdateOutputInformation().
   * \throws ExceptionObject if the budget is too small for a single slice. */
  SizeValueType
  ComputeNumberOfBands() const;

protected:
  BandedRadiographImageFilter();
  ~BandedRadiographImageFilter() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  VerifyPreconditions() ITKv5_CONST override;
  void
  GenerateInputRequestedRegion() override;
  void
  GenerateData() override;

private:
  SizeValueType
  ComputeSlicesOfBand() const;
  ImageRegion<3>
  GetBandRegion(SizeValueType band) const;
  void
  FetchBand(SizeValueType band);
  void
  AddBand(radiography::compute::BandProjection & projection, SizeValueType band);

  SizeValueType m_MemoryBudget{ SizeValueType{ 1 } << 30 };
};

} // namespace itk

#endif
