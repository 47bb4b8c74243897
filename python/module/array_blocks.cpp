#include "python/module/array_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "graph/data/blocks.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

struct Range {
  py::ssize_t begin = 0;
  py::ssize_t count = 0;
  py::ssize_t step = 1;
};

[[noreturn]] void refuse_index(const ArrayData& whole, py::handle index, const char* why) {
  throw py::value_error(
      fmt::format("{} cannot be partitioned by {}: {}", whole.description(), std::string(py::repr(index)), why));
}

Range range_of(const ArrayData& whole, py::handle index, py::handle one, py::ssize_t extent) {
  if (py::isinstance<py::slice>(one)) {
    py::ssize_t begin = 0, end = 0, step = 0, count = 0;
    if (!py::reinterpret_borrow<py::slice>(one).compute(extent, &begin, &end, &step, &count))
      throw py::error_already_set();
    if (step < 1) refuse_index(whole, index, "slices need step 1, or a step above it");
    return {begin, count, step};
  }
  if (PyLong_Check(one.ptr()) != 0) {
    refuse_index(whole, index, "a number takes a dimension away; write i:i+1");
  }
  throw py::type_error(fmt::format("{} is partitioned by slices, as numpy.s_[a:b, c:d], not by {}", whole.description(),
                                   std::string(py::repr(one))));
}

/// Returns the range of each dimension that an index selects.
std::vector<Range> ranges_of(const ArrayData& whole, py::handle index) {
  const ArrayForm& form = whole.form();
  const std::size_t dimensions = form.shape.size();
  const py::tuple all =
      py::isinstance<py::tuple>(index) ? py::reinterpret_borrow<py::tuple>(index) : py::make_tuple(index);
  if (all.size() > dimensions) refuse_index(whole, index, "it has too many dimensions");
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < dimensions; ++i) {
    ranges.push_back(i < all.size() ? range_of(whole, index, all[i], form.shape[i]) : Range{0, form.shape[i]});
  }
  return ranges;
}

/// Returns the ranges in the runtime's rows, columns and planes.
std::array<Range, 3> ranges_in_memory(const ArrayData& whole, py::handle index) {
  const ArrayForm& form = whole.form();
  std::vector<Range> ranges = ranges_of(whole, index);
  const Range one{0, 1};
  if (ranges.size() == 1) {
    if (form.layout.cols == 1) return {ranges[0], one, one};
    return {one, ranges[0], one};
  }
  if (form.order == ArrayOrder::c) std::ranges::reverse(ranges);
  return {ranges[0], ranges[1], ranges.size() == 3 ? ranges[2] : one};
}

/// Returns the block for an index of an array of more than two dimensions whose data are one column for the runtime.
Block block_of_column(const ArrayData& whole, py::handle index) {
  const ArrayForm& form = whole.form();
  const std::vector<Range> ranges = ranges_of(whole, index);
  // The data are one column, so a part must have the full extent in all dimensions except the outermost.
  const std::size_t outermost = form.order == ArrayOrder::c ? 0 : ranges.size() - 1;
  py::ssize_t inner = 1;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].step != 1) refuse_index(whole, index, "slices need step 1");
    if (i == outermost) continue;
    if (ranges[i].count != form.shape[i]) {
      refuse_index(whole, index, "arrays of more than three dimensions can be divided in the outermost one only");
    }
    inner *= form.shape[i];
  }
  return {ranges[outermost].begin * inner, 0, ranges[outermost].count * inner, 1};
}

py::ssize_t width_of(py::handle width) {
  try {
    return width.cast<py::ssize_t>();
  } catch (const py::cast_error&) {
    throw py::type_error(fmt::format("a rim is a whole number of elements, or a tuple of these, not {}",
                                     py::repr(width).cast<std::string>()));
  }
}

std::vector<py::ssize_t> widths_of(py::handle rim, std::size_t dimensions) {
  std::vector<py::ssize_t> widths;
  if (py::isinstance<py::tuple>(rim)) {
    for (const py::handle one : py::reinterpret_borrow<py::tuple>(rim)) widths.push_back(width_of(one));
  } else {
    widths.assign(dimensions, width_of(rim));
  }
  if (widths.size() != dimensions) {
    throw py::value_error(fmt::format("a rim of {} numbers for an array of {} dimensions", widths.size(), dimensions));
  }
  for (const py::ssize_t width : widths) {
    if (width < 0) throw py::value_error(fmt::format("a rim of {}: it cannot be negative", width));
  }
  return widths;
}

}  // namespace

Surrounded with_rim(const ArrayData& whole, py::handle index, py::handle rim) {
  const std::vector<Range> ranges = ranges_of(whole, index);
  const std::vector<py::ssize_t> widths = widths_of(rim, ranges.size());
  Surrounded result{py::tuple(ranges.size()), py::tuple(ranges.size())};
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const Range& range = ranges[i];
    if (range.step != 1) refuse_index(whole, index, "slices with a rim need step 1");
    const py::ssize_t before = std::min(range.begin, widths[i]);
    const py::ssize_t after = std::min(whole.form().shape[i] - range.begin - range.count, widths[i]);
    result.index[i] = py::slice(range.begin - before, range.begin + range.count + after, 1);
    result.inside[i] = py::slice(before, before + range.count, 1);
  }
  return result;
}

Block block_of(const ArrayData& whole, py::handle index) {
  const ArrayForm& form = whole.form();
  if (form.shape.empty()) refuse_index(whole, index, "it has one element");
  if (form.shape.size() > 2 && !form.is_volume) return block_of_column(whole, index);
  const auto [rows, cols, planes] = ranges_in_memory(whole, index);
  if (rows.step != 1 && rows.count > 1) {
    refuse_index(whole, index,
                 "slices need step 1 in the dimension whose elements lie side by side: the last in C order, the first "
                 "in Fortran's");
  }
  return {rows.begin, cols.begin, rows.count, cols.count, planes.begin, planes.count, cols.step, planes.step};
}

ArrayForm form_of_part(const ArrayData& whole, const py::array& part, const Block& block) {
  ArrayForm form = whole.form();
  form.shape.assign(part.shape(), part.shape() + part.ndim());
  form.layout = graph::view_of_block({nullptr, form.layout}, block).layout;
  if (form.shape.size() > 2 && !form.is_volume) form.layout.ld = std::max<std::int64_t>(block.rows, 1);
  return form;
}

}  // namespace troupe::python
