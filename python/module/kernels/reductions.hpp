/// How partial results of kernels in mode reduce begin and come together.
#pragma once

#include <pybind11/pybind11.h>

#include "graph/codelets/handle.hpp"
#include "python/module/array_data.hpp"

namespace troupe::python {

/// "sum", "prod", "min" or "max", or a pair of functions of Python: `initialize(partial)` and `combine(into, from)`.
/// Throws `ValueError` or `TypeError` for others, and for element types that a named one does not know.
[[nodiscard]] ReductionMethods reduction_of(pybind11::handle method, const ArrayData& data);

}  // namespace troupe::python
