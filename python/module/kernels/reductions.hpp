/// The initial values and the combination of partial results of kernels in mode reduce.
#pragma once

#include <pybind11/pybind11.h>

#include "python/module/array_data.hpp"
#include "troupe/handle.hpp"

namespace troupe::python {

/// Returns the reduction for "sum", "prod", "min" or "max", or for a pair of functions of Python: `initialize(partial)`
/// and `combine(into, from)`. Throws `ValueError` or `TypeError` for anything else, and for element types that a named
/// reduction does not support.
[[nodiscard]] ReductionMethods reduction_of(pybind11::handle method, const ArrayData& data);

}  // namespace troupe::python
