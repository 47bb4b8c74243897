#include "python/module/linalg/dense_factorizations.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "client/backend.hpp"
#include "graph/tasks/calling_thread.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/gpu_rate.hpp"
#include "linalg/lu.hpp"
#include "linalg/qr.hpp"

namespace troupe::python {

namespace {

using linalg::Application;

/// The elements that are copied from the array of the program.
enum class LoadedElements { all, on_and_below_diagonal };

template <class T>
const Codelet& load_codelet() {
  static const Codelet codelet =
      Codelet::internal("load", {AccessMode::write})
          .cpu([](MatrixView<T> tile, const T* from, std::int64_t row_stride, std::int64_t col_stride,
                  std::int64_t above) { load_block(tile, from, row_stride, col_stride, above); });
  return codelet;
}

template <class T>
const Codelet& store_codelet() {
  static const Codelet codelet =
      Codelet::internal("store", {AccessMode::read})
          .cpu([](MatrixView<const T> tile, T* to, std::int64_t row_stride, std::int64_t col_stride) {
            store_block(tile, to, row_stride, col_stride);
          });
  return codelet;
}

template <class T>
const Codelet& clear_codelet() {
  static const Codelet codelet =
      Codelet::internal("clear", {AccessMode::read_write}).cpu([](MatrixView<T> tile, std::int64_t above) {
        clear_above(tile, above);
      });
  return codelet;
}

template <class T>
const Codelet& split_codelet() {
  static const Codelet codelet = Codelet::internal("split", {AccessMode::read_write})
                                     .cpu([](MatrixView<T> tile, T* lower, std::int64_t lower_ld, std::int64_t above) {
                                       split_block(tile, lower, lower_ld, above);
                                     });
  return codelet;
}

/// Waits for the result. If a factorization breaks down, shortens the message to the fault of the matrix, and leaves
/// out the task that found the fault.
void wait_for_result(Runtime& runtime) {
  try {
    runtime.wait();
  } catch (const Error& error) {
    const std::string text = error.what();
    // The kernels' messages begin with these words.
    const auto cause = text.rfind("the matrix is ");
    if (error.code() != ErrorCode::numerical || cause == std::string::npos) throw;
    throw Error(ErrorCode::numerical, text.substr(cause));
  }
}

/// Ends a factorization whose wait was given up (`graph::WaitInterrupt`): cancels all tasks of the runtime that have
/// not begun, and waits for the others. In a function the object comes after the operands, whose memory the tasks use.
class CancelledIfGivenUp {
 public:
  explicit CancelledIfGivenUp(Runtime& runtime) : runtime_(runtime) {}
  ~CancelledIfGivenUp() {
    const graph::WaitInterrupt* const interrupt = graph::WaitInterrupt::here();
    if (interrupt == nullptr || !interrupt->gave_up()) return;
    const graph::WaitInterrupt uninterrupted;
    try {
      runtime_.cancel();
      runtime_.wait();
    } catch (const std::exception&) {
      // The program gets the exception that gave up the wait, and needs no failures of cancelled tasks.
    }
  }
  CancelledIfGivenUp(const CancelledIfGivenUp&) = delete;
  CancelledIfGivenUp& operator=(const CancelledIfGivenUp&) = delete;

 private:
  Runtime& runtime_;
};

/// An operand as tiles. If kernels can access the program's memory, tasks make the copies. Otherwise, on a service, the
/// calling thread copies before the tiles are made and after they are destroyed.
template <class T>
class TiledOperand {
 public:
  TiledOperand(Runtime& runtime, const Operand<T>& operand, TileSize tile, LoadedElements loaded = LoadedElements::all)
      : runtime_(runtime), operand_(operand), loaded_(loaded), by_tasks_(runtime.backend().shares_memory()) {
    const MatrixView<T> whole{operand.data, operand.rows, operand.cols, operand.rows};
    if (operand.from && !by_tasks_)
      load_block(whole, operand.from->data, operand.from->row_stride, operand.from->col_stride,
                 loaded == LoadedElements::all ? kAllBelow : 0);
    const std::size_t elements = static_cast<std::size_t>(operand.rows) * static_cast<std::size_t>(operand.cols);
    pinned_ = runtime.pin(operand.data, Bytes{elements * sizeof(T)});
    tiles_ = std::make_unique<TiledMatrix<T>>(TiledMatrix<T>::in_place(
        runtime, operand.data, operand.rows, operand.cols, std::max<std::int64_t>(operand.rows, 1), tile));
    if (operand.from && by_tasks_) load(*operand.from);
  }

  [[nodiscard]] TiledMatrix<T>& tiles() { return *tiles_; }

  /// Submits tasks that write zeros above the diagonal. On a service, `finish` does this instead.
  void clear_above_diagonal() {
    clears_ = true;
    if (!by_tasks_) return;
    visit_tiles([&](int i, int j, std::int64_t above) {
      if (above < cols_of(j)) runtime_.submit(clear_codelet<T>(), {(*tiles_)(i, j)}, args(above));
    });
  }
  /// Submits tasks that move the part below the diagonal to `lower`. On a service, `finish` does this instead.
  void split(T* lower) {
    lower_ = lower;
    if (!by_tasks_) return;
    visit_tiles([&](int i, int j, std::int64_t above) {
      if (above + rows_of(i) < 0) return;
      T* const corner = lower + i * tiles_->tile().rows + j * tiles_->tile().cols * operand_.rows;
      runtime_.submit(split_codelet<T>(), {(*tiles_)(i, j)}, args(corner, operand_.rows, above));
    });
  }
  /// Submits the tasks that copy the result to its destination.
  void store() {
    if (!operand_.to || !by_tasks_) return;
    const StridedMatrix<T>& to = *operand_.to;
    visit_tiles([&](int i, int j, std::int64_t) {
      runtime_.submit(store_codelet<T>(), {(*tiles_)(i, j)},
                      args(to.at(i * tiles_->tile().rows, j * tiles_->tile().cols), to.row_stride, to.col_stride));
    });
  }
  /// Called when all tasks have ended. Copies to the program's memory what an accelerator or a service has written.
  void finish() {
    for (int j = 0; j < tiles_->tile_cols(); ++j) (void)runtime_.acquire(tiles_->column(j), AccessMode::read);
    tiles_.reset();
    if (by_tasks_) return;
    const MatrixView<T> whole{operand_.data, operand_.rows, operand_.cols, operand_.rows};
    if (clears_) clear_above(whole, 0);
    if (lower_ != nullptr) split_block(whole, lower_, operand_.rows, 0);
    if (!operand_.to) return;
    store_block(MatrixView<const T>{whole.data, whole.rows, whole.cols, whole.ld}, operand_.to->data,
                operand_.to->row_stride, operand_.to->col_stride);
  }

 private:
  [[nodiscard]] std::int64_t rows_of(int i) const { return tiles_->rows_of(i); }
  [[nodiscard]] std::int64_t cols_of(int j) const { return tiles_->cols_of(j); }
  /// Visits the tiles column by column, in the order in which the tasks that need them are submitted.
  template <class Visit>
  void visit_tiles(const Visit& visit) {
    for (int j = 0; j < tiles_->tile_cols(); ++j) {
      for (int i = 0; i < tiles_->tile_rows(); ++i) {
        visit(i, j, i * tiles_->tile().rows - j * tiles_->tile().cols);
      }
    }
  }
  void load(const StridedMatrix<const T>& from) {
    visit_tiles([&](int i, int j, std::int64_t above) {
      runtime_.submit(load_codelet<T>(), {(*tiles_)(i, j)},
                      args(from.at(i * tiles_->tile().rows, j * tiles_->tile().cols), from.row_stride, from.col_stride,
                           loaded_ == LoadedElements::all ? kAllBelow : above));
    });
  }

  Runtime& runtime_;
  const Operand<T> operand_;
  const LoadedElements loaded_;
  const bool by_tasks_;
  bool clears_ = false;
  T* lower_ = nullptr;
  /// Keeps the memory pinned, for GPUs.
  std::shared_ptr<void> pinned_;
  std::unique_ptr<TiledMatrix<T>> tiles_;
};

}  // namespace

template <class T>
void factorize_cholesky(Runtime& runtime, const Operand<T>& a, TileWidth tile) {
  TiledOperand<T> tiled(runtime, a, linalg::default_tile_size(runtime, Application::cholesky, a.cols, sizeof(T), tile),
                        LoadedElements::on_and_below_diagonal);
  const CancelledIfGivenUp ending(runtime);
  // If the matrix was copied from `a.from`, the copy already has zeros above the diagonal.
  if (!a.from) tiled.clear_above_diagonal();
  linalg::cholesky(runtime, tiled.tiles());
  tiled.store();
  wait_for_result(runtime);
  tiled.finish();
}

template <class T>
std::vector<int> factorize_lu(Runtime& runtime, const Operand<T>& a, T* lower, TileWidth tile) {
  const TileSize size = linalg::default_tile_size(runtime, Application::lu, a.cols, sizeof(T), tile);
  TiledOperand<T> tiled(runtime, a, size);
  const linalg::Pivots pivots(runtime, a.rows, size.cols);
  const CancelledIfGivenUp ending(runtime);
  linalg::lu(runtime, tiled.tiles(), pivots);
  if (lower != nullptr) tiled.split(lower);
  tiled.store();
  wait_for_result(runtime);
  tiled.finish();
  (void)runtime.acquire(pivots.all(), AccessMode::read);
  return pivots.rows();
}

template <class T>
void factorize_qr(Runtime& runtime, const Operand<T>& a, const Operand<T>* q, const Operand<T>* rest, TileWidth tile) {
  const TileSize size = linalg::default_tile_size(runtime, Application::qr, a.cols, sizeof(T), tile);
  TiledOperand<T> tiled(runtime, a, size);
  linalg::QrFactors<T> factors(runtime, tiled.tiles(), linalg::default_inner(size.rows, size.cols));
  std::optional<TiledOperand<T>> orthogonal;
  std::optional<TiledOperand<T>> other;
  const CancelledIfGivenUp ending(runtime);
  linalg::qr(runtime, tiled.tiles(), factors);
  if (q != nullptr) {
    orthogonal.emplace(runtime, *q, size);
    linalg::qr_apply(runtime, tiled.tiles(), factors, false, orthogonal->tiles());
    orthogonal->store();
  }
  if (rest != nullptr) {
    other.emplace(runtime, *rest, size);
    linalg::qr_apply(runtime, tiled.tiles(), factors, true, other->tiles());
    other->store();
  }
  wait_for_result(runtime);
  if (other) other->finish();
  if (orthogonal) orthogonal->finish();
  tiled.finish();
}

template <class T>
void solve_system(Runtime& runtime, Application application, const Operand<T>& a, const Operand<T>& b, TileWidth tile) {
  const TileSize size = linalg::default_tile_size(runtime, application, a.cols, sizeof(T), tile);
  const bool definite = application == Application::cholesky;
  TiledOperand<T> factors(runtime, a, size, definite ? LoadedElements::on_and_below_diagonal : LoadedElements::all);
  TiledOperand<T> x(runtime, b, size);
  std::optional<linalg::Pivots> pivots;
  const CancelledIfGivenUp ending(runtime);
  if (definite) {
    linalg::cholesky(runtime, factors.tiles());
    linalg::cholesky_solve(runtime, factors.tiles(), x.tiles());
  } else {
    pivots.emplace(runtime, a.rows, size.cols);
    linalg::lu(runtime, factors.tiles(), *pivots);
    linalg::lu_solve(runtime, factors.tiles(), *pivots, x.tiles());
  }
  x.store();
  wait_for_result(runtime);
  x.finish();
}

template void factorize_cholesky(Runtime&, const Operand<float>&, TileWidth);
template void factorize_cholesky(Runtime&, const Operand<double>&, TileWidth);
template std::vector<int> factorize_lu(Runtime&, const Operand<float>&, float*, TileWidth);
template std::vector<int> factorize_lu(Runtime&, const Operand<double>&, double*, TileWidth);
template void factorize_qr(Runtime&, const Operand<float>&, const Operand<float>*, const Operand<float>*, TileWidth);
template void factorize_qr(Runtime&, const Operand<double>&, const Operand<double>*, const Operand<double>*, TileWidth);
template void solve_system(Runtime&, Application, const Operand<float>&, const Operand<float>&, TileWidth);
template void solve_system(Runtime&, Application, const Operand<double>&, const Operand<double>&, TileWidth);

}  // namespace troupe::python
