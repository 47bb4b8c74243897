#include "kernels/cuda/cuda_super_blocks.hpp"

#include <algorithm>

#include "kernels/block_rows.hpp"
#include "kernels/breakdown.hpp"
#include "kernels/cuda/cuda_blas.hpp"
#include "kernels/cuda/cuda_call.hpp"
#include "kernels/cuda/cuda_kernels.hpp"
#include "kernels/sparse/super_block_batches.hpp"
#include "kernels/sparse/super_blocks_on_gpus.hpp"

namespace troupe::kernels {

namespace {

template <class T>
using Left = SuperBlock<const T>;

/// Returns the distance from one block to the next, in elements.
template <class T>
std::int64_t step_of(const SuperBlock<T>& all) {
  return all.packed().rows * all.packed().ld;
}

/// The batched calls of one step, on a stream.
template <class T>
class SuperBlockCalls {
 public:
  /// Writes the addresses of the operands to the device's memory.
  SuperBlockCalls(CudaStream& stream, const BlockBatches& batches, const Left<T>& left, const Left<T>& right,
                  const SuperBlock<T>& result)
      : stream_(stream), left_(left), right_(right), result_(result) {
    pointers_ = stream.work_space<BlockPointers<T>>(1);
    const BlockMemory<T> memory{left.packed().data, right.packed().data, result.packed().data,
                                step_of(left),      step_of(right),      step_of(result)};
    note_blocks(stream, batches.places(), batches.count(), memory, pointers_);
  }

  void multiply(const BlockBatch& batch) const {
    cuda::subtract_products<T>(stream_, order(), batch.count, {pointers_->left + batch.first, left_.packed().ld},
                               {pointers_->right + batch.first, right_.packed().ld}, results(batch));
  }
  void solve_upper(const BlockBatch& batch) const {
    cuda::solve_triangles<T>(stream_, 'R', 'U', 'N', order(), batch.count,
                             {pointers_->right + batch.first, right_.packed().ld}, results(batch));
  }
  void solve_lower(const BlockBatch& batch) const {
    cuda::solve_triangles<T>(stream_, 'L', 'L', 'U', order(), batch.count,
                             {pointers_->left + batch.first, left_.packed().ld}, results(batch));
  }

 private:
  [[nodiscard]] std::int64_t order() const { return result_.block_order(); }
  [[nodiscard]] cuda::Blocks<T> results(const BlockBatch& batch) const {
    return {pointers_->result + batch.first, result_.packed().ld};
  }

  CudaStream& stream_;
  const Left<T> left_;
  const Left<T> right_;
  const SuperBlock<T> result_;
  BlockPointers<T>* pointers_ = nullptr;
};

/// Runs the calls in their order. `factorize(call)` runs a call that factorizes, and returns its number of launches.
template <class T, class Factorize>
void run_batches(CudaStream& stream, SuperBlockStep step, const BlockBatches& batches, const Left<T>& left,
                 const Left<T>& right, const SuperBlock<T>& result, Factorize factorize) {
  if (batches.calls().empty() || result.block_order() == 0) return stream.count(step, 0);
  const SuperBlockCalls<T> calls(stream, batches, left, right, result);
  std::uint64_t launches = 1;
  for (const BlockBatch& batch : batches.calls()) {
    switch (batch.kind) {
      case BlockBatch::Kind::factorize: launches += factorize(batch); break;
      case BlockBatch::Kind::solve_upper: calls.solve_upper(batch), ++launches; break;
      case BlockBatch::Kind::solve_lower: calls.solve_lower(batch), ++launches; break;
      case BlockBatch::Kind::multiply: calls.multiply(batch), ++launches; break;
    }
  }
  stream.count(step, launches);
}

template <class T>
void run_batches(CudaStream& stream, SuperBlockStep step, const BlockBatches& batches, const Left<T>& left,
                 const Left<T>& right, const SuperBlock<T>& result) {
  run_batches(stream, step, batches, left, right, result, [](const BlockBatch&) { return 0; });
}

/// Factorizes a block of the diagonal, `kFactoredAtOnce` rows at a time; returns the number of launches.
template <class T>
int factorize_in_parts(CudaStream& stream, MatrixView<T> a, PivotTask<T> task, std::int64_t* report, int* zero_pivot) {
  const std::int64_t above = task.above;
  int launches = 0;
  for (std::int64_t at = 0; at < a.cols; at += cuda::kFactoredAtOnce) {
    const std::int64_t width = std::min(cuda::kFactoredAtOnce, a.cols - at);
    const std::int64_t after = at + width;
    const std::int64_t rest = a.cols - after;
    const MatrixView<T> diagonal = part(a, at, at, width, width);
    task.above = above + at;
    factor_block(stream, diagonal, task, report, zero_pivot);
    task.begins = false;
    ++launches;
    if (rest == 0) continue;
    const MatrixView<T> below = part(a, after, at, rest, width);
    const MatrixView<T> right = part(a, at, after, width, rest);
    cuda::solve_triangular(stream, 'R', 'U', 'N', 'N', constant(diagonal), below);
    cuda::solve_triangular(stream, 'L', 'L', 'N', 'U', constant(diagonal), right);
    cuda::gemm<T>(stream, 'N', 'N', T{-1}, constant(below), constant(right), T{1}, part(a, after, after, rest, rest));
    launches += 3;
  }
  return launches;
}

}  // namespace

namespace cuda {

template <class T>
void factorize_super_block(CudaStream& stream, const SuperBlock<T>& d, T least, std::int64_t first,
                           std::int64_t* report, int* zero_pivot) {
  if (!d.full(0, 0) || d.block_order() == 0) {
    factor_block(stream, part(d.packed(), 0, 0, 0, 0), {least, 0, first, true}, report, zero_pivot);
    return stream.count(SuperBlockStep::factorize, 1);
  }
  const auto factorize = [&](const BlockBatch& batch) {
    const PivotTask<T> task{least, batch.k * d.block_order(), first, batch.k == 0};
    return factorize_in_parts(stream, d.block(batch.k, batch.k), task, report, zero_pivot);
  };
  run_batches<T>(stream, SuperBlockStep::factorize, factorization_batches(d.mask(), d.side()), d.constant(),
                 d.constant(), d, factorize);
}

template <class T>
void solve_with_upper(CudaStream& stream, const SuperBlock<const T>& d, const SuperBlock<T>& a) {
  run_batches<T>(stream, SuperBlockStep::solve_upper, upper_solve_batches(d.mask(), a.mask(), a.side()), a.constant(),
                 d, a);
}

template <class T>
void solve_with_lower(CudaStream& stream, const SuperBlock<const T>& d, const SuperBlock<T>& b) {
  run_batches<T>(stream, SuperBlockStep::solve_lower, lower_solve_batches(d.mask(), b.mask(), b.side()), d,
                 b.constant(), b);
}

template <class T>
void subtract_product(CudaStream& stream, const SuperBlock<const T>& a, const SuperBlock<const T>& b,
                      const SuperBlock<T>& c) {
  run_batches<T>(stream, SuperBlockStep::multiply, product_batches(a.mask(), b.mask(), c.mask(), c.side()), a, b, c);
}

#define TROUPE_INSTANTIATE(T)                                                                                   \
  template void factorize_super_block(CudaStream&, const SuperBlock<T>&, T, std::int64_t, std::int64_t*, int*); \
  template void solve_with_upper(CudaStream&, const SuperBlock<const T>&, const SuperBlock<T>&);                \
  template void solve_with_lower(CudaStream&, const SuperBlock<const T>&, const SuperBlock<T>&);                \
  template void subtract_product(CudaStream&, const SuperBlock<const T>&, const SuperBlock<const T>&,           \
                                 const SuperBlock<T>&);
TROUPE_INSTANTIATE(float)
TROUPE_INSTANTIATE(double)
#undef TROUPE_INSTANTIATE

}  // namespace cuda

namespace {

BlockMask mask_in(const Call& call, std::size_t argument) { return call.context.argument<BlockMask>(argument); }

template <class T>
void factorize_task(const Call& call) {
  const SuperBlock<T> d(call.out<T>(0), mask_in(call, 0), call.number(1));
  const auto least = static_cast<T>(call.context.argument<double>(3));
  const std::int64_t first = call.number(2);
  cuda::factorize_super_block(call.stream, d, least, first, call.context.vector<std::int64_t>(1).data(),
                              call.stream.device_status());
  // If `least` is positive, no pivot is zero.
  if (least > T{0}) return;
  call.stream.watch([first](const std::array<int, StatusPool::kValues>& status) {
    if (status[0] > 0) singular(first + status[0]);
  });
}

template <class T>
void solve_upper_task(const Call& call) {
  const std::int64_t side = call.number(2);
  cuda::solve_with_upper<T>(call.stream, {call.in<T>(0), mask_in(call, 0), side},
                            {call.out<T>(1), mask_in(call, 1), side});
}

template <class T>
void solve_lower_task(const Call& call) {
  const std::int64_t side = call.number(2);
  cuda::solve_with_lower<T>(call.stream, {call.in<T>(0), mask_in(call, 0), side},
                            {call.out<T>(1), mask_in(call, 1), side});
}

template <class T>
void multiply_task(const Call& call) {
  const std::int64_t side = call.number(3);
  cuda::subtract_product<T>(call.stream, {call.in<T>(0), mask_in(call, 0), side},
                            {call.in<T>(1), mask_in(call, 1), side}, {call.out<T>(2), mask_in(call, 2), side});
}

}  // namespace

template <class T>
void add_gpu_implementations(SuperBlockCodelets<T>& codelets) {
  if (!has_device_code()) return;
  implement(codelets.factorize, factorize_task<T>);
  implement(codelets.solve_upper, solve_upper_task<T>);
  implement(codelets.solve_lower, solve_lower_task<T>);
  implement(codelets.multiply, multiply_task<T>);
}

template void add_gpu_implementations(SuperBlockCodelets<float>&);
template void add_gpu_implementations(SuperBlockCodelets<double>&);

SuperBlockLaunches super_block_launches() {
  const std::shared_ptr<CudaStreams> streams = CudaStreams::held();
  return streams ? streams->super_block_launches() : SuperBlockLaunches{};
}

}  // namespace troupe::kernels
