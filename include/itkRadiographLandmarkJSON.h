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
#ifndef itkRadiographLandmarkJSON_h
#define itkRadiographLandmarkJSON_h

#include "RadiographyExport.h"
#include "itkContinuousIndex.h"
#include "itkPoint.h"
#include "itkRadiographyMacros.h"

#include <string>
#include <vector>

namespace itk
{

/** \class RadiographLandmarkJSON
 * \brief Reads landmarks: points of a CT from 3D Slicer's markups, and the pixels that show them.
 *
 * **Points of the CT**, `.mrk.json` as 3D Slicer writes it: the control points of all markups of type Fiducial, by
 * their labels, in mm. The coordinate system that the file names, LPS or RAS, is honoured; points come in LPS. Control
 * points without a place (positionStatus other than "defined") are passed over.
 *
 * **Pixels**, one list for each image, in the order of the images:
 *
 *     {"radiography_landmarks_2d": 1,
 *      "images": [{"landmarks": [{"label": "F-1", "pixel": [120.5, 88]}, {"label": "F-2", "pixel": [64, 30.25]}]},
 *                 {"landmarks": []}]}
 *
 * "pixel" is the continuous index [column, row]: integers are pixel centres, the first pixel is [0, 0]. Labels are
 * those of the points of the CT. Keys that are not known are errors.
 *
 * Numbers are read independently of the locale. All functions throw itk::ExceptionObject naming the file, the key or
 * label, and what was expected; labels that occur twice in a file or image are refused.
 *
 * \sa RadiographLandmarkPoseEstimator
 * \ingroup Radiography */
class Radiography_EXPORT RadiographLandmarkJSON
{
public:
  /** A point of the CT, LPS, mm. */
  struct CTLandmark
  {
    std::string      label;
    Point<double, 3> point{};
  };

  /** Where an image shows it: column, row. */
  struct ImageLandmark
  {
    std::string                label;
    ContinuousIndex<double, 2> pixel{};
  };

  using CTLandmarks = std::vector<CTLandmark>;
  using ImageLandmarks = std::vector<ImageLandmark>;

  /** The text of a `.mrk.json` file. */
  static CTLandmarks
  ParseMarkups(const std::string & text);

  static CTLandmarks
  ReadMarkups(const std::string & path);

  /** One list for each image. */
  static std::vector<ImageLandmarks>
  ParsePixels(const std::string & text);

  static std::vector<ImageLandmarks>
  ReadPixels(const std::string & path);
};

} // namespace itk

#endif
