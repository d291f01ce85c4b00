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
#include "itkFirstDerivativeOnly.h"

#include "Refusal.h"
#include "itkImage.h"
#include "itkImageToImageFilter.h"

using namespace testimages;

namespace
{

using ImageType = itk::Image<float, 3>;

/** Copies nothing; only its place in a pipeline matters. */
class PlainFilter : public itk::ImageToImageFilter<ImageType, ImageType>
{
public:
  using Self = PlainFilter;
  using Pointer = itk::SmartPointer<Self>;
  itkNewMacro(Self);

protected:
  void
  GenerateData() override
  {
    this->AllocateOutputs();
  }
};

class DerivativeFilter
  : public PlainFilter
  , public itk::FirstDerivativeOnly
{
public:
  using Self = DerivativeFilter;
  using Pointer = itk::SmartPointer<Self>;
  itkNewMacro(Self);

  static void
  Check(const itk::DataObject * input)
  {
    RefuseSecondDerivative(input, "The depth image", "DerivativeFilter");
  }
};

} // namespace

TEST(FirstDerivativeOnly, ADerivativeAsPrimalInputIsRefusedThroughOtherFilters)
{
  const auto derivative = DerivativeFilter::New();
  const auto plain = PlainFilter::New();
  plain->SetInput(derivative->GetOutput());
  for (const itk::DataObject * const input :
       { static_cast<itk::DataObject *>(derivative->GetOutput()), static_cast<itk::DataObject *>(plain->GetOutput()) })
  {
    const std::string text = Refusal([&]() { DerivativeFilter::Check(input); });
    EXPECT_NE(text.find("The depth image"), std::string::npos) << text;
    EXPECT_NE(text.find("first derivatives only"), std::string::npos) << text;
    EXPECT_NE(text.find("DisconnectPipeline"), std::string::npos) << text;
  }
}

TEST(FirstDerivativeOnly, ConstantsAndOtherFiltersPass)
{
  DerivativeFilter::Check(nullptr);
  DerivativeFilter::Check(ImageType::New());
  const auto plain = PlainFilter::New();
  const auto source = PlainFilter::New();
  plain->SetInput(source->GetOutput());
  DerivativeFilter::Check(plain->GetOutput());

  const auto               derivative = DerivativeFilter::New();
  const ImageType::Pointer constant = derivative->GetOutput();
  constant->DisconnectPipeline();
  plain->SetInput(constant);
  DerivativeFilter::Check(plain->GetOutput());
}

TEST(FirstDerivativeOnly, TheLimitCanBeAskedFor)
{
  const itk::ProcessObject::Pointer object = DerivativeFilter::New().GetPointer();
  ASSERT_NE(dynamic_cast<itk::FirstDerivativeOnly *>(object.GetPointer()), nullptr);
  EXPECT_EQ(itk::FirstDerivativeOnly::HighestDerivativeOrder, 1u);
}
