// How the types of this module that SWIG has no rule for go to Python and back. Included by each submodule.
%import pyBase.i

%{
#include <map>
#include <optional>
#include <string>
#include <vector>
%}

// A double that C++ writes through a reference is returned.
%apply double & OUTPUT { double & value };

// None stands for an optional number that is not given.
%typemap(in) std::optional< double > {
  std::optional< double > number;
  if ($input != Py_None)
  {
    number = PyFloat_AsDouble($input);
    if (PyErr_Occurred())
    {
      SWIG_fail;
    }
  }
  $1 = number;
}
%typemap(typecheck, precedence=SWIG_TYPECHECK_DOUBLE) std::optional< double > {
  $1 = $input == Py_None || PyNumber_Check($input);
}
%typemap(out) std::optional< double > {
  const std::optional< double > & number = *(&$1);
  $result = number ? PyFloat_FromDouble(*number) : SWIG_Py_Void();
}

%fragment("Radiography_Tuple", "header") {
// A tuple of what convert makes of each element.
template <typename TSequence, typename TConvert>
static PyObject *
RadiographyTuple(const TSequence & sequence, const TConvert & convert)
{
  PyObject * tuple = PyTuple_New(static_cast<Py_ssize_t>(sequence.size()));
  Py_ssize_t place = 0;
  for (const auto & element : sequence)
  {
    PyTuple_SetItem(tuple, place++, convert(element));
  }
  return tuple;
}

static PyObject *
RadiographyString(const std::string & text)
{
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
}
}

%fragment("Radiography_Sequence", "header") {
// Elements of a Python sequence that are wrapped objects of one type; false, with Python's error set, if one is not.
template <typename TElement>
static bool
RadiographyReadSequence(PyObject * sequence, std::vector<TElement> & elements, swig_type_info * type)
{
  const Py_ssize_t size = PySequence_Check(sequence) ? PySequence_Size(sequence) : -1;
  for (Py_ssize_t place = 0; place < size; ++place)
  {
    PyObject * item = PySequence_GetItem(sequence, place);
    void * element = nullptr;
    if (item && SWIG_IsOK(SWIG_ConvertPtr(item, &element, type, 0)) && element)
    {
      elements.push_back(*static_cast<TElement *>(element));
    }
    SWIG_Py_XDECREF(item);
  }
  if (size >= 0 && elements.size() == static_cast<std::size_t>(size))
  {
    return true;
  }
  PyErr_Format(PyExc_TypeError, "Expecting a sequence of %s.", SWIG_TypePrettyName(type));
  return false;
}
}

// References to sequences inside of an object go to Python as tuples, never as pointers into the object.
%typemap(out, fragment="Radiography_Tuple") std::vector< std::string > const & {
  $result = RadiographyTuple(*$1, RadiographyString);
}
%typemap(out, fragment="Radiography_Tuple") std::vector< double > const & {
  $result = RadiographyTuple(*$1, [](double number) { return PyFloat_FromDouble(number); });
}
%typemap(out, fragment="Radiography_Tuple") std::vector< unsigned int > const &, std::vector< long > const & {
  $result = RadiographyTuple(*$1, [](long number) { return PyLong_FromLong(number); });
}

%typemap(in) std::map< std::string, std::string > {
  std::map< std::string, std::string > entries;
  PyObject * items = PyMapping_Items($input);
  for (Py_ssize_t place = 0; items && place < PyList_Size(items); ++place)
  {
    const char * key = nullptr;
    const char * text = nullptr;
    if (!PyArg_ParseTuple(PyList_GetItem(items, place), "ss", &key, &text))
    {
      break;
    }
    entries[key] = text;
  }
  SWIG_Py_XDECREF(items);
  if (PyErr_Occurred())
  {
    SWIG_fail;
  }
  $1 = entries;
}
%typemap(out, fragment="Radiography_Tuple") std::map< std::string, std::string > {
  $result = PyDict_New();
  for (const auto & entry : *(&$1))
  {
    PyObject * key = RadiographyString(entry.first);
    PyObject * text = RadiographyString(entry.second);
    PyDict_SetItem($result, key, text);
    SWIG_Py_DECREF(key);
    SWIG_Py_DECREF(text);
  }
}

// Sequences of a class are tuples of copies.
%define RADIOGRAPHY_SEQUENCE(NAME)
%typemap(out, fragment="Radiography_Tuple") std::vector< NAME > {
  $result = RadiographyTuple(*(&$1), [](const NAME & record) {
    return SWIG_NewPointerObj(new NAME(record), $descriptor(NAME *), SWIG_POINTER_OWN);
  });
}
%typemap(out, fragment="Radiography_Tuple") std::vector< NAME > const & {
  $result = RadiographyTuple(*$1, [](const NAME & record) {
    return SWIG_NewPointerObj(new NAME(record), $descriptor(NAME *), SWIG_POINTER_OWN);
  });
}
%typemap(out, fragment="Radiography_Tuple") std::vector< std::vector< NAME > > {
  $result = RadiographyTuple(*(&$1), [](const std::vector< NAME > & records) {
    return RadiographyTuple(records, [](const NAME & record) {
      return SWIG_NewPointerObj(new NAME(record), $descriptor(NAME *), SWIG_POINTER_OWN);
    });
  });
}
%typemap(in, fragment="Radiography_Sequence") std::vector< NAME > {
  std::vector< NAME > records;
  if (!RadiographyReadSequence($input, records, $descriptor(NAME *)))
  {
    SWIG_fail;
  }
  $1 = records;
}
%typemap(in, fragment="Radiography_Sequence") std::vector< NAME > const & (std::vector< NAME > records) {
  if (!RadiographyReadSequence($input, records, $descriptor(NAME *)))
  {
    SWIG_fail;
  }
  $1 = &records;
}
%typemap(typecheck, precedence=SWIG_TYPECHECK_VECTOR) std::vector< NAME >, std::vector< NAME > const & {
  $1 = PySequence_Check($input);
}
%enddef

RADIOGRAPHY_SEQUENCE(itkArrayD)
RADIOGRAPHY_SEQUENCE(itkSize3)

// A struct is copied too, never pointed to inside of the object that holds it.
%define RADIOGRAPHY_RECORD(NAME)
%typemap(out) NAME const & {
  $result = SWIG_NewPointerObj(new NAME(*$1), $descriptor(NAME *), SWIG_POINTER_OWN);
}
RADIOGRAPHY_SEQUENCE(NAME)
%enddef

// Sequences of objects are tuples of the objects themselves; None stands for none.
%define RADIOGRAPHY_POINTERS(NAME, POINTEE)
%typemap(out, fragment="Radiography_Tuple") std::vector< itk::SmartPointer< POINTEE > > {
  $result = RadiographyTuple(*(&$1), [](const itk::SmartPointer< POINTEE > & object) {
    if (object)
    {
      object->Register();
    }
    return SWIG_NewPointerObj(const_cast< NAME * >(object.GetPointer()), $descriptor(NAME *), SWIG_POINTER_OWN);
  });
}
%typemap(in) std::vector< itk::SmartPointer< POINTEE > > {
  std::vector< itk::SmartPointer< POINTEE > > objects;
  const Py_ssize_t size = PySequence_Check($input) ? PySequence_Size($input) : -1;
  bool areObjects = size >= 0;
  for (Py_ssize_t place = 0; areObjects && place < size; ++place)
  {
    PyObject * item = PySequence_GetItem($input, place);
    void * object = nullptr;
    areObjects = item && SWIG_IsOK(SWIG_ConvertPtr(item, &object, $descriptor(NAME *), 0));
    objects.emplace_back(static_cast< NAME * >(object));
    SWIG_Py_XDECREF(item);
  }
  if (!areObjects)
  {
    PyErr_SetString(PyExc_TypeError, "Expecting a sequence of " #NAME ".");
    SWIG_fail;
  }
  $1 = objects;
}
%enddef

// 12 numbers of an affine map, and their 12 x 12 matrix, in the types that ITK wraps for any size.
%typemap(out) vnl_vector_fixed< double, 12 > const & {
  $result = SWIG_NewPointerObj(new vnl_vector< double >($1->as_vector()), $descriptor(vnl_vectorD *), SWIG_POINTER_OWN);
}
%typemap(out) vnl_matrix_fixed< double, 12, 12 > const & {
  $result = SWIG_NewPointerObj(new vnl_matrix< double >($1->as_matrix()), $descriptor(vnl_matrixD *), SWIG_POINTER_OWN);
}

// Memory that filters hand to each other.
%ignore itkProjectionVolume::GetTransposedCopy;
