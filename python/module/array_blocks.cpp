#include "python/module/array_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace troupe::python {

namespace py = pybind11;

namespace {

struct Range {
  py::ssize_t begin = 0;
  py::ssize_t count = 0;
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
    if (step != 1) refuse_index(whole, index, "slices need step 1");
    return {begin, count};
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

std::vector<py::ssize_t> widths_of(py::handle rim, std::size_t dimensions) {
  std::vector<py::ssize_t> widths;
  if (py::isinstance<py::tuple>(rim)) {
    for (const py::handle one : py::reinterpret_borrow<py::tuple>(rim)) widths.push_back(one.cast<py::ssize_t>());
  } else {
    widths.assign(dimensions, rim.cast<py::ssize_t>());
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
    const py::ssize_t before = std::min(range.begin, widths[i]);
    const py::ssize_t after = std::min(whole.form().shape[i] - range.begin - range.count, widths[i]);
    result.index[i] = py::slice(range.begin - before, range.begin + range.count + after, 1);
    result.inside[i] = py::slice(before, before + range.count, 1);
  }
  return result;
}

Block block_of(const ArrayData& whole, py::handle index) {
  const ArrayForm& form = whole.form();
  const std::vector<Range> ranges = ranges_of(whole, index);
  const std::size_t dimensions = ranges.size();
  if (dimensions == 1) {
    if (form.layout.cols == 1) return {ranges[0].begin, 0, ranges[0].count, 1};
    return {0, ranges[0].begin, 1, ranges[0].count};
  }
  if (dimensions == 2) {
    const auto [rows, cols] =
        form.order == ArrayOrder::c ? std::pair(ranges[1], ranges[0]) : std::pair(ranges[0], ranges[1]);
    return {rows.begin, cols.begin, rows.count, cols.count};
  }
  if (dimensions == 0) refuse_index(whole, index, "it has one element");
  // The data are one column, so a part must have the full extent in all dimensions except the outermost.
  const std::size_t outermost = form.order == ArrayOrder::c ? 0 : dimensions - 1;
  py::ssize_t inner = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    if (i == outermost) continue;
    if (ranges[i].count != form.shape[i]) {
      refuse_index(whole, index, "arrays of more than two dimensions can be divided in the outermost one only");
    }
    inner *= form.shape[i];
  }
  return {ranges[outermost].begin * inner, 0, ranges[outermost].count * inner, 1};
}

ArrayForm form_of_part(const ArrayData& whole, const py::array& part, const Block& block) {
  ArrayForm form = whole.form();
  form.shape.assign(part.shape(), part.shape() + part.ndim());
  form.layout.rows = block.rows;
  form.layout.cols = block.cols;
  if (form.shape.size() > 2) form.layout.ld = std::max<std::int64_t>(block.rows, 1);
  return form;
}

}  // namespace troupe::python
