/// Matrices as grids of handles.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "troupe/data.hpp"
#include "troupe/ids.hpp"
#include "troupe/runtime.hpp"

namespace troupe {

/// A block-cyclic distribution over a grid of nodes, as ScaLAPACK distributes matrices: tile (i, j) belongs to node (i
/// mod p) q + (j mod q). So in each step of a factorization, every node owns about the same number of the tiles that
/// change, and each row or column of tiles lies on few nodes.
class TileOwners {
 public:
  /// Returns the grid closest to a square that has exactly `nodes` nodes, with at most as many rows as columns.
  static TileOwners square(std::size_t nodes) {
    std::size_t rows = 1;
    for (std::size_t p = 1; p * p <= nodes; ++p) {
      if (nodes % p == 0) rows = p;
    }
    return {rows, nodes / rows};
  }
  /// Returns a distribution of whole block columns over the nodes.
  static TileOwners columns(std::size_t nodes) { return {1, nodes}; }

  [[nodiscard]] NumaId owner(int i, int j) const {
    return NumaId(
        static_cast<std::uint16_t>(static_cast<std::size_t>(i) % rows_ * cols_ + static_cast<std::size_t>(j) % cols_));
  }
  [[nodiscard]] std::size_t nodes() const { return rows_ * cols_; }

 private:
  TileOwners(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols) {
    assert(rows_ > 0 && cols_ > 0 && "there is at least one node");
  }

  std::size_t rows_;
  std::size_t cols_;
};

/// The storage of a tiled matrix's elements.
enum class TileStorage {
  /// Each column of tiles is one block with all its rows (`TiledMatrix::column`), so that cores can factorize panels in
  /// place.
  columns,
  /// Each tile is contiguous by itself: best for kernels that touch one tile at a time.
  tiles,
  /// There is no storage: there are handles of separate tiles, but no memory behind them. Use it for runs in virtual
  /// time without real buffers, whose tasks never touch data.
  none,
};

/// The NUMA node of a tiled matrix's memory.
enum class TilePlacement {
  /// The first task that writes the memory determines its node.
  first_touch,
  /// The memory is spread block-cyclically over the NUMA nodes that have workers (`TileOwners`): separate tiles over a
  /// grid of nodes, columns of tiles over the nodes in turn. In `gather_from`, a worker of a tile's node copies the
  /// tile. With one node this is the same as `first_touch`.
  spread,
};
/// The storage of the elements, and their NUMA nodes.
struct TileLayout {
  TileStorage storage = TileStorage::tiles;
  TilePlacement placement = TilePlacement::first_touch;

  TileLayout(TileStorage tile_storage, TilePlacement tile_placement = TilePlacement::first_touch)  // NOLINT: either
      : storage(tile_storage), placement(tile_placement) {}
};

/// The tiles that a copy or a matrix comprises. `lower` leaves out the tiles above the diagonal.
enum class TilePart { all, lower };

/// The size of a tile. Tall tiles give matrix products more rows to work on at once, but leave less to do in parallel.
struct TileSize {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  /// The number of planes, for blocks of a volume (`Blocks`).
  std::int64_t planes = 1;

  /// Makes square tiles, or cubic blocks of a volume.
  TileSize(std::int64_t edge) : rows(edge), cols(edge), planes(edge) {}  // NOLINT: a number is a square tile's edge
  TileSize(std::int64_t tile_rows, std::int64_t tile_cols, std::int64_t tile_planes = 1)
      : rows(tile_rows), cols(tile_cols), planes(tile_planes) {}
};

/// The blocks of a vector, matrix or volume, by index: block (i, j, k) begins at row `i * size.rows`, column
/// `j * size.cols` and plane `k * size.planes`. The last blocks in each dimension may be smaller. Copies are handles of
/// the same blocks, which are valid as long as the registration of the whole.
class Blocks {
 public:
  /// Divides the data (`Runtime::partition`), and makes a halo part for each block if there is a rim
  /// (`Runtime::halos`). For a vector the size is `{rows, 1}`, for a volume `{rows, cols, planes}`. Throws what these
  /// functions throw, and `invalid_argument` if the size is not positive.
  Blocks(Runtime& runtime, const Handle& whole, TileSize size, std::optional<Rim> rim = {});

  /// Divides the same data again, into blocks of this size (`Runtime::repartition`), and makes halo parts if there is a
  /// rim. The former blocks must not be used any more.
  void repartition(Runtime& runtime, TileSize size, std::optional<Rim> rim = {});

  /// Return the number of block rows, of block columns and of block planes.
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t cols() const { return cols_; }
  [[nodiscard]] std::int64_t planes() const { return planes_; }
  /// Returns block (i, j, k). This function and the next two throw `invalid_argument` for an index that does not exist.
  [[nodiscard]] Handle operator()(std::int64_t i, std::int64_t j = 0, std::int64_t k = 0) const {
    return handles_[index(i, j, k)];
  }
  /// Returns block (i, j, k) with its rim. Throws `invalid_argument` too if the blocks were made without a rim.
  [[nodiscard]] const Halo& halo(std::int64_t i, std::int64_t j = 0, std::int64_t k = 0) const;
  /// Returns where block (i, j, k) lies in the whole.
  [[nodiscard]] const Block& place(std::int64_t i, std::int64_t j = 0, std::int64_t k = 0) const {
    return places_[index(i, j, k)];
  }

 private:
  [[nodiscard]] std::size_t index(std::int64_t i, std::int64_t j, std::int64_t k) const {
    if (i < 0 || j < 0 || k < 0 || i >= rows_ || j >= cols_ || k >= planes_) refuse_index(i, j, k);
    return static_cast<std::size_t>(i + (j + k * cols_) * rows_);
  }
  [[noreturn]] void refuse_index(std::int64_t i, std::int64_t j, std::int64_t k) const;
  /// Computes where the blocks lie if they have this size.
  void cut(Runtime& runtime, TileSize size);

  Handle whole_;
  std::int64_t rows_ = 0;
  std::int64_t cols_ = 0;
  std::int64_t planes_ = 0;
  // One element for each block, in the order of their first elements in memory.
  std::vector<Block> places_;
  std::vector<Handle> handles_;
  std::vector<Halo> halos_;
};

/// The blocks of data whose elements have type `T`, by index: `Blocks` whose type the compiler knows. The elements'
/// type follows from the data: `Collection x(runtime, runtime.vector(elements), {1000, 1}, 1);`.
template <class T>
class Collection : public Blocks {
 public:
  /// Divides the data as `Blocks` does.
  template <Typed D, std::enable_if_t<std::is_same_v<typename D::Element, T>, int> = 0>
  Collection(Runtime& runtime, const D& whole, TileSize size, std::optional<Rim> rim = {})
      : Blocks(runtime, static_cast<Handle>(whole), size, rim) {}

  /// Returns block (i, j, k), as `Blocks` does.
  [[nodiscard]] Part<T> operator()(std::int64_t i, std::int64_t j = 0, std::int64_t k = 0) const {
    return Part<T>(Blocks::operator()(i, j, k));
  }
  /// Returns block (i, j, k) with its rim, as `Blocks` does.
  [[nodiscard]] HaloPart<T> halo(std::int64_t i, std::int64_t j = 0, std::int64_t k = 0) const {
    return HaloPart<T>(Blocks::halo(i, j, k));
  }
};
template <Typed D>
Collection(Runtime&, const D&, TileSize, std::optional<Rim> = {}) -> Collection<typename D::Element>;

/// A `rows` x `cols` matrix cut into tiles; the last row and column of tiles may be smaller. Tile (i, j) is a handle.
/// The memory is the runtime's, or (`in_place`) a column-major matrix of the program. The destructor waits for the last
/// use of every tile.
template <class T>
class TiledMatrix {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "tiled matrices are of float or double: for other types register matrices and partition them");

 public:
  TiledMatrix(TiledMatrix&&) noexcept = default;
  TiledMatrix& operator=(TiledMatrix&&) noexcept = default;

  /// Makes an uninitialized matrix. Throws `invalid_argument`, `out_of_memory`.
  TiledMatrix(Runtime& runtime, std::int64_t rows, std::int64_t cols, TileSize tile,
              TileLayout layout = TileStorage::tiles, const std::string& name = {});
  /// Makes tiles of a column-major matrix in the program's memory, which must outlive the result. Nothing is copied.
  [[nodiscard]] static TiledMatrix in_place(Runtime& runtime, T* data, std::int64_t rows, std::int64_t cols,
                                            std::int64_t ld, TileSize tile, const std::string& name = {});

  /// Makes tiles in the program's memory, which must outlive the result. Each tile is contiguous; the tiles of `part`
  /// lie one after the other, column of tiles by column of tiles. All other tiles have invalid handles.
  [[nodiscard]] static TiledMatrix in_tiles(Runtime& runtime, T* data, std::int64_t rows, std::int64_t cols,
                                            TileSize tile, TilePart part = TilePart::all, const std::string& name = {});

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t cols() const { return cols_; }
  [[nodiscard]] const TileSize& tile() const { return tile_; }
  /// Return the number of tile rows and the number of tile columns.
  [[nodiscard]] int tile_rows() const { return tile_rows_; }
  [[nodiscard]] int tile_cols() const { return tile_cols_; }
  /// `rows_of` returns the number of rows of each tile in tile row i. `cols_of` returns the number of columns of each
  /// tile in tile column j.
  [[nodiscard]] std::int64_t rows_of(int i) const { return least(tile_.rows, rows_ - i * tile_.rows); }
  [[nodiscard]] std::int64_t cols_of(int j) const { return least(tile_.cols, cols_ - j * tile_.cols); }

  /// Return the place where the matrix diagonal enters tile column k: `diagonal` returns the tile row, and
  /// `diagonal_offset` returns the number of rows between the top of that tile row and the diagonal.
  [[nodiscard]] int diagonal(int k) const { return static_cast<int>(k * tile_.cols / tile_.rows); }
  [[nodiscard]] std::int64_t diagonal_offset(int k) const { return k * tile_.cols % tile_.rows; }

  /// Returns the handle of tile (i, j).
  [[nodiscard]] Handle operator()(int i, int j) const { return tiles_[index(i, j)]; }
  /// Returns the NUMA node that owns tile (i, j); an invalid id if the tiles are not spread.
  [[nodiscard]] NumaId owner(int i, int j) const { return owners_ ? owners_->owner(i, j) : NumaId{}; }
  /// Returns all tiles of column j as one block of `rows()` rows. Not available with `TileStorage::tiles`.
  [[nodiscard]] Handle column(int j) const;

  /// Submit tasks that copy a column-major matrix of the program into the tiles (`gather_from`), or the tiles into such
  /// a matrix (`scatter_to`). The memory must remain valid until these tasks have ended. Each tile has a task of its
  /// own, which runs as soon as it can. With a service the calling thread copies tile after tile, and all copies are
  /// complete when the call returns.
  void gather_from(const T* data, std::int64_t ld, TilePart part = TilePart::all);
  void scatter_to(T* data, std::int64_t ld, TilePart part = TilePart::all) const;

 private:
  /// Marks the constructor of a grid that has no handles yet.
  struct Empty {};
  TiledMatrix(Empty, Runtime& runtime, std::int64_t rows, std::int64_t cols, TileSize tile);

  [[nodiscard]] static std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
  [[nodiscard]] std::size_t index(int i, int j) const {
    return static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * static_cast<std::size_t>(tile_rows_);
  }
  /// Cuts the next column of the matrix into tiles.
  void add_column(Data column);
  /// Throws `invalid_argument` if columns of the matrix cannot be `ld` elements apart.
  void check_columns_of_program(std::int64_t ld) const;
  /// Returns a name such as "name(2,1)".
  [[nodiscard]] static std::string tile_name(const std::string& name, int i, int j);

  Runtime* runtime_;
  std::int64_t rows_;
  std::int64_t cols_;
  TileSize tile_;
  int tile_rows_;
  int tile_cols_;
  /// The tiles, column by column.
  std::vector<Handle> tiles_;
  /// The registrations of the tiles: one per existing tile, or one per column of tiles.
  std::vector<Data> registrations_;
  bool has_columns_ = false;
  /// The distribution of the tiles; empty if they are not spread.
  std::optional<TileOwners> owners_;
};

extern template class TiledMatrix<float>;
extern template class TiledMatrix<double>;

}  // namespace troupe
