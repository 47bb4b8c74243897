#include "python/module/values.hpp"

#include <chrono>
#include <string_view>

#include "proto/byte_amounts.hpp"

namespace troupe::python {

namespace py = pybind11;

bool is_boolean(py::handle value) {
  if (PyBool_Check(value.ptr()) != 0) return true;
  const std::string_view type = Py_TYPE(value.ptr())->tp_name;
  return type == "numpy.bool_" || type == "numpy.bool";
}

void wrong_type() { throw py::type_error(""); }
void wrong_value(const std::string& why) { throw py::value_error(why); }

std::string digits(py::handle value) {
  const auto index = py::reinterpret_steal<py::object>(is_boolean(value) ? nullptr : PyNumber_Index(value.ptr()));
  if (!index) {
    PyErr_Clear();
    wrong_type();
  }
  return py::str(index);
}

bool flag(py::handle value) {
  if (!is_boolean(value)) wrong_type();
  return PyObject_IsTrue(value.ptr()) == 1;
}

double number(py::handle value) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    wrong_type();
  }
  return number;
}

std::string text(py::handle value) {
  if (PyUnicode_Check(value.ptr()) == 0) wrong_type();
  Py_ssize_t size = 0;
  const char* const characters = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (characters == nullptr) {
    PyErr_Clear();
    wrong_value("it has characters that are none of Unicode");
  }
  return {characters, static_cast<std::size_t>(size)};
}

std::string path(py::handle value) {
  PyObject* encoded = nullptr;
  if (PyUnicode_FSConverter(value.ptr(), &encoded) == 0) {
    const bool type = PyErr_ExceptionMatches(PyExc_TypeError) != 0;
    PyErr_Clear();
    if (type) wrong_type();
    wrong_value("no file can have this name");
  }
  return py::reinterpret_steal<py::bytes>(encoded);
}

Duration time(py::handle value) {
  const double seconds = number(value);
  if (!(seconds >= 0 && seconds < 1e9)) wrong_value("seconds that are not negative are needed");
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

Bytes bytes(py::handle value) {
  if (PyUnicode_Check(value.ptr()) == 0) return {integer<std::uint64_t>(value)};
  const auto parsed = parse_bytes(text(value));
  if (!parsed) wrong_value("an amount of memory is needed, such as '2GB' or '512MiB'");
  return *parsed;
}

}  // namespace troupe::python
