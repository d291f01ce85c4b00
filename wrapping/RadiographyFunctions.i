// Functions of Python where C++ takes a std::function: DerivativeChecker calls them on the thread that calls it, which keeps
// Python's lock meanwhile. What they raise passes through C++ unchanged.
%import itkImage.i

%{
#include "itkImageSwigInterface.h"
#include <functional>
#include <memory>

namespace
{
// Python's error indicator is set; C++ only has to come back.
struct PythonError : std::exception
{
  const char *
  what() const noexcept override
  {
    return "A function of Python raised an exception.";
  }
};

std::shared_ptr<PyObject>
Owned(PyObject * object)
{
  if (!object)
  {
    throw PythonError();
  }
  return std::shared_ptr<PyObject>(object, [](PyObject * owned) { Py_DecRef(owned); });
}

class PythonFunction
{
public:
  explicit PythonFunction(PyObject * function)
  {
    Py_IncRef(function);
    m_Function = Owned(function);
  }

  std::shared_ptr<PyObject>
  operator()(const std::shared_ptr<PyObject> & argument) const
  {
    return Owned(PyObject_CallFunctionObjArgs(m_Function.get(), argument.get(), nullptr));
  }

private:
  std::shared_ptr<PyObject> m_Function;
};

std::shared_ptr<PyObject>
ListOf(const std::vector<double> & numbers)
{
  const std::shared_ptr<PyObject> list = Owned(PyList_New(0));
  for (const double number : numbers)
  {
    PyList_Append(list.get(), Owned(PyFloat_FromDouble(number)).get());
  }
  return list;
}

double
NumberOf(PyObject * object)
{
  const double number = PyFloat_AsDouble(object);
  if (PyErr_Occurred())
  {
    throw PythonError();
  }
  return number;
}

std::vector<double>
NumbersOf(PyObject * object)
{
  const Py_ssize_t size = PySequence_Size(object);
  if (size < 0)
  {
    throw PythonError();
  }
  std::vector<double> numbers;
  for (Py_ssize_t i = 0; i < size; ++i)
  {
    numbers.push_back(NumberOf(Owned(PySequence_GetItem(object, i)).get()));
  }
  return numbers;
}
} // namespace
%}

%define RADIOGRAPHY_FUNCTION(TYPE, LAMBDA)
%typemap(in) TYPE {
  if (!PyCallable_Check($input))
  {
    PyErr_SetString(PyExc_TypeError, "Expecting a function.");
    SWIG_fail;
  }
  const PythonFunction function($input);
  $1 = LAMBDA;
}
%typemap(typecheck, precedence=SWIG_TYPECHECK_POINTER) TYPE {
  $1 = PyCallable_Check($input);
}
%enddef

RADIOGRAPHY_FUNCTION(itk::DerivativeChecker::ScalarFunction,
  [function](double x) { return NumberOf(function(Owned(PyFloat_FromDouble(x))).get()); })
RADIOGRAPHY_FUNCTION(itk::DerivativeChecker::Objective,
  [function](const std::vector<double> & x) { return NumberOf(function(ListOf(x)).get()); })
RADIOGRAPHY_FUNCTION(itk::DerivativeChecker::Operator,
  [function](const std::vector<double> & x) { return NumbersOf(function(ListOf(x)).get()); })

%typemap(in) itk::DerivativeChecker::ImageOperator {
  if (!PyCallable_Check($input))
  {
    PyErr_SetString(PyExc_TypeError, "Expecting a function.");
    SWIG_fail;
  }
  const PythonFunction function($input);
  $1 = [function](const itkImageF3 * image) {
    image->Register();
    const std::shared_ptr<PyObject> result = function(
      Owned(SWIG_NewPointerObj(const_cast<itkImageF3 *>(image), $descriptor(itkImageF3 *), SWIG_POINTER_OWN)));
    void * made = nullptr;
    if (!SWIG_IsOK(SWIG_ConvertPtr(result.get(), &made, $descriptor(itkImageF3 *), 0)) || !made)
    {
      PyErr_SetString(PyExc_TypeError, "The function is to return an itk.Image[itk.F, 3].");
      throw PythonError();
    }
    return itkImageF3::Pointer(static_cast<itkImageF3 *>(made));
  };
}

// For each of its own: others import this file.
%define RADIOGRAPHY_CALLS_PYTHON(METHOD)
%nothreadallow itkDerivativeChecker::METHOD;
%exception itkDerivativeChecker::METHOD {
  try
  {
    $action
  }
  catch (const PythonError &)
  {
    SWIG_fail;
  }
  catch (const std::exception & e)
  {
    SWIG_exception_fail(SWIG_RuntimeError, e.what());
  }
}
%enddef
RADIOGRAPHY_CALLS_PYTHON(CheckScalar)
RADIOGRAPHY_CALLS_PYTHON(CheckDirectional)
RADIOGRAPHY_CALLS_PYTHON(CheckGradient)
RADIOGRAPHY_CALLS_PYTHON(CheckAdjoint)
RADIOGRAPHY_CALLS_PYTHON(CheckImageAdjoint)

%extend itkDerivativeChecker {
  itkDerivativeSweep CheckScalar(itk::DerivativeChecker::ScalarFunction f, double x, double derivative)
  {
    return $self->CheckScalar(f, x, derivative);
  }
  itkDerivativeSweep CheckDirectional(itk::DerivativeChecker::Objective f, std::vector<double> x,
                                      std::vector<double> direction, std::vector<double> gradient)
  {
    return $self->CheckDirectional(f, x, direction, gradient);
  }
  itkDerivativeReport CheckGradient(itk::DerivativeChecker::Objective f, std::vector<double> x,
                                    std::vector<double> gradient)
  {
    return $self->CheckGradient(f, x, gradient);
  }
  itkDerivativeReport CheckAdjoint(itk::DerivativeChecker::Operator apply, std::vector<double> x,
                                   std::vector<double> cotangent, std::vector<double> pulledBack)
  {
    return $self->CheckAdjoint(apply, x, cotangent, pulledBack);
  }
  itkDerivativeReport CheckImageAdjoint(itk::DerivativeChecker::ImageOperator apply, itkImageF3 const * x,
                                        itkImageF3 const * cotangent, itkImageF3 const * pulledBack)
  {
    return $self->CheckImageAdjoint(apply, x, cotangent, pulledBack);
  }
}
