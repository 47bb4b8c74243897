/// Converts parts of arrays to blocks of the runtime's matrices.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "python/module/array_data.hpp"
#include "troupe/runtime.hpp"

namespace troupe::python {

/// Returns the block for `array[index]`. Throws `ValueError` for an index that does not select contiguous columns, and
/// `TypeError` for an index that contains something other than slices and whole numbers.
[[nodiscard]] Block block_of(const ArrayData& whole, pybind11::handle index);
/// Two indexes for a block with a rim: `index` selects the block with its rim, as far as the array goes; `inside`
/// selects the block without its rim in the array that `index` selects.
struct Surrounded {
  pybind11::tuple index;
  pybind11::tuple inside;
};
/// Returns the indexes for the block `array[index]` and this rim. `rim` is a number, or a sequence with a number for
/// each dimension. Throws as `block_of` does, and `ValueError` for an impossible rim.
[[nodiscard]] Surrounded with_rim(const ArrayData& whole, pybind11::handle index, pybind11::handle rim);
/// Returns the shape and layout of a part, as kernels see the part.
[[nodiscard]] ArrayForm form_of_part(const ArrayData& whole, const pybind11::array& part, const Block& block);

}  // namespace troupe::python
