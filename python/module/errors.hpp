/// Conversions between the runtime's errors and Python exceptions (troupe/errors.py).
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "troupe/errors.hpp"

namespace troupe::python {

/// Returns an exception of the class for this code. Its `__cause__` is `cause`.
[[nodiscard]] pybind11::object exception_of(ErrorCode code, const std::string& message,
                                            const pybind11::object& cause = pybind11::none());
/// Throws the exception that `exception_of` makes.
[[noreturn]] void raise(ErrorCode code, const std::string& message, const pybind11::object& cause = pybind11::none());
/// Returns the Python exception that is set, with its traceback, and clears the error state.
[[nodiscard]] pybind11::object take_exception();
/// Returns the code of an exception that is a `TroupeError`; otherwise `kernel_failed`.
[[nodiscard]] ErrorCode code_of(pybind11::handle exception);
/// Returns a text such as "ValueError: too small".
[[nodiscard]] std::string text_of(pybind11::handle exception);
/// Returns a text such as ": did you mean 'policy'?", or an empty text if no name is similar.
[[nodiscard]] std::string did_you_mean(const std::string& name, const std::vector<std::string>& names);

}  // namespace troupe::python
