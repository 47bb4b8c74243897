/// The runtime's errors as Python's exceptions (troupe/errors.py).
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "proto/errors.hpp"

namespace troupe::python {

/// An exception of the class for this code, with the reason, if there is one, as its `__cause__`.
[[nodiscard]] pybind11::object exception_of(ErrorCode code, const std::string& message,
                                            const pybind11::object& cause = pybind11::none());
/// Throws it.
[[noreturn]] void raise(ErrorCode code, const std::string& message, const pybind11::object& cause = pybind11::none());
/// The code of an exception that is a `TroupeError`; else `kernel_failed`.
[[nodiscard]] ErrorCode code_of(pybind11::handle exception);
/// "ValueError: too small".
[[nodiscard]] std::string text_of(pybind11::handle exception);
/// ": did you mean 'policy'?", or nothing where no name is near.
[[nodiscard]] std::string did_you_mean(const std::string& name, const std::vector<std::string>& names);

}  // namespace troupe::python
