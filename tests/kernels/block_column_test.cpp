// Tests block columns that tasks receive as several tiles, on cores.
#include "kernels/block_column.hpp"

#include <boost/test/unit_test.hpp>
#include <numeric>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "kernels/codelets.hpp"
#include "proto/random.hpp"
#include "troupe/arguments.hpp"
#include "troupe/errors.hpp"

namespace troupe::kernels {

BOOST_AUTO_TEST_SUITE(block_columns)

namespace {

constexpr std::int64_t kCols = 5;
constexpr std::int64_t kGap = 3;

/// A column of tiles with these heights. If `apart`, each tile has its own memory. Otherwise the tiles are parts of one
/// block of memory.
class Column {
 public:
  Column(std::vector<std::int64_t> heights, bool apart, std::int64_t cols = kCols) : heights_(std::move(heights)) {
    const std::int64_t rows = std::accumulate(heights_.begin(), heights_.end(), std::int64_t{0});
    const std::int64_t pieces = apart ? static_cast<std::int64_t>(heights_.size()) : 1;
    memory_.assign(static_cast<std::size_t>(pieces * (rows + kGap) * cols), -77);
    Random source(5);
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < heights_.size(); ++i) {
      // Tiles with their own memory have their own leading dimensions.
      const std::int64_t ld = apart ? heights_[i] + kGap : rows + kGap;
      double* const data = memory_.data() + begin;
      views_.push_back({reinterpret_cast<std::byte*>(data), layout_of<double>(heights_[i], cols, ld)});
      begin += apart ? ld * cols : heights_[i];
    }
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < cols; ++j) {
        at(i, j) = static_cast<double>(source.next() >> 11U) * 0x1p-53 - 0.5;
      }
    }
  }

  double& at(std::int64_t row, std::int64_t col) {
    std::size_t tile = 0;
    while (row >= heights_[tile]) row -= heights_[tile++];
    return views_[tile].as_matrix<double>()(row, col);
  }
  [[nodiscard]] std::vector<double> elements() {
    std::vector<double> all;
    const std::int64_t rows = std::accumulate(heights_.begin(), heights_.end(), std::int64_t{0});
    for (std::int64_t j = 0; j < views_.front().layout.cols; ++j) {
      for (std::int64_t i = 0; i < rows; ++i) all.push_back(at(i, j));
    }
    return all;
  }
  [[nodiscard]] std::size_t untouched() const {
    return static_cast<std::size_t>(std::count(memory_.begin(), memory_.end(), -77));
  }
  [[nodiscard]] const std::vector<DataView>& views() const { return views_; }

 private:
  std::vector<std::int64_t> heights_;
  std::vector<double> memory_;
  std::vector<DataView> views_;
};

/// Calls `use` with the context of a task that has these views and arguments.
template <class F>
void with_context(const std::vector<DataView>& views, const Arguments& arguments, F use) {
  std::vector<const DataView*> data;
  for (const DataView& view : views) data.push_back(&view);
  use(KernelContext(data, arguments.view()));
}

void run(const Codelet& codelet, std::vector<DataView> views, const Column& column, const Arguments& arguments) {
  views.insert(views.end(), column.views().begin(), column.views().end());
  with_context(views, arguments, codelet.definition().kernel_for(DeviceKind::cpu_core));
}

bool is_whole(const std::vector<DataView>& views) {
  bool whole = false;
  with_context(views, {}, [&](const KernelContext& context) {
    const auto block = BlockColumn<double>(context, 0).whole();
    whole = block.has_value();
    if (whole) BOOST_TEST(block->data == reinterpret_cast<double*>(views.front().data));
  });
  return whole;
}

DataView view(std::vector<int>& pivots, std::size_t begin, std::size_t end) {
  return {reinterpret_cast<std::byte*>(pivots.data() + begin),
          layout_of<int>(static_cast<std::int64_t>(end - begin), 1, std::max<std::int64_t>(end - begin, 1))};
}

/// Several ways to cut twenty rows into tiles. The first one is a single tile.
const std::vector<std::vector<std::int64_t>> kCuts{{20}, {8, 8, 4}, {9, 1, 10}, {6, 0, 14}};

}  // namespace

BOOST_AUTO_TEST_CASE(tiles_of_one_matrix_are_one_block) {
  for (const auto& heights : kCuts) {
    BOOST_TEST(is_whole(Column(heights, false).views()));
    BOOST_TEST(is_whole(Column(heights, true).views()) == (heights.size() == 1));
  }
}

BOOST_AUTO_TEST_CASE(tiles_that_only_touch_are_no_block) {
  // Each tile is contiguous, and the second tile begins where the first one ends. The tiles are not the upper and the
  // lower part of one matrix, because the columns of this matrix would overlap.
  std::vector<double> memory(40);
  auto* const data = reinterpret_cast<std::byte*>(memory.data());
  const auto tile = [&](std::int64_t begin, std::int64_t rows, std::int64_t cols, std::int64_t ld) {
    return DataView{data + static_cast<std::size_t>(begin) * sizeof(double), layout_of<double>(rows, cols, ld)};
  };
  BOOST_TEST(!is_whole({tile(0, 4, 2, 4), tile(8, 4, 2, 4)}));
  BOOST_TEST(!is_whole({tile(0, 4, 2, 4), tile(4, 4, 2, 4)}));
  BOOST_TEST(!is_whole({tile(0, 4, 2, 9), tile(4, 4, 2, 8)}));
  BOOST_TEST(!is_whole({tile(4, 4, 2, 9), tile(0, 4, 2, 9)}));
  BOOST_TEST(is_whole({tile(0, 4, 2, 8), tile(4, 4, 2, 8)}));
  // With a single column there is no next column that could overlap.
  BOOST_TEST(is_whole({tile(0, 4, 1, 4), tile(4, 4, 1, 4)}));
}

BOOST_AUTO_TEST_CASE(panels_in_pieces_are_those_of_the_whole) {
  for (const std::int64_t offset : {0, 5, 7, 15}) {
    for (const auto& heights : kCuts) {
      for (const bool apart : {false, true}) {
        Column whole({20}, false);
        Column cut(heights, apart);
        const std::size_t untouched = cut.untouched();
        std::vector<int> expected(kCols);
        std::vector<int> pivots(kCols);
        const Arguments arguments = args(offset, offset + 100);
        run(codelets<double>().getrf_panel, {view(expected, 0, kCols)}, whole, arguments);
        run(codelets<double>().getrf_panel, {view(pivots, 0, kCols)}, cut, arguments);
        BOOST_TEST(pivots == expected, boost::test_tools::per_element());
        BOOST_TEST(pivots.front() >= offset + 100);
        BOOST_TEST(cut.elements() == whole.elements(), boost::test_tools::per_element());
        BOOST_TEST(cut.untouched() == untouched);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(rows_are_exchanged_across_pieces) {
  std::vector<int> pivots{119, 110, 104, 119, 107, 105, 118};
  for (const auto& heights : kCuts) {
    for (const bool apart : {false, true}) {
      for (const std::size_t piece : {0, 3, 7}) {
        Column expected({20}, false, 37);
        for (std::size_t i = 0; i < pivots.size(); ++i) {
          const auto row = static_cast<std::int64_t>(i) + 2;
          for (std::int64_t j = 0; j < 37; ++j) std::swap(expected.at(row, j), expected.at(pivots[i] - 100, j));
        }
        Column cut(heights, apart, 37);
        run(codelets<double>().swap_rows, {view(pivots, 0, piece), view(pivots, piece, 7)}, cut,
            args(std::int64_t{2}, std::int64_t{102}));
        BOOST_TEST(cut.elements() == expected.elements(), boost::test_tools::per_element());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(exchanges_in_pieces_come_before_the_solve) {
  // The diagonal tile is not higher than the first tile of the column.
  Column diagonal({5}, false, 3);
  std::vector<int> pivots{117, 103, 109};
  for (const auto& heights : kCuts) {
    for (const bool apart : {false, true}) {
      Column whole({20}, false);
      Column cut(heights, apart);
      const Arguments arguments = args(std::int64_t{1}, std::int64_t{101});
      for (Column* column : {&whole, &cut}) {
        run(codelets<double>().swap_and_solve, {diagonal.views().front(), view(pivots, 0, 3)}, *column, arguments);
      }
      BOOST_TEST(cut.elements() == whole.elements(), boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(pivots_above_and_below_the_column_are_refused) {
  for (const int wrong : {99, 120}) {
    std::vector<int> pivots{103, wrong};
    Column column({8, 12}, true);
    BOOST_CHECK_EXCEPTION(run(codelets<double>().swap_rows, {view(pivots, 0, 1), view(pivots, 1, 2)}, column,
                              args(std::int64_t{2}, std::int64_t{102})),
                          Error, [](const Error& error) {
                            return error.code() == ErrorCode::bad_input &&
                                   std::string(error.what()).find("pivot 1 is none of the rows 100 up to 120") == 0;
                          });
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::kernels
