#include "troupe/tiled_matrix.hpp"

#include <limits>
#include <vector>

#include "tests/client/fixture.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(tiled_matrix)

namespace {

struct Shape {
  std::int64_t rows;
  std::int64_t cols;
  TileSize tile;
};

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all{
      {8, 8, 4},      {7, 5, 3},        {1, 1, 1}, {5, 5, 100},
      {9, 2, {4, 1}}, {2, 9, 2},        {0, 0, 3}, {0, 4, 2},
      {4, 0, 2},      {10, 10, {5, 3}}, {6, 6, 1}, {3, 3, std::numeric_limits<std::int64_t>::max()}};
  return all;
}

std::vector<double> numbered(std::int64_t ld, std::int64_t cols) {
  std::vector<double> data(static_cast<std::size_t>(ld * cols));
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<double>(i + 1);
  return data;
}

/// Submits one task for each tile, which adds 100 x (tile row) + 10 x (tile column) to every element.
void mark_tiles(Runtime& runtime, const TiledMatrix<double>& matrix) {
  static const Codelet mark = Codelet("mark", {AccessMode::read_write}).cpu([](MatrixView<double> tile, int i, int j) {
    for (std::int64_t c = 0; c < tile.cols; ++c) {
      for (std::int64_t r = 0; r < tile.rows; ++r) tile(r, c) += 100 * i + 10 * j;
    }
  });
  for (int j = 0; j < matrix.tile_cols(); ++j) {
    for (int i = 0; i < matrix.tile_rows(); ++i) runtime.submit(mark, {matrix(i, j)}, args(i, j));
  }
}

double marked(const std::vector<double>& original, std::int64_t i, std::int64_t j, std::int64_t ld,
              const TileSize& tile) {
  return original[static_cast<std::size_t>(i + j * ld)] +
         static_cast<double>(100 * (i / tile.rows) + 10 * (j / tile.cols));
}

BOOST_AUTO_TEST_CASE(tiles_cover_the_matrix) {
  Runtime runtime(with_workers(1));
  for (const Shape& shape : shapes()) {
    const TiledMatrix<float> matrix(runtime, shape.rows, shape.cols, shape.tile);
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    for (int i = 0; i < matrix.tile_rows(); ++i) rows += matrix.rows_of(i);
    for (int j = 0; j < matrix.tile_cols(); ++j) cols += matrix.cols_of(j);
    BOOST_TEST(rows == shape.rows);
    BOOST_TEST(cols == shape.cols);
  }
}

BOOST_AUTO_TEST_CASE(what_was_gathered_is_scattered_again) {
  Runtime runtime(with_workers(3));
  for (const TileStorage storage : {TileStorage::tiles, TileStorage::columns}) {
    for (const Shape& shape : shapes()) {
      const std::int64_t ld = shape.rows + 2;
      const std::vector<double> original = numbered(ld, shape.cols);
      std::vector<double> result(original.size(), -1);
      TiledMatrix<double> matrix(runtime, shape.rows, shape.cols, shape.tile, storage, "A");
      matrix.gather_from(original.data(), ld);
      mark_tiles(runtime, matrix);
      matrix.scatter_to(result.data(), ld);
      runtime.wait();
      for (std::int64_t j = 0; j < shape.cols; ++j) {
        for (std::int64_t i = 0; i < ld; ++i) {
          const double expected = i < shape.rows ? marked(original, i, j, ld, shape.tile) : -1;
          BOOST_TEST_REQUIRE(result[static_cast<std::size_t>(i + j * ld)] == expected);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(in_place_works_on_the_programs_memory) {
  Runtime runtime(with_workers(3));
  for (const Shape& shape : shapes()) {
    const std::int64_t ld = shape.rows + 1;
    const std::vector<double> original = numbered(ld, shape.cols);
    std::vector<double> data = original;
    {
      const auto matrix = TiledMatrix<double>::in_place(runtime, data.data(), shape.rows, shape.cols, ld, shape.tile);
      mark_tiles(runtime, matrix);
      // The matrix is destroyed here. Its destructor waits for the last task that uses it.
    }
    for (std::int64_t j = 0; j < shape.cols; ++j) {
      for (std::int64_t i = 0; i < shape.rows; ++i) {
        BOOST_TEST_REQUIRE(data[static_cast<std::size_t>(i + j * ld)] == marked(original, i, j, ld, shape.tile));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_lower_part_is_the_tiles_that_the_diagonal_enters_and_those_below) {
  Runtime runtime(with_workers(2));
  const std::vector<double> original = numbered(6, 6);
  std::vector<double> result(36, 0);
  TiledMatrix<double> matrix(runtime, 6, 6, 2);
  matrix.gather_from(original.data(), 6, TilePart::lower);
  matrix.scatter_to(result.data(), 6, TilePart::lower);
  runtime.wait();
  for (std::int64_t j = 0; j < 6; ++j) {
    for (std::int64_t i = 0; i < 6; ++i) {
      const auto at = static_cast<std::size_t>(i + 6 * j);
      BOOST_TEST(result[at] == (i / 2 >= j / 2 ? original[at] : 0));
    }
  }
}

BOOST_AUTO_TEST_CASE(tiles_in_the_programs_memory_lie_one_after_the_other) {
  Runtime runtime(with_workers(2));
  for (const Shape& shape : shapes()) {
    for (const TilePart part : {TilePart::all, TilePart::lower}) {
      std::vector<double> memory(static_cast<std::size_t>(shape.rows * shape.cols));
      const auto matrix =
          TiledMatrix<double>::in_tiles(runtime, memory.data(), shape.rows, shape.cols, shape.tile, part, "A");
      std::vector<double> expected;
      for (int j = 0; j < matrix.tile_cols(); ++j) {
        for (int i = 0; i < matrix.tile_rows(); ++i) {
          const bool there = part == TilePart::all || i >= matrix.diagonal(j);
          BOOST_TEST(matrix(i, j).id().valid() == there);
          if (!there) continue;
          static const Codelet number =
              Codelet("number", {AccessMode::write}).cpu([](MatrixView<double> tile, double first) {
                for (std::int64_t c = 0; c < tile.cols; ++c) {
                  for (std::int64_t r = 0; r < tile.rows; ++r) tile(r, c) = first++;
                }
              });
          runtime.submit(number, {matrix(i, j)}, args(static_cast<double>(expected.size())));
          for (std::int64_t e = 0; e < matrix.rows_of(i) * matrix.cols_of(j); ++e) {
            expected.push_back(static_cast<double>(expected.size()));
          }
        }
      }
      runtime.wait();
      BOOST_TEST(expected.size() <= memory.size());
      memory.resize(expected.size());
      BOOST_TEST(memory == expected, boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(a_column_is_ordered_with_its_tiles) {
  Runtime runtime(with_workers(2));
  const Codelet scale = Codelet("scale", {AccessMode::read_write}).cpu([](MatrixView<double> column) {
    for (std::int64_t j = 0; j < column.cols; ++j) {
      for (std::int64_t i = 0; i < column.rows; ++i) column(i, j) *= 2;
    }
  });
  const std::vector<double> original = numbered(6, 4);
  std::vector<double> result(24);
  TiledMatrix<double> matrix(runtime, 6, 4, 2, TileStorage::columns);
  matrix.gather_from(original.data(), 6);
  mark_tiles(runtime, matrix);
  for (int j = 0; j < 2; ++j) runtime.submit(scale, {matrix.column(j)});
  matrix.scatter_to(result.data(), 6);
  runtime.wait();
  for (std::int64_t j = 0; j < 4; ++j) {
    for (std::int64_t i = 0; i < 6; ++i) {
      BOOST_TEST(result[static_cast<std::size_t>(i + 6 * j)] == 2 * marked(original, i, j, 6, 2));
    }
  }
}

BOOST_AUTO_TEST_CASE(separate_tiles_have_no_columns) {
  Runtime runtime(with_workers(1));
  const TiledMatrix<double> matrix(runtime, 4, 4, 2);
  BOOST_CHECK_EXCEPTION(std::ignore = matrix.column(0), Error, failure(ErrorCode::invalid_argument, "columns"));
}

BOOST_AUTO_TEST_CASE(a_tile_larger_than_the_matrix_takes_the_memory_of_the_matrix) {
  Runtime runtime(with_workers(1));
  const TiledMatrix<double> matrix(runtime, 10, 10, std::int64_t{1} << 60, TileStorage::columns);
  BOOST_TEST(matrix.tile_rows() == 1);
  BOOST_TEST(matrix.rows_of(0) == 10);
}

BOOST_AUTO_TEST_CASE(sizes_that_cannot_be_are_refused) {
  Runtime runtime(with_workers(1));
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  const auto build = [&](std::int64_t rows, std::int64_t cols, TileSize tile, TileStorage storage) {
    const TiledMatrix<double> matrix(runtime, rows, cols, tile, storage);
  };
  for (const TileStorage storage : {TileStorage::tiles, TileStorage::columns}) {
    for (const Shape& shape :
         {Shape{4, 4, 0}, Shape{4, 4, -1}, Shape{-1, 4, 2}, Shape{4, -1, 2}, Shape{4, 4, {2, 0}}, Shape{kHuge, 1, 1},
          Shape{1, kHuge, 1}, Shape{kHuge, kHuge, kHuge}, Shape{std::int64_t{1} << 40, 1, 1}}) {
      BOOST_CHECK_EXCEPTION(build(shape.rows, shape.cols, shape.tile, storage), Error,
                            failure(ErrorCode::invalid_argument, "a tiled matrix of " + std::to_string(shape.rows)));
    }
    BOOST_CHECK_EXCEPTION(build(std::int64_t{1} << 29, std::int64_t{1} << 29, std::int64_t{1} << 29, storage), Error,
                          failure(ErrorCode::out_of_memory));
    BOOST_CHECK_EXCEPTION(build(std::int64_t{1} << 29, std::int64_t{1} << 29, 1, storage), Error,
                          failure(ErrorCode::out_of_memory));
  }
  double x = 0;
  BOOST_CHECK_EXCEPTION(std::ignore = TiledMatrix<double>::in_place(runtime, &x, 4, 4, 3, 2), Error,
                        failure(ErrorCode::invalid_argument, "leading dimension 3"));
}

BOOST_AUTO_TEST_CASE(names_of_tiles_appear_in_errors) {
  Runtime runtime(with_workers(1));
  const Codelet fails = Codelet("fails", {AccessMode::write}).cpu([](MatrixView<double>) { throw 1; });
  TiledMatrix<double> matrix(runtime, 4, 4, 2, TileStorage::tiles, "A");
  runtime.submit(fails, {matrix(1, 0)});
  BOOST_CHECK_EXCEPTION(runtime.wait(matrix(1, 0)), Error, failure(ErrorCode::cancelled, "A(1,0)"));
}

BOOST_AUTO_TEST_CASE(a_matrix_may_be_moved) {
  Runtime runtime(with_workers(1));
  const std::vector<double> original = numbered(4, 4);
  TiledMatrix<double> first(runtime, 4, 4, 2);
  first.gather_from(original.data(), 4);
  TiledMatrix<double> second = std::move(first);
  std::vector<double> result(16);
  second.scatter_to(result.data(), 4);
  runtime.wait();
  BOOST_TEST(result == original, boost::test_tools::per_element());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
