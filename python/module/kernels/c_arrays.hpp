/// Arrays for functions in C: checks that a function does not misread an array, and the distances between elements that
/// the function gets.
///
/// A function takes arrays in C order or in Fortran order. The function gets the numbers of rows and columns of the
/// array in Python; an array of one dimension is one column. In C order the "ld" (leading dimension) is the distance
/// from one row to the next, and the elements of a row lie side by side: element (row, column) is at `row * ld +
/// column`. In Fortran order the "ld" is the distance from one column to the next, and the elements of a column lie
/// side by side: the element is at `row + column * ld`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "python/module/array_data.hpp"
#include "python/module/kernels/codelet_object.hpp"
#include "troupe/layout.hpp"

namespace troupe::python {

/// The arrays of a call that have been checked, in the order of the parameters.
using CArrays = std::span<const std::shared_ptr<ArrayData>>;

/// Two masks, with a bit for each array of a call.
struct CArrayOrders {
  /// The bit is set if the array's rows are the columns of the runtime's layout.
  std::uint32_t transposed = 0;
  /// The bit is set if "ld" is the step along a column of the runtime's layout, not the step from one column to the
  /// next.
  std::uint32_t ld_across = 0;
};

/// Checks the array that follows `before` in a call of a function in C, which gets only the array's address and the
/// properties in its parameters. Throws `SignatureMismatch` if the function would misread the array.
void check_for_function_of_c(const CodeletObject& codelet, CArrays before, const ArrayData& data);
/// Returns the orders of all arrays of a call. Throws `SignatureMismatch` if the function takes an "ld" that an array
/// does not have.
[[nodiscard]] CArrayOrders orders_of(const CodeletObject& codelet, CArrays arrays);
/// Returns the "ld" of array `index`. The "ld" is at least 1, and at least the number of elements that lie side by
/// side.
[[nodiscard]] std::int64_t leading_dimension(const Layout& layout, const CArrayOrders& orders, std::size_t index);

}  // namespace troupe::python
