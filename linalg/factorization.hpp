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
  /// No rows are exchanged: LU relies on the matrix.
  none,
  /// The largest element of the whole column becomes the pivot: a panel is one task on all tiles of its block column.
  partial,
  /// The largest element of two tiles becomes the pivot, one pair after the other (`lu_incremental`): no task on more
  /// than two tiles of a column, but less stable.
  incremental,
};

/// `none`, `partial`, `incremental`.
[[nodiscard]] const char* to_string(Pivoting pivoting);

/// Returns true if tiles below the diagonal are eliminated one by one, each in a pair with the diagonal tile: QR, and
/// LU with incremental pivoting.
[[nodiscard]] bool eliminates_pairs(Application application, Pivoting pivoting);
/// The options of `Factorization`.
struct FactorizationOptions {
  Application application = Application::cholesky;
  /// The number of columns of a tile: kernels are faster on larger tiles, smaller tiles leave more to do in parallel.
  /// It may exceed the matrix. 0: `default_tile`.
  std::int64_t tile = 0;
  /// The number of rows of a tile, a multiple of its columns; 0: chosen by the size of the matrix and the number of
  /// workers.
  std::int64_t tile_rows = 0;
  /// The inner block of QR (LAPACK's ib) and of LU with incremental pivoting; 0: `default_inner`.
  std::int64_t inner = 0;
  /// The row exchanges of LU.
  Pivoting pivoting = Pivoting::partial;
  /// True: copies the matrix to tiles that are spread over the NUMA nodes (`TilePlacement::spread`), and back: for
  /// matrices that one thread has initialized, whose pages therefore lie on one node. Without effect with one node.
  bool spread = false;
};

/// The CUDA GPUs that take part in a factorization, as far as the choice of tiles needs to know them.
struct GpuRate {
  std::size_t count = 0;
  /// The operations per second of the slowest of them at its peak, in the precision of the matrix; 0: not known.
  double flops_per_second = 0;
  /// The number of the matrix's elements that each accelerator's memory holds at least; 0: not known, and assumed to be
  /// enough.
  std::uint64_t memory_elements = 0;
};

/// The columns of a tile that measured best, if the matrix is large enough. With GPUs of a known rate tiles are larger
/// than on cores alone, within three bounds: a product of tiles takes at most some 130 microseconds at that rate, the
/// tiles of all tasks that a GPU runs at a time fit into its memory, and tiles have at most 2048 columns (QR: 768).
/// They are never smaller than on cores.
[[nodiscard]] std::int64_t default_tile(Application application, std::int64_t n, const GpuRate& gpus = {});

/// The rows of a tile for a matrix of order `n`: tall tiles give matrix products long columns to work on, as long as
/// there are several tasks left for every worker in each step. A multiple of `tile`; with GPUs it is `tile`.
[[nodiscard]] std::int64_t default_tile_rows(std::int64_t n, std::int64_t tile, std::size_t workers,
                                             const GpuRate& gpus = {});

/// The inner block of QR, and of LU with incremental pivoting, for a tile: larger inner blocks give products more rows
/// and read tiles less often, but all updates do inner / (4 x rows) more operations.
[[nodiscard]] std::int64_t default_inner(std::int64_t tile_rows, std::int64_t tile);

/// The size of the data of the largest task that works on tiles alone, with tiles as `options` names them: three tiles
/// and, where pairs of tiles are eliminated (QR, LU with incremental pivoting), a triangular factor. Tasks on whole
/// block columns (LU with partial pivoting) run on cores.
[[nodiscard]] Bytes largest_task_data(const FactorizationOptions& options, std::int64_t n, std::size_t element_bytes);

/// The operations of the factorization of a `rows` x `cols` matrix, as LAPACK counts them (LAWN 41).
[[nodiscard]] double flop_count(Application application, std::int64_t rows, std::int64_t cols);

/// A matrix with its factors, which the caller's matrix holds as LAPACK's routines leave them (for tile QR: R, and
/// vectors that differ from LAPACK's; for LU with incremental pivoting: U, and a part of L; for Cholesky: L in the
/// lower triangle, and undefined values above). The matrix and the runtime must outlive this object, and the matrix
/// must stay as it is. Used by one thread at a time. `T` is float or double.
template <class T>
class Factorization {
 public:
  /// Factorizes `a`, which is column-major before and after, and returns when it is done. Throws `numerical` where the
  /// matrix is not positive definite or (LU) singular, with only the fault of the matrix as the message: "the matrix is
  /// not positive definite: …"; `a` is then lost. Throws `invalid_argument` for options that do not fit the matrix:
  /// Cholesky and LU need a square one, QR at least as many rows as columns. Cholesky reads the lower triangle of the
  /// matrix, and does not check that it is symmetric. Waits for all tasks of the runtime, and throws their failures.
  Factorization(Runtime& runtime, DenseMatrix<T>& a, const FactorizationOptions& options);
  /// Factorizes a column-major matrix that lies anywhere, with columns `ld` elements apart.
  Factorization(Runtime& runtime, MatrixView<T> a, const FactorizationOptions& options);
  ~Factorization();

  /// The wall-clock seconds of the constructor: including memory and conversions.
  [[nodiscard]] double seconds() const { return seconds_; }
  /// Solves A X = B for a square A, with any number of right-hand sides: overwrites B by X, and returns when that is
  /// done. May be called any number of times. Throws `invalid_argument` where B does not have as many rows as A. Throws
  /// `numerical` where QR has found A to be singular.
  void solve(DenseMatrix<T>& b);
  void solve(MatrixView<T> b);
  /// An estimate of 1 / (|A| |A^-1|) in the 1-norm for a square A, from the factors, where `norm` is the 1-norm of A; 0
  /// where A is singular, NaN where numbers have overflowed. For QR it is the condition of R. For LU it needs partial
  /// pivoting.
  [[nodiscard]] double reciprocal_condition(double norm) const;
  /// Returns how well the factors multiply to the original matrix: one figure for Cholesky and LU, two for QR.
  /// `original` is a copy from before the factorization, which overwrote the matrix. Costs more than the factorization,
  /// and memory for two such matrices.
  [[nodiscard]] std::vector<Residual> residuals(const DenseMatrix<T>& original);

 private:
  void bring_home();

  Runtime& runtime_;
  /// The caller's matrix, with the factors.
  const MatrixView<const T> factors_;
  const FactorizationOptions options_;
  /// QR: the first i, from 1, with R(i, i) = 0; 0 where there is none.
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
