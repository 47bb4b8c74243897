#include "linalg/factorization.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/condition_number.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/gpu_rate.hpp"
#include "linalg/wait_for_factors.hpp"
#include "troupe/devices.hpp"

namespace troupe::linalg {

const char* to_string(Application application) {
  switch (application) {
    case Application::cholesky: return "cholesky";
    case Application::lu: return "lu";
    case Application::qr: return "qr";
  }
  return "unknown";
}

const char* to_string(Pivoting pivoting) {
  switch (pivoting) {
    case Pivoting::none: return "none";
    case Pivoting::partial: return "partial";
    case Pivoting::incremental: return "incremental";
  }
  return "unknown";
}

bool eliminates_pairs(Application application, Pivoting pivoting) {
  return application == Application::qr || (application == Application::lu && pivoting == Pivoting::incremental);
}

namespace {

std::int64_t default_tile_on_cores(Application application, std::int64_t n) {
  // A dozen block columns keep a few cores busy. QR needs more block columns, because its panels have more work and run
  // at half the speed of the updates.
  const bool qr = application == Application::qr;
  const std::int64_t best = qr ? 256 : 384;
  const std::int64_t across = qr ? 16 : 12;
  return std::clamp<std::int64_t>((n / across + 31) / 32 * 32, 64, best);
}

/// Returns the largest useful edge of a tile on GPUs.
double largest_tile_on_gpus(Application application, const GpuRate& gpus) {
  // The time that one product of tiles should take. With this time, measured factorizations were among the fastest: on
  // an H200 (tiles of 1600 columns), and in virtual time on GPUs with a fiftieth of the rate (tiles of 384 columns). On
  // these slower GPUs, tiles of 960 columns halve the speed (docs/notes/measurements.md).
  constexpr double kProductSeconds = 130e-6;
  double largest = std::cbrt(gpus.flops_per_second * kProductSeconds / 2);
  if (gpus.memory_elements > 0) {
    constexpr int kTilesOfTask = 3;
    const auto tiles = static_cast<double>(kTilesOfTask * traits(DeviceKind::cuda).queue.slots);
    largest = std::min(largest, std::sqrt(static_cast<double>(gpus.memory_elements) / tiles));
  }
  return std::min<double>(largest, application == Application::qr ? 768 : 2048);
}

}  // namespace

std::int64_t default_tile(Application application, std::int64_t n, const GpuRate& gpus) {
  const std::int64_t on_cores = default_tile_on_cores(application, n);
  if (gpus.count == 0 || gpus.flops_per_second <= 0) return on_cores;
  // The numbers of block columns for one GPU with which measured runs were the fastest: 8 in virtual time, and 16 for
  // QR on an H200, because QR's panels have more work.
  const double for_one = application == Application::qr ? 16 : 8;
  const double across = for_one * std::pow(static_cast<double>(gpus.count), 2.0 / 3);
  const double tile = std::min(static_cast<double>(n) / across, largest_tile_on_gpus(application, gpus));
  return std::max(static_cast<std::int64_t>(tile) / 64 * 64, on_cores);
}

std::int64_t default_inner(std::int64_t tile_rows, std::int64_t tile) {
  constexpr std::int64_t kSmallest = 48;
  // The inner block has an eighth of the tile's rows. This costs three percent more operations.
  constexpr std::int64_t kInnerPerTile = 8;
  return std::min(std::max(tile_rows / kInnerPerTile, kSmallest), tile);
}

std::int64_t default_tile_rows(std::int64_t n, std::int64_t tile, std::size_t workers, const GpuRate& gpus) {
  constexpr std::int64_t kTallest = 4608;
  constexpr double kTasksPerWorker = 3;
  // On a GPU, products are not faster with tall tiles, and tall tiles leave too few tasks.
  if (tile >= n || gpus.count > 0) return tile;
  const auto columns = static_cast<double>(n) / static_cast<double>(tile);
  // With c block columns, and tiles h times as high as wide, there are about c^3 / (6 h) updates in c steps.
  const double height = columns * columns / (6 * kTasksPerWorker * static_cast<double>(workers));
  const std::int64_t tallest = std::max<std::int64_t>(kTallest / tile, 1);
  return tile * std::clamp<std::int64_t>(static_cast<std::int64_t>(height), 1, tallest);
}

Bytes largest_task_data(const FactorizationOptions& options, std::int64_t n, std::size_t element_bytes) {
  const std::int64_t cols = std::min(options.tile, n);
  const std::int64_t rows = options.tile_rows > 0 ? std::min(options.tile_rows, n) : cols;
  const std::int64_t inner = options.inner > 0 ? options.inner : default_inner(rows, cols);
  const bool pairs = eliminates_pairs(options.application, options.pivoting);
  const std::int64_t factor = pairs ? std::min(inner, cols) * cols : 0;
  return {static_cast<std::uint64_t>(3 * rows * cols + factor) * element_bytes};
}

double flop_count(Application application, std::int64_t rows, std::int64_t cols) {
  const auto m = static_cast<double>(rows);
  const auto n = static_cast<double>(cols);
  switch (application) {
    case Application::cholesky: return n * n * n / 3 + n * n / 2;
    case Application::lu: return 2 * n * n * n / 3 - n * n / 2;
    case Application::qr: return 2 * n * n * (m - n / 3);
  }
  return 0;
}

namespace {

template <class T>
FactorizationOptions settled(FactorizationOptions options, std::int64_t n, const Runtime& runtime) {
  if (options.tile == 0 || options.tile_rows <= 0) {
    const TileSize chosen = default_tile_size(runtime, options.application, n, sizeof(T), options.tile);
    options.tile = chosen.cols;
    if (options.tile_rows <= 0) options.tile_rows = chosen.rows;
  }
  if (options.inner == 0) options.inner = default_inner(options.tile_rows, options.tile);
  return options;
}

template <class T>
std::int64_t first_zero_on_diagonal(const MatrixView<T>& a) {
  for (std::int64_t i = 0; i < a.cols; ++i) {
    if (a(i, i) == T{0}) return i + 1;
  }
  return 0;
}

/// Returns a view of the matrix. The leading dimension is at least 1, even for a matrix without rows.
template <class T>
MatrixView<T> view_of(DenseMatrix<T>& a) {
  return {a.values.data(), a.rows, a.cols, std::max<std::int64_t>(a.rows, 1)};
}

}  // namespace

template <class T>
Factorization<T>::Factorization(Runtime& runtime, DenseMatrix<T>& a, const FactorizationOptions& options)
    : Factorization(runtime, view_of(a), options) {}

template <class T>
Factorization<T>::Factorization(Runtime& runtime, MatrixView<T> a, const FactorizationOptions& given)
    : runtime_(runtime), factors_{a.data, a.rows, a.cols, a.ld}, options_(settled<T>(given, a.cols, runtime)) {
  const FactorizationOptions& options = options_;
  if (a.rows < a.cols || (a.rows != a.cols && options.application != Application::qr)) {
    throw Error(ErrorCode::invalid_argument, std::string(to_string(options.application)) + " of a " +
                                                 std::to_string(a.rows) + " x " + std::to_string(a.cols) +
                                                 " matrix: QR needs at least as many rows as columns, the others a "
                                                 "square matrix");
  }
  if (given.tile < 0 || given.tile_rows < 0 || given.inner < 0) {
    throw Error(ErrorCode::invalid_argument,
                "tile, tile_rows and inner of a factorization must not be negative: 0 stands for the default");
  }
  const auto start = std::chrono::steady_clock::now();
  const TileSize tile(options.tile_rows, options.tile);
  const bool copied = options.spread && runtime.numa_nodes() > 1;
  const bool columns = options.application == Application::lu && options.pivoting == Pivoting::partial;
  const TileLayout layout(columns ? TileStorage::columns : TileStorage::tiles,
                          copied ? TilePlacement::spread : TilePlacement::first_touch);
  const std::int64_t elements = a.cols == 0 ? 0 : a.ld * (a.cols - 1) + a.rows;
  if (!copied) pinned_ = runtime.pin(a.data, Bytes{static_cast<std::uint64_t>(elements) * sizeof(T)});
  tiles_ = std::make_unique<TiledMatrix<T>>(
      copied ? TiledMatrix<T>(runtime, a.rows, a.cols, tile, layout, "A")
             : TiledMatrix<T>::in_place(runtime, a.data, a.rows, a.cols, a.ld, tile, "A"));
  const TilePart part = options.application == Application::cholesky ? TilePart::lower : TilePart::all;
  if (copied) tiles_->gather_from(a.data, a.ld, part);
  switch (options.application) {
    case Application::cholesky: cholesky(runtime, *tiles_); break;
    case Application::lu:
      switch (options.pivoting) {
        case Pivoting::none: lu_without_pivoting(runtime, *tiles_); break;
        case Pivoting::partial:
          pivots_ = std::make_unique<Pivots>(runtime, a.rows, options.tile);
          lu(runtime, *tiles_, *pivots_);
          break;
        case Pivoting::incremental:
          pairs_ = std::make_unique<IncrementalFactors<T>>(runtime, *tiles_, options.inner);
          lu_incremental(runtime, *tiles_, *pairs_);
          break;
      }
      break;
    case Application::qr:
      reflectors_ = std::make_unique<QrFactors<T>>(runtime, *tiles_, options.inner);
      qr(runtime, *tiles_, *reflectors_);
      break;
  }
  if (copied) tiles_->scatter_to(a.data, a.ld, part);
  wait_for_factors(runtime, [&] {
    if (copied) {
      acquire_copies(part);
    } else {
      acquire_columns(runtime, *tiles_);
    }
    if (pivots_) (void)runtime.acquire(pivots_->all(), AccessMode::read);
  });
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (options.application == Application::qr) zero_on_diagonal_ = first_zero_on_diagonal(a);
}

/// Acquires the tiles of this part, which are copies of the caller's matrix, for writing: so the tasks that copy them
/// back have ended.
template <class T>
void Factorization<T>::acquire_copies(TilePart part) {
  for (int j = 0; j < tiles_->tile_cols(); ++j) {
    for (int i = part == TilePart::lower ? tiles_->diagonal(j) : 0; i < tiles_->tile_rows(); ++i) {
      (void)runtime_.acquire((*tiles_)(i, j), AccessMode::read_write);
    }
  }
}

template <class T>
Factorization<T>::~Factorization() = default;

template <class T>
void Factorization<T>::solve(DenseMatrix<T>& b) {
  solve(view_of(b));
}

template <class T>
void Factorization<T>::solve(MatrixView<T> b) {
  if (tiles_->rows() != tiles_->cols() || b.rows != tiles_->rows()) {
    throw Error(ErrorCode::invalid_argument, "a right-hand side of " + std::to_string(b.rows) +
                                                 " rows does not fit a system of " + std::to_string(tiles_->rows()) +
                                                 " x " + std::to_string(tiles_->cols()));
  }
  if (zero_on_diagonal_ > 0) {
    throw Error(ErrorCode::numerical, "the matrix is singular: element " + std::to_string(zero_on_diagonal_) +
                                          " on the diagonal of R is exactly zero");
  }
  TiledMatrix<T> x = TiledMatrix<T>::in_place(runtime_, b.data, b.rows, b.cols, b.ld, tiles_->tile(), "B");
  switch (options_.application) {
    case Application::cholesky: cholesky_solve(runtime_, *tiles_, x); break;
    case Application::lu:
      switch (options_.pivoting) {
        case Pivoting::none: lu_solve_without_pivoting(runtime_, *tiles_, x); break;
        case Pivoting::partial: lu_solve(runtime_, *tiles_, *pivots_, x); break;
        case Pivoting::incremental: lu_incremental_solve(runtime_, *tiles_, *pairs_, x); break;
      }
      break;
    case Application::qr: qr_solve(runtime_, *tiles_, *reflectors_, x); break;
  }
  wait_for_factors(runtime_, [&] { acquire_columns(runtime_, x); });
}

template <class T>
double Factorization<T>::reciprocal_condition(double norm) const {
  bool finite = std::isfinite(static_cast<T>(norm));
  for (std::int64_t j = 0; j < factors_.cols && finite; ++j) {
    const T* const column = factors_.data + j * factors_.ld;
    finite = std::all_of(column, column + factors_.rows, [](T value) { return std::isfinite(value); });
  }
  if (!finite) return std::numeric_limits<double>::quiet_NaN();
  const MatrixView<const T>& view = factors_;
  switch (options_.application) {
    case Application::cholesky: return kernels::reciprocal_condition_of_cholesky(view, static_cast<T>(norm));
    case Application::lu: return kernels::reciprocal_condition_of_lu(view, static_cast<T>(norm));
    case Application::qr: return kernels::reciprocal_condition_of_triangle(view);
  }
  return 0;
}

template <class T>
std::vector<Residual> Factorization<T>::residuals(const DenseMatrix<T>& original) {
  switch (options_.application) {
    case Application::cholesky: return {cholesky_residual(runtime_, original, *tiles_)};
    case Application::lu:
      if (pairs_) return {incremental_lu_residual(runtime_, original, *tiles_, *pairs_)};
      return {lu_residual(runtime_, original, *tiles_, pivots_ ? pivots_->rows() : std::vector<int>{})};
    case Application::qr: return qr_residuals(runtime_, original, *tiles_, *reflectors_);
  }
  return {};
}

template class Factorization<float>;
template class Factorization<double>;

}  // namespace troupe::linalg
