// The tile codelets of kernels/codelets.cpp on CUDA GPUs. These implementations only enqueue work on the context's
// stream.
#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

#include "kernels/block_column.hpp"
#include "kernels/block_rows.hpp"
#include "kernels/breakdown.hpp"
#include "kernels/checks/pivots.hpp"
#include "kernels/cuda/cuda_blas.hpp"
#include "kernels/cuda/cuda_call.hpp"
#include "kernels/cuda/cuda_kernels.hpp"
#include "kernels/cuda/cuda_pivoting.hpp"
#include "kernels/cuda/cuda_reflectors.hpp"
#include "kernels/cuda/cuda_stream.hpp"
#include "kernels/cuda/gpu_codelets.hpp"
#include "kernels/gpu_environment.hpp"

namespace troupe::kernels {

namespace {

template <class T>
using In = MatrixView<const T>;
template <class T>
using Out = MatrixView<T>;
using Status = std::array<int, StatusPool::kValues>;

/// Computes C <- C - op(A) op(B).
template <class T>
void update(CudaStream& s, char ta, char tb, In<T> a, In<T> b, Out<T> c) {
  cuda::gemm(s, ta, tb, T{-1}, a, b, T{1}, c);
}

template <class T>
void gemm_nt(const Call& call) {
  const Out<T> c = call.out<T>(2);
  update<T>(call.stream, 'N', 'T', call.in<T>(0), rows_from(call.in<T>(1), call.number(0), c.cols), c);
}

template <class T>
void gemm_nn(const Call& call) {
  const In<T> a = call.in<T>(0);
  update<T>(call.stream, 'N', 'N', a, rows_from(call.in<T>(1), call.number(0), a.cols), call.out<T>(2));
}

template <class T>
void gemm_tn(const Call& call) {
  const In<T> a = call.in<T>(0);
  update<T>(call.stream, 'T', 'N', a, call.in<T>(1), rows_from(call.out<T>(2), call.number(0), a.cols));
}

template <class T>
void syrk(const Call& call) {
  const In<T> a = call.in<T>(0);
  const Out<T> c = call.out<T>(1);
  const std::int64_t offset = call.number(0);
  const In<T> facing = rows_from(a, offset, c.cols);
  cuda::subtract_own_product(call.stream, facing, rows_from(c, offset, c.cols));
  update<T>(call.stream, 'N', 'T', rows_below(a, offset + c.cols), facing, rows_below(c, offset + c.cols));
}

/// Computes A <- A op(triangle)^-1, where the triangle is in D from row `offset` on.
template <class T, char uplo, char trans>
void trsm_right(const Call& call) {
  const In<T> d = call.in<T>(0);
  cuda::solve_triangular(call.stream, 'R', uplo, trans, 'N', rows_from(d, call.number(0), d.cols), call.out<T>(1));
}

template <class T>
void solve_forward(CudaStream& s, char diag, In<T> d, Out<T> b, std::int64_t offset) {
  const Out<T> facing = rows_from(b, offset, d.cols);
  cuda::solve_triangular(s, 'L', 'L', 'N', diag, rows_from(d, offset, d.cols), facing);
  update<T>(s, 'N', 'N', rows_below(d, offset + d.cols), constant(facing), rows_below(b, offset + d.cols));
}

template <class T, char diag>
void solve_lower(const Call& call) {
  solve_forward(call.stream, diag, call.in<T>(0), call.out<T>(1), call.number(0));
}

template <class T>
void solve_lower_transposed(const Call& call) {
  const In<T> d = call.in<T>(0);
  const Out<T> b = call.out<T>(1);
  const std::int64_t offset = call.number(0);
  const Out<T> facing = rows_from(b, offset, d.cols);
  update<T>(call.stream, 'T', 'N', rows_below(d, offset + d.cols), constant(rows_below(b, offset + d.cols)), facing);
  cuda::solve_triangular(call.stream, 'L', 'L', 'T', 'N', rows_from(d, offset, d.cols), facing);
}

template <class T>
void solve_upper(const Call& call) {
  const In<T> d = call.in<T>(0);
  const Out<T> b = call.out<T>(1);
  const std::int64_t offset = call.number(0);
  const Out<T> facing = rows_from(b, offset, d.cols);
  cuda::solve_triangular(call.stream, 'L', 'U', 'N', 'N', rows_from(d, offset, d.cols), facing);
  update<T>(call.stream, 'N', 'N', rows_from(d, 0, offset), constant(facing), rows_from(b, 0, offset));
}

template <class T>
void potrf(const Call& call) {
  const Out<T> d = call.out<T>(0);
  const std::int64_t offset = call.number(0);
  if (d.cols == 0) return;
  const Out<T> block = rows_from(d, offset, d.cols);
  int* const status = call.stream.device_status();
  cuda::potrf(call.stream, block, status);
  // Check the diagonal, because cuSOLVER 12 does not report a leading minor that is not positive if the minor's order
  // is a multiple of 64. In some of these cases cuSOLVER reports a minor of a larger order.
  first_bad_pivot(call.stream, constant(block), NeededPivots::positive, status + 1);
  call.stream.watch([first = call.number(1)](const Status& values) {
    if (values[0] < 0) throw Error(ErrorCode::kernel_failed, "cusolverDnPotrf was called with a wrong argument");
    const int minor = values[0] > 0 && values[1] > 0 ? std::min(values[0], values[1]) : std::max(values[0], values[1]);
    if (minor > 0) not_positive_definite(first + minor);
  });
  cuda::solve_triangular(call.stream, 'R', 'L', 'T', 'N', constant(block), rows_below(d, offset + d.cols));
}

/// Registers the check of the pivots that `factor_checked` computes for a matrix of `cols` columns. `tell` throws the
/// error for a zero pivot in a row.
void watch_pivots(const Call& call, std::int64_t cols, std::int64_t first, void (*tell)(std::int64_t row)) {
  call.stream.watch([cols, first, tell](const Status& status) {
    if (status[0] < 0) throw Error(ErrorCode::kernel_failed, "cusolverDnGetrf was called with a wrong argument");
    if (status[2] <= cols) not_finite(first + status[2]);
    if (status[1] > 0) tell(first + status[1]);
  });
}

template <class T>
void getrf_without_pivoting(const Call& call) {
  const Out<T> d = call.out<T>(0);
  const std::int64_t offset = call.number(0);
  if (d.cols == 0) return;
  const Out<T> block = rows_from(d, offset, d.cols);
  T* const work = call.stream.work_space<T>(cuda::getrf_work_size(call.stream, block));
  factor_checked(call.stream, block, work, nullptr, call.stream.device_status());
  watch_pivots(call, block.cols, call.number(1), &singular);
  cuda::solve_triangular(call.stream, 'R', 'U', 'N', 'N', constant(block), rows_below(d, offset + d.cols));
}

template <class T>
void getrf_panel(const Call& call) {
  const BlockColumn<T> a(call.context, 1);
  if (a.cols() == 0) return;
  factor_panel(call.stream, a, call.context.vector<int>(0), call.number(0), call.number(1),
               call.stream.device_status());
  // With pivoting, cuSOLVER may report numbers that have overflowed as pivots of zero.
  watch_pivots(call, a.cols(), call.number(1), &singular_or_no_number);
}

/// Exchanges the rows of C from `offset` on with the rows that the pivots name. If a pivot is not a row, the task
/// fails.
template <class T>
void exchange(const Call& call, const BlockColumn<T>& c, std::span<const std::span<const int>> pivots) {
  const std::int64_t offset = call.number(0);
  const std::int64_t above = call.number(1) - offset;
  if (!exchange_rows(call.stream, c, pivots, offset, above, call.stream.device_status())) return;
  call.stream.watch([above, end = above + c.rows()](const Status& status) {
    if (status[0] > 0) unusable_pivot(status[0] - 1, above, end);
  });
}

template <class T>
void swap_and_solve(const Call& call) {
  const In<T> d = call.in<T>(0);
  const std::span<const int> pivots = call.context.vector<const int>(1);
  const BlockColumn<T> c(call.context, 2);
  exchange(call, c, {&pivots, 1});
  solve_forward(call.stream, 'U', d, rows_from(c.tiles().front(), 0, d.rows), call.number(0));
}

template <class T>
void swap_from(const Call& call) {
  const auto pivots = pivots_from(call.context, 0);
  exchange(call, BlockColumn<T>(call.context, pivots.size()), pivots);
}

template <class T>
void factor_tile(const Call& call) {
  const Out<T> a = call.out<T>(0);
  const Out<T> v = call.out<T>(2);
  const Out<T> own = rows_below(a, a.rows - v.rows);
  geqrt(call.stream, own, call.out<T>(1));
  cuda::add(call.stream, T{1}, constant(own), T{0}, constant(v), v);
}

template <class T>
void factor_stack(const Call& call) {
  const Out<T> b = call.out<T>(1);
  tpqrt(call.stream, rows_from(call.out<T>(0), call.number(0), b.cols), b, call.out<T>(2));
}

template <class T, char trans>
void apply_reflectors(const Call& call) {
  const auto v = call.in<T>(0);
  const auto c = call.out<T>(2);
  gemqrt(call.stream, trans, v, call.in<T>(1), rows_below(c, c.rows - v.rows));
}

template <class T, char trans>
void apply_stacked_reflectors(const Call& call) {
  const auto v = call.in<T>(0);
  tpmqrt(call.stream, trans, v, call.in<T>(1), rows_from(call.out<T>(2), call.number(0), v.cols), call.out<T>(3));
}

template <class T>
void fill(const Call& call) {
  fill_symmetric(call.stream, call.out<T>(0), call.number(0), call.number(1), call.context.argument<std::uint64_t>(2),
                 call.context.argument<double>(3));
}

/// The implementation of a codelet.
template <class T>
struct OnGpus {
  Codelet TileCodelets<T>::*codelet;
  void (*implementation)(const Call&);
  /// True if the implementation launches kernels of our own.
  bool needs_device_code = false;
};

}  // namespace

template <class T>
void add_gpu_implementation(Codelet TileCodelets<T>::*member, Codelet& codelet) {
  using C = TileCodelets<T>;
  static constexpr OnGpus<T> kRows[]{
      {&C::potrf, potrf<T>, true},
      {&C::trsm_cholesky, trsm_right<T, 'L', 'T'>},
      {&C::syrk, syrk<T>},
      {&C::gemm_nt, gemm_nt<T>},
      {&C::gemm_nn, gemm_nn<T>},
      {&C::gemm_tn, gemm_tn<T>},
      {&C::solve_lower, solve_lower<T, 'N'>},
      {&C::solve_unit_lower, solve_lower<T, 'U'>},
      {&C::solve_lower_transposed, solve_lower_transposed<T>},
      {&C::solve_upper, solve_upper<T>},
      {&C::getrf_without_pivoting, getrf_without_pivoting<T>, true},
      {&C::trsm_right_upper, trsm_right<T, 'U', 'N'>},
      {&C::getrf_panel, getrf_panel<T>, true},
      {&C::swap_and_solve, swap_and_solve<T>, true},
      {&C::swap_rows, swap_from<T>, true},
      {&C::geqrt, factor_tile<T>, true},
      {&C::gemqrt, apply_reflectors<T, 'N'>, true},
      {&C::gemqrt_transposed, apply_reflectors<T, 'T'>, true},
      {&C::tpqrt, factor_stack<T>, true},
      {&C::tpmqrt, apply_stacked_reflectors<T, 'N'>},
      {&C::tpmqrt_transposed, apply_stacked_reflectors<T, 'T'>},
      {&C::fill_symmetric, fill<T>, true},
  };
  const auto* const row = std::ranges::find(kRows, member, &OnGpus<T>::codelet);
  if (row == std::end(kRows) || (row->needs_device_code && !has_device_code())) return;
  implement(codelet, row->implementation);
}

template void add_gpu_implementation<float>(Codelet TileCodelets<float>::*, Codelet&);
template void add_gpu_implementation<double>(Codelet TileCodelets<double>::*, Codelet&);

std::shared_ptr<void> gpu_environment() { return CudaStreams::hold(); }

}  // namespace troupe::kernels
