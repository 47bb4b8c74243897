#include "platform/accelerators/block_copy.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <numeric>
#include <vector>

#include "proto/random.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(block_copies)

namespace {

/// Returns a layout with or without gaps between columns, and between planes.
Layout drawn(Random& random, std::int64_t rows, std::int64_t cols, std::int64_t planes) {
  const std::int64_t ld = std::max<std::int64_t>(rows + random.below(2) * random.below(3), 1);
  const std::int64_t stride = ld * cols + random.below(2) * random.below(5);
  return layout_of<std::uint16_t>({.rows = rows, .cols = cols, .planes = planes, .ld = ld, .plane_stride = stride});
}

DataView view_of(std::vector<std::uint16_t>& memory, const Layout& layout) {
  memory.resize(static_cast<std::size_t>(layout.extent()) + 1);
  return {reinterpret_cast<std::byte*>(memory.data()), layout};
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_element_arrives_where_it_belongs_and_nothing_else_changes) {
  Random random(5);
  int deep = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::int64_t rows = random.below(5);
    const std::int64_t cols = random.below(5);
    const std::int64_t planes = random.below(5);
    std::vector<std::uint16_t> source;
    std::vector<std::uint16_t> target;
    const DataView from = view_of(source, drawn(random, rows, cols, planes));
    const DataView to = view_of(target, drawn(random, rows, cols, planes));
    std::iota(source.begin(), source.end(), std::uint16_t{1});
    std::vector<std::uint16_t> expected = target;
    const auto seen = from.as_volume<std::uint16_t>();
    const VolumeView<std::uint16_t> wanted{expected.data(), rows, cols, planes, to.layout.ld, to.layout.plane_stride};
    for (std::int64_t k = 0; k < planes; ++k) {
      for (std::int64_t c = 0; c < cols; ++c) {
        for (std::int64_t r = 0; r < rows; ++r) wanted(r, c, k) = seen(r, c, k);
      }
    }
    const BlockCopy copy = block_copy(from, to);
    const std::size_t bytes = copy.bytes().count;
    BOOST_TEST_REQUIRE(bytes == from.layout.payload().count);
    deep += copy.planes > 1 && bytes > 0 ? 1 : 0;
    // The bytes move in two pieces, wherever the first one ends.
    const std::size_t middle = bytes == 0 ? 0 : random.below(static_cast<std::uint32_t>(bytes));
    move_bytes(copy, 0, middle);
    move_bytes(copy, middle, bytes);
    BOOST_TEST_REQUIRE(target == expected);
    if (bytes > 0) {
      BOOST_TEST_REQUIRE(copy.from_span() == static_cast<std::size_t>(from.layout.extent()) * 2);
      BOOST_TEST_REQUIRE(copy.to_span() == static_cast<std::size_t>(to.layout.extent()) * 2);
    }
    if (bytes > 0 && from.layout.contiguous() && to.layout.contiguous()) BOOST_TEST_REQUIRE(copy.in_one_run());
  }
  BOOST_TEST(deep > 100);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
