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
#ifndef PhantomShapes_h
#define PhantomShapes_h

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace radiography::program
{

using Point3 = std::array<double, 3>;

/** A box in mm, both ends included. */
struct Bounds
{
  Point3 low;
  Point3 high;
};

/** A part of a solid: where it may be, and how far outside a point is (mm, negative inside; near the surface it is the
 * distance to first order, which is all that anti-aliasing needs). */
struct Piece
{
  Bounds                                bounds;
  std::function<double(const Point3 &)> distance;
};

/** A piece of anatomy of one material: the union of its pieces. */
struct Solid
{
  std::string        name;
  std::string        material;
  std::vector<Piece> pieces;
};

/** \name Shapes, LPS mm */
///@{
/** An ellipsoid, turned about the z axis by `turn` radians. */
Piece
Ellipsoid(const Point3 & center, const Point3 & radii, double turn = 0.0);

/** A capsule from `from` to `to` whose radius goes from `fromRadius` to `toRadius`; `flatness` < 1 makes it taller
 * along z than it is thick, as ribs are. */
Piece
Capsule(const Point3 & from, const Point3 & to, double fromRadius, double toRadius, double flatness = 1.0);

/** Capsules from point to point. */
std::vector<Piece>
Tube(const std::vector<Point3> & path, double radius, double flatness = 1.0);

/** An upright elliptic cylinder with the two half-axes and the height. */
Piece
Cylinder(const Point3 & center, double halfWidth, double halfDepth, double height);

/** Upright, with an elliptic outline whose half-axes change with z. */
struct Outline
{
  double z;
  double halfWidth;
  double halfDepth;
};
/** The half-axes at a height, by monotone interpolation between the given ones, which are ordered by z. */
Outline
InterpolateOutline(const std::vector<Outline> & outlines, double z);

/** How far a point is outside of an ellipse about (0, centerY), to first order. */
double
DistanceToEllipse(double x, double y, double halfWidth, double halfDepth);
///@}

} // namespace radiography::program

#endif
