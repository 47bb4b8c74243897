#include "python/module/kernels/c_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "python/module/errors.hpp"

namespace troupe::python {

namespace {

[[noreturn]] void refuse_array(const CodeletObject& codelet, const std::string& what) {
  raise(ErrorCode::signature_mismatch, "codelet '" + codelet.name() + "': " + what);
}

bool has_bit(std::uint32_t mask, std::size_t array) { return array < 32 && (mask >> array & 1U) != 0; }

/// Returns true if the array's rows are the columns of the runtime's layout. An array of one dimension is a column in
/// Python; if there are gaps between its elements, the array is a row of the layout.
bool is_transposed(const ArrayForm& form) {
  if (form.shape.size() == 2) return form.order == ArrayOrder::c;
  return form.shape.size() == 1 && form.layout.rows == 1;
}

/// Returns true if the "ld" (leading dimension) that a function in this order gets is the step along a column of the
/// layout.
bool leads_across(const ArrayForm& form, ArrayOrder order) { return (order == ArrayOrder::c) != is_transposed(form); }

/// Returns true if the array has an "ld" (leading dimension) in this order. If "ld" is the step along the layout's
/// columns, the elements of each row of the layout must lie side by side.
bool has_ld(const ArrayForm& form, ArrayOrder order) {
  const Layout& layout = form.layout;
  return !leads_across(form, order) || layout.cols <= 1 || layout.ld == 1 || layout.elements() == 0;
}

/// Returns the first array that has an order (C or Fortran) and of which the function does not get both strides; null
/// if there is none.
const ArrayData* first_in_order(const CodeletObject& codelet, CArrays arrays) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (!codelet.knows_order(i) && arrays[i]->form().order != ArrayOrder::any) return arrays[i].get();
  }
  return nullptr;
}

/// Returns the order of the arrays of a call, for a function that takes arrays in either order. If no array has an
/// order, returns C order.
ArrayOrder order_of_call(const CodeletObject& codelet, CArrays arrays) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const ArrayForm& form = arrays[i]->form();
    if (!codelet.knows_order(i) && form.shape.size() > 1 && form.order != ArrayOrder::any) return form.order;
  }
  return ArrayOrder::c;
}

/// Throws if the array has gaps, and the function does not get the distances between its rows, columns or elements.
void check_gaps(const CodeletObject& codelet, std::size_t index, const ArrayData& data) {
  const ArrayForm& form = data.form();
  if (!form.has_gaps()) return;
  if (form.is_volume) {
    refuse_array(codelet,
                 fmt::format("argument {} ({}) has three dimensions with gaps between them, of which a function "
                             "of C cannot be told: pass numpy.ascontiguousarray(array)",
                             index, data.description()));
  }
  const bool transposed = is_transposed(form);
  const std::uint32_t takes_stride = transposed ? codelet.takes_row_stride : codelet.takes_col_stride;
  if (has_bit(codelet.takes_ld | takes_stride, index)) return;
  const char* const word = transposed ? "\"row_stride\"" : "\"col_stride\"";
  const bool ld_helps = codelet.order == ArrayOrder::any || has_ld(form, codelet.order);
  refuse_array(codelet, fmt::format("argument {} ({}) has gaps between its rows, columns or elements, of which the "
                                    "function of C is not told: give it {}{} as a parameter after the array, or pass "
                                    "numpy.ascontiguousarray(array)",
                                    index, data.description(), ld_helps ? "\"ld\" or " : "", word));
}

}  // namespace

void check_for_function_of_c(const CodeletObject& codelet, CArrays before, const ArrayData& data) {
  const std::size_t index = before.size();
  const ArrayForm& form = data.form();
  if (form.is_volume && has_bit(codelet.knows_matrix, index)) {
    refuse_array(
        codelet,
        fmt::format("argument {} ({}) has three dimensions, and the function of C takes rows, columns or strides "
                    "of an array with two: let it take \"size\", and the extents as numbers",
                    index, data.description()));
  }
  check_gaps(codelet, index, data);
  if (form.order == ArrayOrder::any || codelet.knows_order(index)) return;
  const bool in_c = form.order == ArrayOrder::c;
  if (codelet.order == ArrayOrder::any) {
    const ArrayData* const first = first_in_order(codelet, before);
    if (first == nullptr || first->form().order == form.order) return;
    refuse_array(codelet,
                 fmt::format("argument {} ({}) is in {} order and {} is not: the function of C would pair other "
                             "elements. Pass all of them in one order",
                             index, data.description(), in_c ? "C" : "Fortran", first->description()));
  }
  if (codelet.order == form.order) return;
  refuse_array(
      codelet,
      fmt::format("argument {} ({}) is in {} order, in which the function of C would see another matrix: pass "
                  "numpy.{}(array), or give the function \"row_stride\" and \"col_stride\" after the array, or say "
                  "which order it takes: c_codelet(..., order='{}'), or 'any' where it makes no difference",
                  index, data.description(), in_c ? "C" : "Fortran", in_c ? "asfortranarray" : "ascontiguousarray",
                  in_c ? "C" : "F"));
}

CArrayOrders orders_of(const CodeletObject& codelet, CArrays arrays) {
  CArrayOrders orders;
  const ArrayOrder takes = codelet.order == ArrayOrder::any ? order_of_call(codelet, arrays) : codelet.order;
  const ArrayOrder other = takes == ArrayOrder::c ? ArrayOrder::fortran : ArrayOrder::c;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const ArrayForm& form = arrays[i]->form();
    if (is_transposed(form)) orders.transposed |= 1U << i;
    if (!has_bit(codelet.takes_ld, i)) continue;
    // A function that gets both strides works with arrays in any order. Pass the "ld" that the array has.
    const ArrayOrder order = codelet.knows_order(i) && !has_ld(form, takes) ? other : takes;
    if (!has_ld(form, order)) {
      refuse_array(codelet,
                   fmt::format("argument {} ({}) has gaps between its elements, and so has no \"ld\" in {} order: "
                               "pass numpy.ascontiguousarray(array), or give the function \"row_stride\" and "
                               "\"col_stride\" after the array",
                               i, arrays[i]->description(), order == ArrayOrder::c ? "C" : "Fortran"));
    }
    if (leads_across(form, order)) orders.ld_across |= 1U << i;
  }
  return orders;
}

std::int64_t leading_dimension(const Layout& layout, const CArrayOrders& orders, std::size_t index) {
  if (!has_bit(orders.ld_across, index)) return layout.ld;
  // The layout has one row or one column: see `has_ld`. With one row, the "ld" only has to be large enough.
  return layout.rows > 1 ? 1 : std::max<std::int64_t>(layout.cols, 1);
}

}  // namespace troupe::python
