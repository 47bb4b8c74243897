#include "tests/kernels/fake_cuda/cuda_tile_kernels.hpp"

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

struct Index {
  unsigned x = 0;
  unsigned y = 0;
};

// The indices of the thread block that the host thread runs, and of the current thread in this block.
thread_local Index threadIdx;
thread_local Index blockIdx;
thread_local Index blockDim;
thread_local Index gridDim;

/// The threads of one thread block. They are contexts (stacks) in one host thread that take turns: each runs until its
/// next barrier or its end.
class Block {
 public:
  Block() : threads_(kMost), stacks_(new char[kMost * kStackBytes]), onwards_(kMost) {}

  static Block& of_this_thread() {
    static thread_local Block block;
    return block;
  }

  /// Runs the threads. Returns false if some threads waited at a barrier that other threads never reached.
  bool run(unsigned count, const std::function<void()>& body) {
    body_ = &body;
    ended_.assign(count, false);
    begun_.assign(count, false);
    for (unsigned i = 0; i < count; ++i) prepare(i);
    for (std::size_t left = count; left > 0;) {
      std::size_t ended_now = 0;
      for (current_ = 0; current_ < count; ++current_) {
        if (ended_[current_]) continue;
        threadIdx.x = current_;
        resume();
        if (ended_[current_]) ++ended_now;
      }
      if (ended_now != 0 && ended_now != left) return false;
      left -= ended_now;
    }
    return true;
  }

  void barrier() { pause(current_); }

 private:
  // `_longjmp` is much faster than `swapcontext`, which makes a system call to save the signal mask. But sanitizers do
  // not support jumps to another stack, so builds with sanitizers use `swapcontext`.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr bool kJumps = false;
#elif defined(__has_feature)
  static constexpr bool kJumps = !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer);
#else
  static constexpr bool kJumps = true;
#endif
  static constexpr std::size_t kMost = 1024;
  static constexpr std::size_t kStackBytes = std::size_t{64} << 10U;

  void prepare(unsigned thread) {
    ucontext_t& context = threads_[thread];
    getcontext(&context);
    context.uc_stack.ss_sp = stacks_.get() + thread * kStackBytes;
    context.uc_stack.ss_size = kStackBytes;
    context.uc_link = &scheduler_;
    makecontext(&context, &Block::enter, 0);
  }
  static void enter() {
    Block& block = of_this_thread();
    (*block.body_)();
    block.ended_[block.current_] = true;
    if (kJumps) _longjmp(block.back_, 1);
  }
  /// Runs thread `current_` until its next barrier or its end.
  __attribute__((noinline)) void resume() {
    if (!kJumps) {
      swapcontext(&scheduler_, &threads_[current_]);
    } else if (_setjmp(back_) == 0) {
      if (begun_[current_]) _longjmp(onwards_[current_].place, 1);
      begun_[current_] = true;
      setcontext(&threads_[current_]);
    }
  }
  __attribute__((noinline)) void pause(unsigned thread) {
    if (!kJumps) {
      swapcontext(&threads_[thread], &scheduler_);
    } else if (_setjmp(onwards_[thread].place) == 0) {
      _longjmp(back_, 1);
    }
  }

  ucontext_t scheduler_{};
  std::vector<ucontext_t> threads_;
  /// The stacks are not initialized, because most of their memory is never used.
  std::unique_ptr<char[]> stacks_;
  const std::function<void()>* body_ = nullptr;
  std::vector<bool> ended_;
  std::vector<bool> begun_;
  /// The point where a thread, or `resume`, continues after a jump.
  struct Place {
    jmp_buf place;
  };
  std::vector<Place> onwards_;
  jmp_buf back_{};
  unsigned current_ = 0;
};

// Definitions with which the device code can be compiled for the host. Thread blocks run one after the other.
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

using kernels::BlockMemory;
using kernels::BlockPlaces;
using kernels::BlockPointers;
using kernels::PivotTask;
using kernels::TiledColumn;
using kernels::TilePlace;
using kernels::TilePlaces;

/// Runs all thread blocks of a grid. `barriers` is true if the kernel has barriers; then the threads of a block take
/// turns.
void run_grid(const FakeLaunch& launch, bool barriers, const std::function<void()>& body) {
  blockDim = {launch.block[0], launch.block[1]};
  gridDim = {launch.grid[0], launch.grid[1]};
  for (blockIdx.y = 0; blockIdx.y < gridDim.y; ++blockIdx.y) {
    for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x) {
      if (barriers) {
        // No device owns the null address, so this access makes the launch a fault.
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

/// Returns true if the launch may access all memory of a block column.
template <class T>
bool touches(const FakeLaunch& launch, const TiledColumn<T>& column) {
  if (!touches(launch, column.places, column.tiles, 1, column.tiles)) return false;
  return std::all_of(column.places, column.places + column.tiles, [&](const TilePlace<T>& tile) {
    return touches(launch, tile.data, tile.end - tile.begin, column.cols, tile.ld);
  });
}

/// The kernels for one element type.
template <class T>
struct Kernels {
  using L = std::int64_t;
  void (*note)(TilePlaces<T>, TilePlace<T>*, L, int);
  void (*copy)(TiledColumn<T>, L, T*, L, bool);
  void (*settle)(const int*, int*, L, L, L);
  void (*swap)(TiledColumn<T>, const int*, L, L, L, L, int*);
  void (*unit)(const T*, L, T*, L, L, L);
  void (*bad_pivot)(const T*, L, L, bool, int*);
  void (*fill)(T*, L, L, L, L, L, std::uint64_t, double);
  void (*reflectors)(T*, L, L, L, T*, L);
  void (*stacked)(T*, L, T*, L, L, L, T*, L);
  void (*note_blocks)(BlockPlaces, int, BlockMemory<T>, BlockPointers<T>*);
  void (*factor_block)(T*, L, L, PivotTask<T>, L*, int*);
  void (*not_finite)(const T*, L, L, L, int*);
};

template <class T>
void register_for(FakeCudaControl& fake, const std::string& letter, const Kernels<T>& kernels) {
  using L = std::int64_t;
  register_kernel<TilePlaces<T>, TilePlace<T>*, L, int>(
      fake, "troupe_note_places_" + letter,
      [=](const FakeLaunch& launch, TilePlaces<T> some, TilePlace<T>* places, L begin, int count) {
        if (!touches(launch, places + begin, count, 1, count)) return;
        run_grid(launch, false, [&] { kernels.note(some, places, begin, count); });
      });
  register_kernel<TiledColumn<T>, L, T*, L, bool>(
      fake, "troupe_copy_column_" + letter,
      [=](const FakeLaunch& launch, TiledColumn<T> column, L offset, T* w, L ldw, bool gather) {
        if (!touches(launch, column) || !touches(launch, w, column.rows - offset, column.cols, ldw)) return;
        run_grid(launch, false, [&] { kernels.copy(column, offset, w, ldw, gather); });
      });
  register_kernel<const int*, int*, L, L, L>(
      fake, "troupe_settle_pivots_" + letter,
      [=](const FakeLaunch& launch, const int* given, int* pivots, L count, L rows, L first) {
        if (!touches(launch, given, count, 1, count) || !touches(launch, pivots, count, 1, count)) return;
        run_grid(launch, false, [&] { kernels.settle(given, pivots, count, rows, first); });
      });
  register_kernel<TiledColumn<T>, const int*, L, L, L, L, int*>(
      fake, "troupe_swap_rows_" + letter,
      [=](const FakeLaunch& launch, TiledColumn<T> c, const int* pivots, L count, L offset, L above, L before,
          int* info) {
        if (!touches(launch, pivots, count, 1, count) || !touches(launch, info, 1, 1, 1)) return;
        if (!touches(launch, c)) return;
        run_grid(launch, true, [&] { kernels.swap(c, pivots, count, offset, above, before, info); });
      });
  register_kernel<const T*, L, T*, L, L, L>(
      fake, "troupe_unit_lower_" + letter,
      [=](const FakeLaunch& launch, const T* v, L ldv, T* w, L ldw, L rows, L cols) {
        if (!touches(launch, v, rows, cols, ldv) || !touches(launch, w, rows, cols, ldw)) return;
        run_grid(launch, false, [&] { kernels.unit(v, ldv, w, ldw, rows, cols); });
      });
  register_kernel<const T*, L, L, bool, int*>(
      fake, "troupe_first_bad_pivot_" + letter,
      [=](const FakeLaunch& launch, const T* a, L ld, L order, bool positive, int* info) {
        if (!touches(launch, a, order, order, ld) || !touches(launch, info, 1, 1, 1)) return;
        run_grid(launch, true, [&] { kernels.bad_pivot(a, ld, order, positive, info); });
      });
  register_kernel<T*, L, L, L, L, L, std::uint64_t, double>(
      fake, "troupe_fill_symmetric_" + letter,
      [=](const FakeLaunch& launch, T* a, L ld, L rows, L cols, L row, L col, std::uint64_t seed, double diagonal) {
        if (!touches(launch, a, rows, cols, ld)) return;
        run_grid(launch, false, [&] { kernels.fill(a, ld, rows, cols, row, col, seed, diagonal); });
      });
  register_kernel<T*, L, L, L, T*, L>(fake, "troupe_reflectors_" + letter,
                                      [=](const FakeLaunch& launch, T* a, L ld, L rows, L cols, T* t, L ldt) {
                                        if (!touches(launch, a, rows, cols, ld) || !touches(launch, t, cols, cols, ldt))
                                          return;
                                        run_grid(launch, true, [&] { kernels.reflectors(a, ld, rows, cols, t, ldt); });
                                      });
  register_kernel<T*, L, T*, L, L, L, T*, L>(
      fake, "troupe_stacked_reflectors_" + letter,
      [=](const FakeLaunch& launch, T* r, L ldr, T* b, L ldb, L rows, L cols, T* t, L ldt) {
        if (!touches(launch, r, cols, cols, ldr) || !touches(launch, b, rows, cols, ldb)) return;
        if (!touches(launch, t, cols, cols, ldt)) return;
        run_grid(launch, true, [&] { kernels.stacked(r, ldr, b, ldb, rows, cols, t, ldt); });
      });
  register_kernel<BlockPlaces, int, BlockMemory<T>, BlockPointers<T>*>(
      fake, "troupe_note_blocks_" + letter,
      [=](const FakeLaunch& launch, BlockPlaces places, int count, BlockMemory<T> memory, BlockPointers<T>* pointers) {
        if (!launch.touches(pointers, sizeof *pointers)) return;
        run_grid(launch, false, [&] { kernels.note_blocks(places, count, memory, pointers); });
      });
  register_kernel<T*, L, L, PivotTask<T>, L*, int*>(
      fake, "troupe_factor_block_" + letter,
      [=](const FakeLaunch& launch, T* a, L ld, L order, PivotTask<T> task, L* report, int* zero_pivot) {
        if (!touches(launch, a, order, order, ld) || !touches(launch, report, 2, 1, 2)) return;
        if (!touches(launch, zero_pivot, 1, 1, 1)) return;
        run_grid(launch, true, [&] { kernels.factor_block(a, ld, order, task, report, zero_pivot); });
      });
  register_kernel<const T*, L, L, L, int*>(fake, "troupe_first_not_finite_" + letter,
                                           [=](const FakeLaunch& launch, const T* a, L ld, L rows, L cols, int* info) {
                                             if (!touches(launch, a, rows, cols, ld) || !touches(launch, info, 1, 1, 1))
                                               return;
                                             run_grid(launch, false,
                                                      [&] { kernels.not_finite(a, ld, rows, cols, info); });
                                           });
}

}  // namespace

void register_tile_kernels(FakeCudaControl& fake) {
#define TROUPE_KERNELS_FOR(p)                                                                                   \
  {troupe_note_places_##p,        troupe_copy_column_##p,     troupe_settle_pivots_##p,  troupe_swap_rows_##p,  \
   troupe_unit_lower_##p,         troupe_first_bad_pivot_##p, troupe_fill_symmetric_##p, troupe_reflectors_##p, \
   troupe_stacked_reflectors_##p, troupe_note_blocks_##p,     troupe_factor_block_##p,   troupe_first_not_finite_##p}
  register_for<float>(fake, "s", TROUPE_KERNELS_FOR(s));
  register_for<double>(fake, "d", TROUPE_KERNELS_FOR(d));
#undef TROUPE_KERNELS_FOR
}

}  // namespace troupe::tests
