/// Parts of arrays as blocks of the runtime's matrices.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "client/runtime.hpp"
#include "python/module/array_data.hpp"

namespace troupe::python {

/// The block that `array[index]` is. Throws `ValueError` for an index that is no block of elements one beside the
/// other, `TypeError` for one that is made of something else than slices and whole numbers.
[[nodiscard]] Block block_of(const ArrayData& whole, pybind11::handle index);
/// What kernels see of it.
[[nodiscard]] ArrayForm form_of_part(const ArrayData& whole, const pybind11::array& part, const Block& block);

}  // namespace troupe::python
