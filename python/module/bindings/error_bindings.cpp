#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "proto/edit_distance.hpp"
#include "python/module/bindings/bindings.hpp"
#include "python/module/errors.hpp"
#include "troupe/errors.hpp"

namespace troupe::python {

namespace py = pybind11;

py::object exception_of(ErrorCode code, const std::string& message, const py::object& cause) {
  const py::object exception = py::module_::import("troupe.errors").attr("exception_of")(to_string(code), message);
  if (!cause.is_none()) PyException_SetCause(exception.ptr(), cause.inc_ref().ptr());
  return exception;
}

void raise(ErrorCode code, const std::string& message, const py::object& cause) {
  const py::object exception = exception_of(code, message, cause);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  throw py::error_already_set();
}

py::object take_exception() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != nullptr) PyException_SetTraceback(value, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return py::reinterpret_steal<py::object>(value);
}

ErrorCode code_of(py::handle exception) {
  if (!py::hasattr(exception, "code")) return ErrorCode::kernel_failed;
  const py::object code = exception.attr("code");
  if (!py::isinstance<py::str>(code)) return ErrorCode::kernel_failed;
  const auto name = code.cast<std::string>();
  for (int i = 0; i <= static_cast<int>(ErrorCode::service_lost); ++i) {
    if (name == to_string(static_cast<ErrorCode>(i))) return static_cast<ErrorCode>(i);
  }
  return ErrorCode::kernel_failed;
}

std::string text_of(py::handle exception) {
  const std::string type = py::str(py::type::handle_of(exception).attr("__name__"));
  try {
    const std::string text = py::str(exception);
    return text.empty() ? type : type + ": " + text;
  } catch (py::error_already_set& unprintable) {
    return type + " (its text cannot be printed)";
  }
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(name, names);
  return nearest.empty() ? std::string() : ": did you mean '" + nearest + "'?";
}

void bind_errors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      const py::object exception = exception_of(error.code(), error.what());
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
    }
  });
}

}  // namespace troupe::python
