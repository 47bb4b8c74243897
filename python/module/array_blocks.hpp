/// Converts parts of arrays to blocks of the runtime's matrices.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "python/module/array_data.hpp"
#include "troupe/runtime.hpp"

namespace troupe::python {

/// Returns the block for `array[index]`. Throws `ValueError` for an index that does not select a contiguous block, and
/// `TypeError` for an index that contains something other than slices and whole numbers.
[[nodiscard]] Block block_of(const ArrayData& whole, pybind11::handle index);
/// Returns the shape and layout of a part, as kernels see it.
[[nodiscard]] ArrayForm form_of_part(const ArrayData& whole, const pybind11::array& part, const Block& block);

}  // namespace troupe::python
