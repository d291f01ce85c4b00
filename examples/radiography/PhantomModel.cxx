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
#include "PhantomModel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace radiography::program
{
namespace
{

constexpr double Pi = 3.141592653589793;
constexpr double Top = PhantomModel::FieldOfView / 2;

/** The body, from upper abdomen to neck. */
const std::vector<Outline> BodyOutlines{ { -Top, 146, 104 }, { -110, 150, 107 }, { -20, 160, 114 },
                                         { 60, 170, 114 },   { 112, 172, 104 },  { 140, 150, 88 },
                                         { 158, 104, 74 },   { 172, 68, 64 },    { Top, 60, 62 } };

/** The inside of the rib cage. */
const std::vector<Outline> CageOutlines{ { -Top, 126, 80 }, { -120, 130, 84 }, { -40, 134, 88 }, { 20, 128, 86 },
                                         { 70, 110, 78 },   { 105, 84, 62 },   { 130, 56, 42 },  { 150, 36, 28 } };

/** Spine and cage are not concentric with the body: the spine needs room behind. */
constexpr double CageCenterY = -8.0;
constexpr double SpineY = 58.0;

/** Kyphosis of the chest; the neck leans forward. */
double
SpineCenterY(double z)
{
  const double neck = std::clamp((z - 95.0) / 85.0, 0.0, 1.0);
  return SpineY + 8.0 * std::cos(z / 150.0) - 6.0 - 44.0 * neck * neck * (3.0 - 2.0 * neck);
}

/** Uniform numbers that are the same with every standard library: its distributions are not. */
class Random
{
public:
  explicit Random(std::uint64_t seed)
    : m_Engine(seed)
  {}
  double
  Between(double low, double high)
  {
    return low + (high - low) * (static_cast<double>(m_Engine() >> 11) * 0x1p-53);
  }

private:
  std::mt19937_64 m_Engine;
};

double
DistanceOutsideOutlines(const std::vector<Outline> & outlines, const Point3 & p, double centerY, double inset)
{
  const auto outline = InterpolateOutline(outlines, p[2]);
  return DistanceToEllipse(p[0], p[1] - centerY, outline.halfWidth - inset, outline.halfDepth - inset);
}

} // namespace

/** Puts the anatomy together, outermost first. */
class PhantomModel::Builder
{
public:
  Builder(PhantomModel & model, std::uint64_t seed)
    : m_Model(model)
    , m_Random(seed)
  {}

  void
  Build()
  {
    AddMaterials();
    AddTrunk();
    AddLungs();
    AddMediastinum();
    AddAbdomen();
    AddVessels();
    AddAirways();
    AddSpine();
    AddRibs();
    AddShoulders();
    AddNodules();
  }

private:
  void
  AddMaterials()
  {
    m_Model.m_Materials = { { "air", AirHounsfield }, { "lung", -860.0 },        { "fat", -95.0 },
                            { "muscle", 48.0 },       { "blood", 45.0 },         { "liver", 62.0 },
                            { "gas", -970.0 },        { "vessel", 40.0 },        { "disc", 85.0 },
                            { "cartilage", 130.0 },   { "spongy bone", 150.0 },  { "cortical bone", 480.0 },
                            { "rib", 900.0 },         { "calcification", 900.0 } };
  }

  void
  Add(const std::string & name, const std::string & material, std::vector<Piece> pieces)
  {
    m_Model.m_Solids.push_back({ name, material, std::move(pieces) });
  }

  static Bounds
  CageBounds()
  {
    return { { -140, -110, -Top - 10 }, { 140, 100, 150 } };
  }

  void
  AddTrunk()
  {
    const Bounds everywhere{ { -Top, -Top, -Top - 10 }, { Top, Top, Top + 10 } };
    const auto   trunk = [](double inset) {
      return [inset](const Point3 & p) { return DistanceOutsideOutlines(BodyOutlines, p, 0.0, inset); };
    };
    Add("skin and fat", "fat", { { everywhere, trunk(0.0) } });
    Add("muscle", "muscle", { { everywhere, trunk(11.0) } });
  }

  /** The height of the diaphragm's dome above a point; it falls towards the ribs. */
  struct Dome
  {
    double x;
    double y;
    double top;
    double
    Height(double px, double py) const
    {
      const double dx = (px - x) / 72.0;
      const double dy = (py - y) / 84.0;
      return top - 56.0 * std::pow(dx * dx + dy * dy, 1.35);
    }
  };

  void
  AddLungs()
  {
    // The right dome stands higher: the liver is below it.
    const double breath = m_Random.Between(-4.0, 4.0);
    const Dome   right{ -62.0, -14.0, -62.0 + breath };
    const Dome   left{ 68.0, -10.0, -80.0 + breath };
    AddLung("right lung", -1.0, right);
    AddLung("left lung", 1.0, left);
  }

  void
  AddLung(const std::string & name, double side, const Dome & dome)
  {
    const auto distance = [side, dome](const Point3 & p) {
      const double insideRibs = DistanceOutsideOutlines(CageOutlines, p, CageCenterY, 7.0);
      const double besideMiddle = 13.0 - side * p[0];
      const double aboveDome = 0.8 * (dome.Height(p[0], p[1]) - p[2]);
      return std::max({ insideRibs, besideMiddle, aboveDome, p[2] - 136.0 });
    };
    Add(name, "lung", { { CageBounds(), distance } });
  }

  void
  AddMediastinum()
  {
    Add("mediastinum",
        "muscle",
        { Ellipsoid({ 2, 8, 40 }, { 25, 66, 128 }), Ellipsoid({ 2, 30, -60 }, { 26, 44, 120 }) });
    const double shift = m_Random.Between(-3.0, 3.0);
    Add("heart",
        "blood",
        { Ellipsoid({ 34 + shift, -34, -42 }, { 56, 42, 45 }, -0.45), Ellipsoid({ -12, -24, -26 }, { 38, 38, 44 }) });
    // Ascending aorta, arch (the knob on the left), descending aorta before and left of the spine.
    const std::vector<Point3> aorta{ { -8, -22, 5 }, { -14, -20, 45 }, { -8, -12, 72 }, { 6, 0, 84 },    { 20, 14, 82 },
                                     { 30, 30, 66 }, { 31, 40, 30 },   { 27, 42, -60 }, { 14, 40, -Top } };
    Add("aorta", "blood", Tube(aorta, 14.0));
    Add("superior vena cava", "blood", Tube({ { -24, -14, 20 }, { -24, -12, 100 } }, 9.0));
    Add("pulmonary arteries",
        "blood",
        Tube({ { -44, 6, 24 }, { -18, -4, 30 }, { 12, -10, 36 }, { 34, 2, 42 }, { 46, 10, 34 } }, 9.5));
  }

  void
  AddAbdomen()
  {
    Add("liver", "liver", { Ellipsoid({ -58, -14, -142 }, { 72, 68, 70 }) });
    Add("spleen", "liver", { Ellipsoid({ 92, 36, -140 }, { 30, 32, 46 }) });
    const double x = 56.0 + m_Random.Between(-4.0, 4.0);
    Add("stomach", "muscle", { Ellipsoid({ x, -20, -136 }, { 46, 40, 48 }) });
    Add("stomach bubble", "gas", { Ellipsoid({ x + 2, -26, -118 }, { 30, 26, 19 }) });
  }

  /** A tree of vessels on each side, from the hilum outwards: it gives lungs their look. */
  void
  AddVessels()
  {
    for (const double side : { -1.0, 1.0 })
    {
      std::vector<Piece> tree;
      for (int i = 0; i < 34; ++i)
      {
        AddBranch(tree, { side * 44.0, 10.0, 26.0 }, RandomPointInLung(side), 3.2, 2);
      }
      Add(side < 0 ? "right lung vessels" : "left lung vessels", "vessel", std::move(tree));
    }
  }

  Point3
  RandomPointInLung(double side)
  {
    const double z = m_Random.Between(-95.0, 112.0);
    const auto   outline = InterpolateOutline(CageOutlines, z);
    const double angle = m_Random.Between(-0.44 * Pi, 0.44 * Pi);
    const double reach = m_Random.Between(0.5, 0.9);
    const double x = side * std::max(18.0, reach * (outline.halfWidth - 9.0) * std::cos(angle));
    return { x, CageCenterY + reach * (outline.halfDepth - 9.0) * std::sin(angle), z };
  }

  void
  AddBranch(std::vector<Piece> & tree, const Point3 & from, const Point3 & to, double radius, int generations)
  {
    Point3 middle;
    for (std::size_t i = 0; i < 3; ++i)
    {
      middle[i] = 0.5 * (from[i] + to[i]) + m_Random.Between(-6.0, 6.0);
    }
    tree.push_back(Capsule(from, middle, radius, 0.65 * radius));
    tree.push_back(Capsule(middle, to, 0.65 * radius, 0.25 * radius));
    if (generations > 0)
    {
      Point3 aside;
      for (std::size_t i = 0; i < 3; ++i)
      {
        aside[i] = to[i] + m_Random.Between(-22.0, 22.0);
      }
      if (InLung(aside))
      {
        AddBranch(tree, middle, aside, 0.6 * radius, generations - 1);
      }
    }
  }

  static bool
  InLung(const Point3 & p)
  {
    return DistanceOutsideOutlines(CageOutlines, p, CageCenterY, 10.0) < 0.0 && std::abs(p[0]) > 16.0;
  }

  void
  AddAirways()
  {
    std::vector<Piece> pieces = Tube({ { 0, 12, Top }, { -1, 16, 110 }, { -2, 20, 62 } }, 8.5);
    for (const auto & bronchus : { Tube({ { -2, 20, 62 }, { -30, 16, 38 }, { -52, 18, 22 } }, 6.0),
                                   Tube({ { -2, 20, 62 }, { 22, 18, 44 }, { 50, 20, 28 } }, 5.5) })
    {
      pieces.insert(pieces.end(), bronchus.begin(), bronchus.end());
    }
    Add("airways", "air", std::move(pieces));
  }

  void
  AddSpine()
  {
    std::vector<Piece> discs;
    std::vector<Piece> shells;
    std::vector<Piece> cores;
    std::vector<Piece> arches;
    for (int level = -8; level <= 8; ++level)
    {
      AddVertebra(level * 25.0, discs, shells, cores, arches);
    }
    Add("intervertebral discs", "disc", std::move(discs));
    Add("vertebral arches", "cortical bone", std::move(arches));
    Add("vertebral bodies, shell", "cortical bone", std::move(shells));
    Add("vertebral bodies, core", "spongy bone", std::move(cores));
  }

  static void
  AddVertebra(double               z,
              std::vector<Piece> & discs,
              std::vector<Piece> & shells,
              std::vector<Piece> & cores,
              std::vector<Piece> & arches)
  {
    const double y = SpineCenterY(z);
    const double halfWidth = 16.0 - 0.015 * z; // larger towards the loins
    const double halfDepth = 0.85 * halfWidth;
    discs.push_back(Cylinder({ 0, y, z + 12.5 }, halfWidth - 1.5, halfDepth - 1.5, 6.0));
    shells.push_back(Cylinder({ 0, y, z }, halfWidth, halfDepth, 19.0));
    cores.push_back(Cylinder({ 0, y, z }, halfWidth - 1.8, halfDepth - 1.8, 15.8));

    const double back = y + halfDepth;
    for (const double side : { -1.0, 1.0 })
    {
      arches.push_back(Capsule({ side * 10, back - 2, z + 4 }, { side * 11, back + 10, z + 3 }, 4.0, 4.0)); // pedicle
      arches.push_back(Capsule({ side * 11, back + 10, z + 3 }, { side * 2, back + 17, z - 3 }, 3.2, 3.2)); // lamina
      arches.push_back(Capsule({ side * 11, back + 10, z + 3 }, { side * 30, back + 13, z + 6 }, 3.6, 3.0));
    }
    arches.push_back(Capsule({ 0, back + 17, z - 3 }, { 0, back + 27, z - 17 }, 3.2, 3.0, 0.8)); // spinous process
  }

  /** From beside a vertebra backwards, round the cage, and down to the front. */
  static std::vector<Point3>
  RibPath(double side, double headZ, double drop, double endAngle)
  {
    std::vector<Point3> path;
    constexpr int       steps = 28;
    for (int i = 0; i <= steps; ++i)
    {
      const double angle = 0.17 * Pi + (endAngle - 0.17 * Pi) * i / steps;
      const double z = headZ - drop * std::pow((1.0 - std::cos(angle)) / 2.0, 0.85);
      const auto   cage = InterpolateOutline(CageOutlines, z);
      path.push_back({ side * cage.halfWidth * std::sin(angle), CageCenterY + cage.halfDepth * std::cos(angle), z });
    }
    path.insert(path.begin(), { side * 18.0, SpineCenterY(headZ) + 8.0, headZ + 2.0 });
    return path;
  }

  void
  AddRibs()
  {
    for (const double side : { -1.0, 1.0 })
    {
      std::vector<Piece> bones;
      std::vector<Piece> cartilages;
      for (int rib = 1; rib <= 11; ++rib)
      {
        // The last ribs are short and end in the flesh.
        const double endAngle = (rib <= 7 ? 0.80 : 0.80 - 0.09 * (rib - 7)) * Pi;
        const double headZ = 162.5 - 25.0 * rib + 12.0;
        const double drop = rib == 1 ? 38.0 : 46.0 + 6.5 * std::min(rib, 8);
        const auto   path = RibPath(side, headZ, drop, endAngle);
        const auto   bone = Tube(path, rib == 1 ? 4.0 : 4.6, 0.62);
        bones.insert(bones.end(), bone.begin(), bone.end());
        if (rib <= 7)
        {
          const auto & tip = path.back();
          const Point3 sternum{ side * 14.0, -94.0, std::min(104.0, tip[2] + 4.0 * (rib - 1)) };
          cartilages.push_back(Capsule(tip, sternum, 4.0, 4.0, 0.7));
        }
      }
      const std::string which = side < 0 ? "right" : "left";
      Add(which + " costal cartilages", "cartilage", std::move(cartilages));
      Add(which + " ribs", "rib", std::move(bones));
    }
    Add(
      "sternum", "spongy bone", { Ellipsoid({ 0, -88, 96 }, { 23, 7, 22 }), Ellipsoid({ 0, -97, 28 }, { 15, 6, 62 }) });
  }

  void
  AddShoulders()
  {
    for (const double side : { -1.0, 1.0 })
    {
      const std::string which = side < 0 ? "right" : "left";
      Add(which + " clavicle",
          "rib",
          Tube({ { side * 16, -74, 112 }, { side * 48, -74, 118 }, { side * 84, -50, 128 }, { side * 112, -26, 130 } },
               5.5));
      std::vector<Piece> blade{ Ellipsoid({ side * 108, 62, 62 }, { 34, 4, 58 }, side * -0.62) };
      const auto         spine = Tube({ { side * 84, 84, 92 }, { side * 118, 62, 112 }, { side * 130, 20, 126 } }, 5.0);
      blade.insert(blade.end(), spine.begin(), spine.end());
      Add(which + " shoulder blade", "rib", std::move(blade));
    }
  }

  void
  AddNodules()
  {
    // More on the left than on the right, and none opposite to another.
    const std::vector<Point3> places{ { 72, -18, 62 },  { 94, 20, -6 },   { 62, 44, 10 },
                                      { -82, -26, 34 }, { -66, 40, -24 }, { 78, -48, 22 } };
    for (std::size_t i = 0; i < places.size(); ++i)
    {
      Target target{ "nodule " + std::to_string(i + 1), places[i], m_Random.Between(3.5, 5.5), "calcification" };
      for (double & coordinate : target.center)
      {
        coordinate += m_Random.Between(-6.0, 6.0);
      }
      const double r = target.radius;
      Add(target.name, target.material, { Ellipsoid(target.center, { r, r, r }) });
      m_Model.m_Targets.push_back(target);
    }
  }

  PhantomModel & m_Model;
  Random         m_Random;
};

PhantomModel::PhantomModel(std::uint64_t seed)
{
  Builder(*this, seed).Build();
}

namespace
{

/** One slice under the brush. */
class SliceCanvas
{
public:
  SliceCanvas(double z, std::size_t size, double voxel)
    : m_Z(z)
    , m_Size(size)
    , m_Voxel(voxel)
    , m_Hounsfield(size * size, static_cast<float>(PhantomModel::AirHounsfield))
    , m_Distance(size * size, Far)
  {}

  void
  Paint(const Solid & solid, double hounsfield)
  {
    for (const auto & piece : solid.pieces)
    {
      Measure(piece);
    }
    for (const auto pixel : m_Touched)
    {
      const double share = std::clamp(0.5 - m_Distance[pixel] / m_Voxel, 0.0, 1.0);
      m_Hounsfield[pixel] += static_cast<float>(share * (hounsfield - m_Hounsfield[pixel]));
      m_Distance[pixel] = Far;
    }
    m_Touched.clear();
  }

  std::vector<float>
  Take()
  {
    return std::move(m_Hounsfield);
  }

private:
  static constexpr float Far = std::numeric_limits<float>::max();

  double
  Coordinate(std::size_t index) const
  {
    return (static_cast<double>(index) - 0.5 * static_cast<double>(m_Size - 1)) * m_Voxel;
  }

  /** Voxels whose cell may touch [low, high]. */
  std::pair<std::size_t, std::size_t>
  IndexRange(double low, double high) const
  {
    const double middle = 0.5 * static_cast<double>(m_Size - 1);
    const auto   clampIndex = [this](double index) {
      return static_cast<std::size_t>(std::clamp(index, 0.0, static_cast<double>(m_Size)));
    };
    return { clampIndex(std::floor(low / m_Voxel + middle - 0.5)),
             clampIndex(std::ceil(high / m_Voxel + middle + 1.5)) };
  }

  /** Keeps, for each pixel near the piece, the smallest distance to any piece of the solid: their union. */
  void
  Measure(const Piece & piece)
  {
    if (m_Z < piece.bounds.low[2] - m_Voxel || m_Z > piece.bounds.high[2] + m_Voxel)
    {
      return;
    }
    const auto [firstColumn, endColumn] = IndexRange(piece.bounds.low[0], piece.bounds.high[0]);
    const auto [firstRow, endRow] = IndexRange(piece.bounds.low[1], piece.bounds.high[1]);
    for (auto row = firstRow; row < endRow; ++row)
    {
      for (auto column = firstColumn; column < endColumn; ++column)
      {
        const auto distance = static_cast<float>(piece.distance({ Coordinate(column), Coordinate(row), m_Z }));
        if (distance >= m_Voxel)
        {
          continue;
        }
        const auto pixel = row * m_Size + column;
        if (m_Distance[pixel] == Far)
        {
          m_Touched.push_back(pixel);
        }
        m_Distance[pixel] = std::min(m_Distance[pixel], distance);
      }
    }
  }

  double                   m_Z;
  std::size_t              m_Size;
  double                   m_Voxel;
  std::vector<float>       m_Hounsfield;
  std::vector<float>       m_Distance;
  std::vector<std::size_t> m_Touched;
};

} // namespace

std::vector<float>
PhantomModel::RenderSlice(double z, std::size_t size, double voxel) const
{
  SliceCanvas canvas(z, size, voxel);
  for (const auto & solid : m_Solids)
  {
    canvas.Paint(solid, m_Materials.at(solid.material));
  }
  return canvas.Take();
}

} // namespace radiography::program
