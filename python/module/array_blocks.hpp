/// Parts of arrays as blocks of the runtime's matrices.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "python/module/array_data.hpp"
#include "troupe/runtime.hpp"

namespace troupe::python {

/// Returns the block for `array[index]`. Throws `ValueError` for an index that does not select a contiguous block, and
/// `TypeError` for one that contains something other than slices and whole numbers.
[[nodiscard]] Block block_of(const ArrayData& whole, pybind11::handle index);
/// Returns the form in which kernels see the part.
[[nodiscard]] ArrayForm form_of_part(const ArrayData& whole, const pybind11::array& part, const Block& block);

}  // namespace troupe::python
