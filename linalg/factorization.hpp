/// Factorizes a column-major matrix, solves with the factors, and measures how good they are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "linalg/dense_matrix.hpp"
#include "linalg/residuals.hpp"
#include "troupe/runtime.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::linalg {

enum class Application { cholesky, lu, qr };  ///< The factorization to do.

/// `cholesky`, `lu`, `qr`.
[[nodiscard]] const char* to_string(Application application);

/// The way in which LU exchanges rows.
enum class Pivoting {
  /// No rows are exchanged: LU is stable only for suitable matrices.
  none,
  /// The largest element of the whole column becomes the pivot: a panel is one task on all tiles of its block column.
  partial,
  /// The largest element in a pair of tiles becomes the pivot, one pair after the other (`lu_incremental`). No task
  /// needs more than two tiles of a column, but the factorization is less stable.
  incremental,
};

/// Returns "none", "partial" or "incremental".
[[nodiscard]] const char* to_string(Pivoting pivoting);

/// Returns true if tiles below the diagonal are eliminated one by one, each in a pair with the diagonal tile: QR, and
/// LU with incremental pivoting.
[[nodiscard]] bool eliminates_pairs(Application application, Pivoting pivoting);
/// The options of `Factorization`.
struct FactorizationOptions {
  Application application = Application::cholesky;
  /// The number of columns of a tile. Kernels are faster on larger tiles; smaller tiles give more parallelism. A tile
  /// may be larger than the matrix. 0: `default_tile`.
  std::int64_t tile = 0;
  /// The number of rows of a tile, a multiple of the number of its columns. 0: `default_tile_rows`, which takes the
  /// size of the matrix and the devices into account.
  std::int64_t tile_rows = 0;
  /// The number of columns of an inner block, for QR (LAPACK's ib) and LU with incremental pivoting. 0:
  /// `default_inner`.
  std::int64_t inner = 0;
  /// The row exchanges of LU.
  Pivoting pivoting = Pivoting::partial;
  /// True: copies the matrix to tiles that are spread over the NUMA nodes (`TilePlacement::spread`), and back. Use it
  /// if one thread has initialized the matrix, because then all its pages lie on one node. Has no effect on machines
  /// with one node.
  bool spread = false;
};

/// The properties of the CUDA GPUs in a factorization that the choice of tiles depends on.
struct GpuRate {
  std::size_t count = 0;
  /// The peak operations per second of the slowest GPU, in the precision of the matrix; 0: not known.
  double flops_per_second = 0;
  /// The number of elements of the matrix that fit into the smallest accelerator memory; 0: not known, and assumed to
  /// be enough.
  std::uint64_t memory_elements = 0;
};

/// Returns the number of columns of a tile that was the best in measurements, if the matrix is large enough. With GPUs
/// of a known rate, tiles are larger than on cores alone, within three bounds: a product of tiles takes at most about
/// 130 microseconds at that rate; the tiles of all tasks that a GPU runs at a time fit into its memory; and tiles have
/// at most 2048 columns (QR: 768). Tiles are never smaller than on cores.
[[nodiscard]] std::int64_t default_tile(Application application, std::int64_t n, const GpuRate& gpus = {});

/// Returns the number of rows of a tile for a matrix of order `n`, a multiple of `tile`. Matrix products are faster on
/// tall tiles, so tiles are as tall as possible while every worker still has several tasks in each step. With GPUs the
/// result is `tile`.
[[nodiscard]] std::int64_t default_tile_rows(std::int64_t n, std::int64_t tile, std::size_t workers,
                                             const GpuRate& gpus = {});

/// Returns the number of columns of an inner block of QR, and of LU with incremental pivoting, for a tile. With larger
/// inner blocks, products have more rows and tiles are read less often, but the operations of all updates grow by the
/// fraction inner / (4 x rows).
[[nodiscard]] std::int64_t default_inner(std::int64_t tile_rows, std::int64_t tile);

/// Returns the size of the data of the largest task on single tiles: three tiles of the size in `options` and, if pairs
/// of tiles are eliminated (QR, LU with incremental pivoting), a triangular factor. Tasks on whole block columns (LU
/// with partial pivoting) run on cores.
[[nodiscard]] Bytes largest_task_data(const FactorizationOptions& options, std::int64_t n, std::size_t element_bytes);

/// Returns the number of operations of the factorization of a `rows` x `cols` matrix, as LAPACK counts them (LAWN 41).
[[nodiscard]] double flop_count(Application application, std::int64_t rows, std::int64_t cols);

/// A factorized matrix. The factors are stored in the caller's matrix in the form of LAPACK's routines, with these
/// differences. Tile QR: R, and vectors that differ from LAPACK's. LU with incremental pivoting: U, and a part of L.
/// Cholesky: L in the lower triangle, and undefined values above. The matrix and the runtime must outlive this object,
/// and the caller must not change the matrix. Only one thread at a time may use the object. `T` is float or double.
template <class T>
class Factorization {
 public:
  /// Factorizes `a`, which is column-major before and after, and returns when the factorization has ended. Throws
  /// `numerical` if the matrix is not positive definite (Cholesky) or is singular (LU). The message then names only the
  /// fault of the matrix: "the matrix is not positive definite: …"; the content of `a` is lost. Throws
  /// `invalid_argument` for options that do not suit the matrix: Cholesky and LU need a square matrix, QR at least as
  /// many rows as columns. Cholesky reads the lower triangle of the matrix, and does not check that it is symmetric.
  /// Waits for the tasks of this factorization, and for no other tasks unless one of them fails.
  Factorization(Runtime& runtime, DenseMatrix<T>& a, const FactorizationOptions& options);
  /// Factorizes a column-major matrix in any memory of the program, with any leading dimension.
  Factorization(Runtime& runtime, MatrixView<T> a, const FactorizationOptions& options);
  ~Factorization();

  /// Returns the wall-clock seconds of the constructor, including allocations and conversions.
  [[nodiscard]] double seconds() const { return seconds_; }
  /// Solves A X = B for a square A, with any number of right-hand sides: overwrites B with X, and returns when the
  /// tasks have ended. May be called any number of times. Throws `invalid_argument` if B does not have as many rows as
  /// A. Throws `numerical` if QR has found that A is singular.
  void solve(DenseMatrix<T>& b);
  void solve(MatrixView<T> b);
  /// Returns an estimate of 1 / (|A| |A^-1|) in the 1-norm for a square A, from the factors. `norm` is the 1-norm of A.
  /// The result is 0 if A is singular, and NaN if numbers have overflowed. For QR the result is the condition of R. LU
  /// needs partial pivoting.
  [[nodiscard]] double reciprocal_condition(double norm) const;
  /// Returns the error of the factorization: one figure for Cholesky and LU, two for QR. `original` is a copy of the
  /// matrix from before the factorization. The call takes longer than the factorization, and needs memory for two such
  /// matrices.
  [[nodiscard]] std::vector<Residual> residuals(const DenseMatrix<T>& original);

 private:
  void acquire_copies(TilePart part);

  Runtime& runtime_;
  /// The caller's matrix, with the factors.
  const MatrixView<const T> factors_;
  const FactorizationOptions options_;
  /// For QR, the first i, from 1, with R(i, i) = 0; 0 if there is none.
  std::int64_t zero_on_diagonal_ = 0;
  /// Keeps the caller's matrix pinned, for GPUs.
  std::shared_ptr<void> pinned_;
  std::unique_ptr<TiledMatrix<T>> tiles_;
  std::unique_ptr<Pivots> pivots_;
  std::unique_ptr<IncrementalFactors<T>> pairs_;
  std::unique_ptr<QrFactors<T>> reflectors_;
  double seconds_ = 0;
};

}  // namespace troupe::linalg
