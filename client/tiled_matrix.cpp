#include "troupe/tiled_matrix.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "client/backend.hpp"
#include "graph/codelets/type_names.hpp"
#include "graph/data/data_registry.hpp"
#include "troupe/errors.hpp"

namespace troupe {

namespace {

template <class T>
void copy_block(const T* from, std::int64_t from_ld, T* to, std::int64_t to_ld, std::int64_t rows, std::int64_t cols) {
  for (std::int64_t j = 0; j < cols; ++j) std::copy_n(from + j * from_ld, rows, to + j * to_ld);
}

template <class T>
const Codelet& gather_codelet() {
  static const Codelet codelet =
      Codelet::internal("gather", {AccessMode::write}).cpu([](MatrixView<T> tile, const T* from, std::int64_t ld) {
        copy_block(from, ld, tile.data, tile.ld, tile.rows, tile.cols);
      });
  return codelet;
}

template <class T>
const Codelet& scatter_codelet() {
  static const Codelet codelet =
      Codelet::internal("scatter", {AccessMode::read}).cpu([](MatrixView<const T> tile, T* to, std::int64_t ld) {
        copy_block(tile.data, tile.ld, to, ld, tile.rows, tile.cols);
      });
  return codelet;
}

/// Returns a distance between columns with which equal rows of neighbouring columns do not fall into the same cache
/// set.
std::int64_t padded(std::int64_t rows, std::size_t element_size) {
  const auto line = static_cast<std::int64_t>(64 / element_size);
  const std::int64_t lines = (rows + line - 1) / line;
  return std::max<std::int64_t>(1, (lines % 2 == 0 ? lines + 1 : lines) * line);
}

/// Returns the number of tiles. The code does not round up by adding to the tile size, because a tile may be as large
/// as the type allows, and the sum would overflow.
std::int64_t tiles_in(std::int64_t extent, std::int64_t tile) { return extent / tile + (extent % tile != 0 ? 1 : 0); }

/// The largest number of rows that is accepted. No memory holds a column of so many rows, and `padded` does not
/// overflow for this number.
constexpr std::int64_t kMaxRows = std::numeric_limits<std::int64_t>::max() / 64;

/// The largest number of tiles. The records of so many tiles alone would take more than a terabyte.
constexpr std::int64_t kMostTiles = std::int64_t{1} << 32U;

/// Refuses an impossible rim before anything is divided.
void check_rim(const std::optional<Rim>& rim) {
  if (!rim) return;
  if (auto valid = graph::DataRegistry::check_rim(*rim); !valid) throw Error(valid.failure());
}

}  // namespace

template <class T>
TiledMatrix<T>::TiledMatrix(Empty, Runtime& runtime, std::int64_t rows, std::int64_t cols, TileSize tile)
    : runtime_(&runtime), rows_(rows), cols_(cols), tile_(tile) {
  const std::string which = "a tiled matrix of " + std::to_string(rows) + " x " + std::to_string(cols) +
                            " with tiles of " + std::to_string(tile.rows) + " x " + std::to_string(tile.cols);
  if (rows < 0 || cols < 0 || tile.rows <= 0 || tile.cols <= 0) {
    throw Error(ErrorCode::invalid_argument, which + ": the tile must be at least 1, the sizes at least 0");
  }
  std::int64_t size = 0;
  if (__builtin_mul_overflow(padded(std::min(rows, kMaxRows), sizeof(T)), cols, &size) || rows > kMaxRows ||
      __builtin_mul_overflow(size, sizeof(T), &size)) {
    throw Error(ErrorCode::invalid_argument, which + " is too large for any memory");
  }
  const std::int64_t tile_rows = tiles_in(rows, tile.rows);
  const std::int64_t tile_cols = tiles_in(cols, tile.cols);
  if (std::max(tile_rows, tile_cols) > std::numeric_limits<int>::max()) {
    throw Error(ErrorCode::invalid_argument, which + " has too many tiles: use larger ones");
  }
  tile_rows_ = static_cast<int>(tile_rows);
  tile_cols_ = static_cast<int>(tile_cols);
  const std::string too_many = which + " has more tiles than there is memory for: use larger ones";
  if (tile_rows > 0 && tile_cols > kMostTiles / tile_rows) throw Error(ErrorCode::out_of_memory, too_many);
  try {
    tiles_.reserve(static_cast<std::size_t>(tile_rows * tile_cols));
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_memory, too_many);
  }
}

template <class T>
TiledMatrix<T>::TiledMatrix(Runtime& runtime, std::int64_t rows, std::int64_t cols, TileSize tile, TileLayout layout,
                            const std::string& name)
    : TiledMatrix(Empty{}, runtime, rows, cols, tile) {
  const bool separate = layout.storage != TileStorage::columns;
  if (layout.placement == TilePlacement::spread && runtime.numa_nodes() > 1) {
    owners_ = separate ? TileOwners::square(runtime.numa_nodes()) : TileOwners::columns(runtime.numa_nodes());
  }
  if (separate) {
    for (int j = 0; j < tile_cols_; ++j) {
      for (int i = 0; i < tile_rows_; ++i) {
        const std::string label = tile_name(name, i, j);
        registrations_.push_back(
            layout.storage == TileStorage::none
                ? runtime.matrix<T>(nullptr, rows_of(i), cols_of(j), std::max<std::int64_t>(rows_of(i), 1), label)
                : runtime.allocate_matrix_on<T>(owner(i, j), rows_of(i), cols_of(j), label));
        tiles_.push_back(registrations_.back());
      }
    }
    return;
  }
  const std::int64_t ld = padded(rows, sizeof(T));
  for (int j = 0; j < tile_cols_; ++j) {
    add_column(runtime.allocate_matrix_on<T>(owner(0, j), rows, cols_of(j),
                                             name.empty() ? "" : name + ":" + std::to_string(j), ld));
  }
}

template <class T>
TiledMatrix<T> TiledMatrix<T>::in_place(Runtime& runtime, T* data, std::int64_t rows, std::int64_t cols,
                                        std::int64_t ld, TileSize tile, const std::string& name) {
  TiledMatrix result(Empty{}, runtime, rows, cols, tile);
  for (int j = 0; j < result.tile_cols_; ++j) {
    result.add_column(runtime.matrix(data + j * tile.cols * ld, rows, result.cols_of(j), ld,
                                     name.empty() ? "" : name + ":" + std::to_string(j)));
  }
  return result;
}

template <class T>
TiledMatrix<T> TiledMatrix<T>::in_tiles(Runtime& runtime, T* data, std::int64_t rows, std::int64_t cols, TileSize tile,
                                        TilePart part, const std::string& name) {
  TiledMatrix result(Empty{}, runtime, rows, cols, tile);
  for (int j = 0; j < result.tile_cols_; ++j) {
    for (int i = 0; i < result.tile_rows_; ++i) {
      if (part == TilePart::lower && i < result.diagonal(j)) {
        result.tiles_.emplace_back();
        continue;
      }
      const std::int64_t height = result.rows_of(i);
      result.registrations_.push_back(
          runtime.matrix(data, height, result.cols_of(j), std::max<std::int64_t>(height, 1), tile_name(name, i, j)));
      result.tiles_.push_back(result.registrations_.back());
      data += height * result.cols_of(j);
    }
  }
  return result;
}

template <class T>
std::string TiledMatrix<T>::tile_name(const std::string& name, int i, int j) {
  return name.empty() ? "" : name + "(" + std::to_string(i) + "," + std::to_string(j) + ")";
}

template <class T>
void TiledMatrix<T>::add_column(Data column) {
  const int j = static_cast<int>(registrations_.size());
  std::vector<Block> blocks;
  for (int i = 0; i < tile_rows_; ++i) blocks.push_back({i * tile_.rows, 0, rows_of(i), cols_of(j)});
  const std::vector<Handle> tiles = runtime_->partition(column, blocks);
  tiles_.insert(tiles_.end(), tiles.begin(), tiles.end());
  registrations_.push_back(std::move(column));
  has_columns_ = true;
}

template <class T>
Handle TiledMatrix<T>::column(int j) const {
  if (!has_columns_) {
    throw Error(ErrorCode::invalid_argument,
                "a matrix of separate tiles has no block columns: use "
                "TileStorage::columns or in_place");
  }
  return registrations_[static_cast<std::size_t>(j)];
}

template <class T>
void TiledMatrix<T>::check_columns_of_program(std::int64_t ld) const {
  if (ld >= rows_) return;
  throw Error(ErrorCode::invalid_argument, "columns of " + std::to_string(rows_) + " elements cannot be " +
                                               std::to_string(ld) +
                                               " elements apart: the leading dimension is at "
                                               "least the number of rows");
}

template <class T>
void TiledMatrix<T>::gather_from(const T* data, std::int64_t ld, TilePart part) {
  check_columns_of_program(ld);
  const bool by_tasks = runtime_->backend().shares_memory();
  for (int j = 0; j < tile_cols_; ++j) {
    for (int i = part == TilePart::lower ? diagonal(j) : 0; i < tile_rows_; ++i) {
      if (!by_tasks) {
        const HostAccess access = runtime_->acquire((*this)(i, j), AccessMode::write);
        const MatrixView<T> tile = access.matrix<T>();
        copy_block(data + i * tile_.rows + j * tile_.cols * ld, ld, tile.data, tile.ld, tile.rows, tile.cols);
        continue;
      }
      runtime_->submit(gather_codelet<T>(), {(*this)(i, j)}, args(data + i * tile_.rows + j * tile_.cols * ld, ld),
                       {.numa_node = owner(i, j)});
    }
  }
}

template <class T>
void TiledMatrix<T>::scatter_to(T* data, std::int64_t ld, TilePart part) const {
  check_columns_of_program(ld);
  const bool by_tasks = runtime_->backend().shares_memory();
  for (int j = 0; j < tile_cols_; ++j) {
    for (int i = part == TilePart::lower ? diagonal(j) : 0; i < tile_rows_; ++i) {
      if (!by_tasks) {
        const HostAccess access = runtime_->acquire((*this)(i, j), AccessMode::read);
        const MatrixView<T> tile = access.matrix<T>();
        copy_block(tile.data, tile.ld, data + i * tile_.rows + j * tile_.cols * ld, ld, tile.rows, tile.cols);
        continue;
      }
      runtime_->submit(scatter_codelet<T>(), {(*this)(i, j)}, args(data + i * tile_.rows + j * tile_.cols * ld, ld));
    }
  }
}

Blocks::Blocks(Runtime& runtime, const Handle& whole, TileSize size, std::optional<Rim> rim) : whole_(whole) {
  check_rim(rim);
  cut(runtime, size);
  handles_ = runtime.partition(whole, places_);
  if (rim) halos_ = runtime.halos(whole, places_, *rim);
}

void Blocks::repartition(Runtime& runtime, TileSize size, std::optional<Rim> rim) {
  check_rim(rim);
  for (const Halo& halo : std::exchange(halos_, {})) runtime.release(halo);
  cut(runtime, size);
  handles_ = runtime.repartition(whole_, places_);
  if (rim) halos_ = runtime.halos(whole_, places_, *rim);
}

void Blocks::cut(Runtime& runtime, TileSize size) {
  const Layout layout = runtime.backend().layout_of(whole_).value_or_throw();
  if (size.rows <= 0 || size.cols <= 0 || size.planes <= 0) {
    const bool flat = layout.planes == 1 && size.planes > 0;
    const Layout block{.rows = size.rows, .cols = size.cols, .planes = flat ? 1 : size.planes};
    throw Error(ErrorCode::invalid_argument,
                "blocks of " + shape_text(block) + " elements: a block has at least one in each dimension");
  }
  const auto count_of = [](std::int64_t extent, std::int64_t each) {
    return extent / each + (extent % each != 0 ? 1 : 0);
  };
  rows_ = count_of(layout.rows, size.rows);
  cols_ = count_of(layout.cols, size.cols);
  planes_ = count_of(layout.planes, size.planes);
  places_.clear();
  for (std::int64_t at = 0; at < rows_ * cols_ * planes_; ++at) {
    const std::int64_t row = at % rows_ * size.rows;
    const std::int64_t col = at / rows_ % cols_ * size.cols;
    const std::int64_t plane = at / rows_ / cols_ * size.planes;
    places_.push_back({row, col, std::min(size.rows, layout.rows - row), std::min(size.cols, layout.cols - col), plane,
                       std::min(size.planes, layout.planes - plane)});
  }
}

const Halo& Blocks::halo(std::int64_t i, std::int64_t j, std::int64_t k) const {
  const std::size_t place = index(i, j, k);
  if (!halos_.empty()) return halos_[place];
  throw Error(ErrorCode::invalid_argument,
              "the blocks were made without a rim, so they have no halo parts: give "
              "Blocks a rim");
}

void Blocks::refuse_index(std::int64_t i, std::int64_t j, std::int64_t k) const {
  const bool deep = planes_ > 1 || k != 0;
  throw Error(ErrorCode::invalid_argument, "block (" + std::to_string(i) + ", " + std::to_string(j) +
                                               (deep ? ", " + std::to_string(k) : "") + ") does not exist: there are " +
                                               std::to_string(rows_) + " x " + std::to_string(cols_) +
                                               (deep ? " x " + std::to_string(planes_) : "") + " blocks");
}

template class TiledMatrix<float>;
template class TiledMatrix<double>;

}  // namespace troupe
