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
#ifndef itkDerivativeChecker_h
#define itkDerivativeChecker_h

#include "RadiographyExport.h"

#include "itkImage.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

namespace itk
{

/** \class DerivativeCheckerEnums
 * \brief What DerivativeChecker is told, and what it says about steps and sweeps.
 * \ingroup Radiography */
class DerivativeCheckerEnums
{
public:
  /** In which precision the operator stores its inputs. */
  enum class Storage : uint8_t
  {
    /** float: single precision */
    Binary32,
    /** double */
    Binary64
  };

  /** Which difference a step used. */
  enum class Stencil : uint8_t
  {
    /** x - h and x + h: inside the domain. */
    Centred,
    /** x, x + h, x + 2h, second order: the anchor lies on a boundary. */
    Forward,
    /** x, x - h, x - 2h, second order: the anchor lies on a boundary. */
    Backward
  };

  /** What became of a step. */
  enum class Outcome : uint8_t
  {
    /** A difference was formed. */
    Evaluated,
    /** Skipped: the perturbed input is, after rounding to storage, the anchor or that of the step before. */
    Collapsed,
    /** Skipped: after rounding to storage the points are no longer symmetric (centred) or not in one line. */
    Unequal,
    /** Skipped: a point would leave the domain. */
    OutsideDomain,
    /** Skipped: all points gave the same value although coarser steps did not; the step is below what the operator
     * resolves. */
    Plateau,
    /** Not used: the operator gave NaN or an infinity. */
    NotFinite
  };

  /** The result of a sweep. Only Agrees is a pass. */
  enum class Verdict : uint8_t
  {
    /** At all three decisive steps the error is within the tolerance, which is small enough. */
    Agrees,
    /** At one of them it is not. */
    Disagrees,
    /** The sweep cannot tell: too few steps, or none precise enough. */
    Inconclusive,
    /** An evaluation inside the domain was not finite. */
    NotFinite
  };
};

extern Radiography_EXPORT std::ostream &
                          operator<<(std::ostream & out, DerivativeCheckerEnums::Storage value);
extern Radiography_EXPORT std::ostream &
                          operator<<(std::ostream & out, DerivativeCheckerEnums::Stencil value);
extern Radiography_EXPORT std::ostream &
                          operator<<(std::ostream & out, DerivativeCheckerEnums::Outcome value);
extern Radiography_EXPORT std::ostream &
                          operator<<(std::ostream & out, DerivativeCheckerEnums::Verdict value);

/** \class DerivativeStepRecord
 * \brief One step of a sweep. What a skipped step did not get to is NaN.
 * \ingroup Radiography */
struct DerivativeStepRecord
{
  /** The step asked for is the step scale times 2^-exponent. */
  unsigned int exponent{ 0 };
  /** The step asked for. */
  double requestedStep{ 0.0 };
  /** The step after rounding to storage, along the direction; the first one of a one-sided stencil. */
  double realisedStep{ std::numeric_limits<double>::quiet_NaN() };
  /** The points that were, or would have been, used. */
  DerivativeCheckerEnums::Stencil stencil{ DerivativeCheckerEnums::Stencil::Centred };
  /** Whether the step was used, and why not. */
  DerivativeCheckerEnums::Outcome outcome{ DerivativeCheckerEnums::Outcome::Evaluated };
  /** The difference quotient. */
  double estimate{ std::numeric_limits<double>::quiet_NaN() };
  /** The derivative under test, along the realised displacement. */
  double analytic{ std::numeric_limits<double>::quiet_NaN() };
  /** |estimate - analytic| */
  double error{ std::numeric_limits<double>::quiet_NaN() };
  /** R of the tolerance formula. */
  double rounding{ std::numeric_limits<double>::quiet_NaN() };
  /** T of the tolerance formula; NaN for the first two evaluated steps, which have no predecessors to estimate it. */
  double truncation{ std::numeric_limits<double>::quiet_NaN() };
  /** 2 T + R */
  double tolerance{ std::numeric_limits<double>::quiet_NaN() };
  /** The differences behave as a second-order stencil's do, up to rounding. */
  bool convergent{ false };
  /** One of the steps that the verdict was taken at. */
  bool decisive{ false };
};

/** \class DerivativeSweep
 * \brief All steps along one direction, and the verdict.
 * \ingroup Radiography */
struct DerivativeSweep
{
  /** "coordinate 3", "random direction 1", ... */
  std::string direction;
  /** Whether the derivative agrees. */
  DerivativeCheckerEnums::Verdict verdict{ DerivativeCheckerEnums::Verdict::Inconclusive };
  /** One sentence for people. */
  std::string reason;
  /** All steps, from large to small, those that were skipped among them. */
  std::vector<DerivativeStepRecord> records;
  /** What errors are compared with to call a sweep precise enough. */
  double scale{ 0.0 };
  /** The largest ratio, over neighbouring steps finer than the decisive ones, of the difference of their
   * estimates to what the declared precision explains. Far above 1 means that the operator is noisier than declared. */
  double noiseRatio{ 0.0 };

  /** The verdict is Agrees. */
  bool
  Passed() const
  {
    return verdict == DerivativeCheckerEnums::Verdict::Agrees;
  }
};

/** \class DerivativeReport
 * \brief The sweeps of one check.
 * \ingroup Radiography */
struct DerivativeReport
{
  /** Coordinates first, then random directions. */
  std::vector<DerivativeSweep> sweeps;

  /** Every sweep agrees, and there is at least one. */
  Radiography_EXPORT bool
  Passed() const;
};

/** All records as a table, numbers the same in every locale. */
extern Radiography_EXPORT std::ostream &
                          operator<<(std::ostream & out, const DerivativeSweep & sweep);
extern Radiography_EXPORT std::ostream &
                          operator<<(std::ostream & out, const DerivativeReport & report);

/** \class DerivativeChecker
 * \brief Compares derivatives that somebody wrote with differences of the operator that is really called.
 *
 * For steps 2^-2, 2^-3, ..., 2^-24 (times a scale) the operator is evaluated at inputs that its storage can hold: the
 * perturbed input is rounded to storage first, and the difference is divided by the step that *resulted*. Centred
 * differences are used inside the domain, and three points on one side (second order, for the realised spacing) where
 * the anchor lies on its boundary. Steps that cannot be used are kept in the records with the reason.
 *
 * **Tolerance.** Step k has the points x + d_i with weights w_i, estimate q_k = sum w_i f(x + d_i), and is compared
 * with p_k = sum w_i <g, d_i>, g being the derivative under test. With s = h^2 (centred) or s = a b (one-sided with
 * steps a, b), the truncation error is C s to leading order, |C| = |f'''| / 6, and two neighbouring evaluated steps
 * j, k (j the coarser) estimate it without any reference to g:
 *
 *     C_k = |q_j - q_k| / (s_j - s_k)
 *     T_k = s_k max(C_k, C_j)
 *     R_k = sum |w_i| (precision |f(x + d_i)| + noise) + u (n + 8) (|q_k| + sum |w_i| |<g, d_i>|)
 *     tolerance_k = 2 T_k + R_k
 *
 * Here u = 2^-53, n is the number of parameters, |<g, d_i>| the sum of the magnitudes of the products, `precision` and
 * `noise` what the operator was declared to have. For CheckAdjoint(), |f| is the sum of the magnitudes |F_j y_j|, and
 * its summation adds m u to the precision.
 *
 * **Verdict.** A step is *convergent* if C_k <= 2 C_j + (R_j + R_k) / (s_j - s_k): differences decrease with order two
 * until rounding dominates. Of all runs of three evaluated steps in a row that are convergent, the one with the
 * smallest largest tolerance is *decisive*: the region where truncation and rounding balance, never simply the smallest
 * step, and found without a look at g. The sweep disagrees if |q_k - p_k| > tolerance_k at one of the three. Otherwise
 * it agrees, unless even the smallest of the three tolerances exceeds `Resolution` times the scale of the derivative:
 * then, or if there is no such run, it is inconclusive. So a pass means that g is within twice that of the truth.
 *
 * The derivative meant is that of the smooth map that the operator approximates. A step at which the operator's
 * rounding hides the change altogether (Outcome::Plateau) says nothing about it.
 *
 * What the operator throws is passed on.
 *
 * \ingroup Radiography */
class Radiography_EXPORT DerivativeChecker
{
public:
  using StorageEnum = DerivativeCheckerEnums::Storage;
  using VectorType = std::vector<double>;
  using ImageType = Image<float, 3>;

  /** x to f(x) */
  using ScalarFunction = std::function<double(double)>;
  /** n parameters to a scalar */
  using Objective = std::function<double(const VectorType &)>;
  /** n parameters to m results */
  using Operator = std::function<VectorType(const VectorType &)>;
  /** A filter, say: sets the input, updates, returns the output. */
  using ImageOperator = std::function<ImageType::Pointer(const ImageType *)>;

  /** The unit roundoff of binary32, the precision of an operator that rounds its results correctly to that. */
  static constexpr double Binary32Precision = 1.0 / (1 << 24);

  /** In which precision the operator stores its inputs; Binary64 by default. The anchor must be a value of it. */
  void
  SetStorage(StorageEnum storage);
  /** The closed interval that every parameter must stay in; all numbers by default. */
  void
  SetDomain(double lower, double upper);
  /** Steps are 2^-first ... 2^-last, 2 and 24 by default. */
  void
  SetStepExponents(unsigned int first, unsigned int last);
  /** A factor for all steps, in units of the parameters; 1 by default. */
  void
  SetStepScale(double scale);
  /** The relative error of the operator's results; 2^-52 by default. */
  void
  SetFunctionPrecision(double precision);
  /** The absolute error of the operator's results; 0 by default. */
  void
  SetFunctionNoise(double noise);
  /** Tolerances above this part of the derivative's scale are too coarse for a verdict; 2.5e-4 by default. */
  void
  SetResolution(double resolution);
  /** A derivative that counts as large, for where it is expected to vanish; 0 by default. The scale of a sweep is the
   * largest of this, the derivative along it, and, where a gradient is given, the root mean square of its
   * components (times the length of the direction). */
  void
  SetDerivativeScale(double scale);
  /** Of more coordinates than this, a seeded choice of this many is swept; all by default. */
  void
  SetCoordinateLimit(std::size_t limit);
  /** How many directions of random signs are swept besides the coordinates; 2 by default. */
  void
  SetNumberOfRandomDirections(unsigned int count);
  /** Of the choices and directions; 1 by default. */
  void
  SetSeed(std::uint64_t seed);

  /** A function of one number and its derivative at x. */
  DerivativeSweep
  CheckScalar(const ScalarFunction & f, double x, double derivative) const;

  /** Along one direction. */
  DerivativeSweep
  CheckDirectional(const Objective &  f,
                   const VectorType & x,
                   const VectorType & direction,
                   const VectorType & gradient) const;

  /** Along coordinates and random directions. Where some parameters lie on the boundary and some do not, a random
   * direction is swept for the ones and for the others apart. */
  DerivativeReport
  CheckGradient(const Objective & f, const VectorType & x, const VectorType & gradient) const;

  /** A vector-Jacobian product: `pulledBack` is J^T `cotangent` for the operator F with the Jacobian J at x.
   * <J v, cotangent>, from differences of F, is compared with <v, pulledBack>. */
  DerivativeReport
  CheckAdjoint(const Operator &   apply,
               const VectorType & x,
               const VectorType & cotangent,
               const VectorType & pulledBack) const;

  /** The same for images, whose buffers are taken in raster order. The storage is Binary32 whatever was set. */
  DerivativeReport
  CheckImageAdjoint(const ImageOperator & apply,
                    const ImageType *     x,
                    const ImageType *     cotangent,
                    const ImageType *     pulledBack) const;

private:
  friend class DerivativeSweeper;

  /** What the operator gave, and the magnitude that its relative error refers to. */
  struct ValueAndMagnitude
  {
    double value;
    double magnitude;
  };
  using Evaluation = std::function<ValueAndMagnitude(const VectorType &)>;

  static Evaluation
  WithMagnitude(const Objective & f);
  void
  RefuseBadAnchor(const VectorType & x, const VectorType & gradient) const;
  DerivativeReport
  SweepAll(const Evaluation & evaluate, double precision, const VectorType & x, const VectorType & gradient) const;

  StorageEnum   m_Storage{ StorageEnum::Binary64 };
  double        m_Lower{ -std::numeric_limits<double>::infinity() };
  double        m_Upper{ std::numeric_limits<double>::infinity() };
  unsigned int  m_FirstExponent{ 2 };
  unsigned int  m_LastExponent{ 24 };
  double        m_StepScale{ 1.0 };
  double        m_FunctionPrecision{ std::numeric_limits<double>::epsilon() };
  double        m_FunctionNoise{ 0.0 };
  double        m_Resolution{ 2.5e-4 };
  double        m_DerivativeScale{ 0.0 };
  std::size_t   m_CoordinateLimit{ std::numeric_limits<std::size_t>::max() };
  unsigned int  m_NumberOfRandomDirections{ 2 };
  std::uint64_t m_Seed{ 1 };
};

} // namespace itk

#endif
