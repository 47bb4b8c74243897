#include "tests/kernels/fake_cuda/cuda_tile_kernels.hpp"

#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace {

struct Index {
  unsigned x = 0;
  unsigned y = 0;
};

// Of the block that the calling thread of the fake runs, and of that of its threads whose turn it is.
thread_local Index threadIdx;
thread_local Index blockIdx;
thread_local Index blockDim;
thread_local Index gridDim;

/// The threads of one block, as contexts that take turns: each runs until the next barrier, or to its end.
class Block {
 public:
  Block() : threads_(kMost), stacks_(kMost * kStackBytes) {}

  static Block& of_this_thread() {
    static thread_local Block block;
    return block;
  }

  /// False if some threads waited at a barrier that others never reached.
  bool run(unsigned count, const std::function<void()>& body) {
    body_ = &body;
    ended_.assign(count, false);
    for (unsigned i = 0; i < count; ++i) prepare(i);
    for (std::size_t left = count; left > 0;) {
      std::size_t ended_now = 0;
      for (current_ = 0; current_ < count; ++current_) {
        if (ended_[current_]) continue;
        threadIdx.x = current_;
        swapcontext(&scheduler_, &threads_[current_]);
        if (ended_[current_]) ++ended_now;
      }
      if (ended_now != 0 && ended_now != left) return false;
      left -= ended_now;
    }
    return true;
  }

  void barrier() {
    const unsigned waiting = current_;
    swapcontext(&threads_[waiting], &scheduler_);
  }

 private:
  static constexpr std::size_t kMost = 1024;
  static constexpr std::size_t kStackBytes = std::size_t{64} << 10U;

  void prepare(unsigned thread) {
    ucontext_t& context = threads_[thread];
    getcontext(&context);
    context.uc_stack.ss_sp = stacks_.data() + thread * kStackBytes;
    context.uc_stack.ss_size = kStackBytes;
    context.uc_link = &scheduler_;
    makecontext(&context, &Block::enter, 0);
  }
  static void enter() {
    Block& block = of_this_thread();
    (*block.body_)();
    block.ended_[block.current_] = true;
  }

  ucontext_t scheduler_{};
  std::vector<ucontext_t> threads_;
  std::vector<char> stacks_;
  const std::function<void()>* body_ = nullptr;
  std::vector<bool> ended_;
  unsigned current_ = 0;
};

// Device code, for one thread of the host. Blocks run one after the other.
#define __device__
#define __global__
#define __shared__ static thread_local
#define __launch_bounds__(threads)
void __syncthreads() { Block::of_this_thread().barrier(); }
void atomicMin(int* to, int value) { *to = std::min(*to, value); }

}  // namespace

#include "kernels/cuda/cuda_tile_kernels.cu"

namespace troupe::tests {

namespace {

/// Runs a grid. `barriers`: the kernel has some, so that its threads take turns.
void run_grid(const FakeLaunch& launch, bool barriers, const std::function<void()>& body) {
  blockDim = {launch.block[0], launch.block[1]};
  gridDim = {launch.grid[0], launch.grid[1]};
  for (blockIdx.y = 0; blockIdx.y < gridDim.y; ++blockIdx.y) {
    for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x) {
      if (barriers) {
        // An address that no device has: the fault that the fake knows.
        if (!Block::of_this_thread().run(blockDim.x, body)) (void)launch.touches(nullptr, 1);
      } else {
        for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x) body();
      }
    }
  }
}

template <class T>
bool touches(const FakeLaunch& launch, const T* data, std::int64_t rows, std::int64_t cols, std::int64_t ld) {
  if (rows == 0 || cols == 0) return true;
  return launch.touches(data, static_cast<std::size_t>((cols - 1) * ld + rows) * sizeof(T));
}

template <class T>
void register_for(FakeCudaControl& fake, const std::string& letter,
                  void (*swap)(T*, std::int64_t, std::int64_t, std::int64_t, const int*, std::int64_t, std::int64_t,
                               int*),
                  void (*unit)(const T*, std::int64_t, T*, std::int64_t, std::int64_t, std::int64_t),
                  void (*zero)(const T*, std::int64_t, std::int64_t, int*),
                  void (*fill)(T*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::uint64_t,
                               double)) {
  using L = std::int64_t;
  register_kernel<T*, L, L, L, const int*, L, L, int*>(
      fake, "troupe_swap_rows_" + letter,
      [=](const FakeLaunch& launch, T* c, L ld, L rows, L cols, const int* pivots, L count, L first, int* info) {
        if (!touches(launch, pivots, count, 1, count) || !touches(launch, info, 1, 1, 1)) return;
        if (!touches(launch, c, rows, cols, ld)) return;
        run_grid(launch, true, [&] { swap(c, ld, rows, cols, pivots, count, first, info); });
      });
  register_kernel<const T*, L, T*, L, L, L>(
      fake, "troupe_unit_lower_" + letter,
      [=](const FakeLaunch& launch, const T* v, L ldv, T* w, L ldw, L rows, L cols) {
        if (!touches(launch, v, rows, cols, ldv) || !touches(launch, w, rows, cols, ldw)) return;
        run_grid(launch, false, [&] { unit(v, ldv, w, ldw, rows, cols); });
      });
  register_kernel<const T*, L, L, int*>(fake, "troupe_first_zero_" + letter,
                                        [=](const FakeLaunch& launch, const T* a, L ld, L order, int* info) {
                                          if (!touches(launch, a, order, order, ld) || !touches(launch, info, 1, 1, 1))
                                            return;
                                          run_grid(launch, true, [&] { zero(a, ld, order, info); });
                                        });
  register_kernel<T*, L, L, L, L, L, std::uint64_t, double>(
      fake, "troupe_fill_symmetric_" + letter,
      [=](const FakeLaunch& launch, T* a, L ld, L rows, L cols, L row, L col, std::uint64_t seed, double diagonal) {
        if (!touches(launch, a, rows, cols, ld)) return;
        run_grid(launch, false, [&] { fill(a, ld, rows, cols, row, col, seed, diagonal); });
      });
}

}  // namespace

void register_tile_kernels(FakeCudaControl& fake) {
  register_for<float>(fake, "s", troupe_swap_rows_s, troupe_unit_lower_s, troupe_first_zero_s, troupe_fill_symmetric_s);
  register_for<double>(fake, "d", troupe_swap_rows_d, troupe_unit_lower_d, troupe_first_zero_d,
                       troupe_fill_symmetric_d);
}

}  // namespace troupe::tests
