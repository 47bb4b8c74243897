/// LU of sparse matrices of blocks, measured in the same way for all runtimes, with the same kernels.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "lab/bench/parameters.hpp"
#include "linalg/sparse/block_lu.hpp"
#include "linalg/sparse/block_matrix.hpp"
#include "linalg/sparse/block_pattern.hpp"
#include "proto/json/json.hpp"
#include "troupe/layout.hpp"

namespace troupe::bench {

struct BlockLuCase {
  /// The blocks that are full, including fill-in.
  linalg::BlockPattern pattern{0};
  /// The division into blocks and super-blocks; its side is 1 for tasks on single blocks.
  linalg::BlockCut cut;
  /// True if tasks on super-blocks are divided into pieces.
  bool pieces = false;
  std::uint64_t seed = 1;
  int cores = 1;
};

/// Reads the parameters `structure` (`linalg::parse_structure`), `n` (blocks on a side), `block` (rows of a block),
/// `grain=fine|coarse|multi`, `super` (blocks on a side of a super-block, if the grain is not `fine`), `seed` and
/// `cores`. Runtimes without super-blocks ignore the grain and use tasks on single blocks.
[[nodiscard]] BlockLuCase block_lu_case(Parameters& parameters);

/// A runtime, with a matrix of blocks to factorize.
class BlockLuProgram {
 public:
  BlockLuProgram() = default;
  BlockLuProgram(const BlockLuProgram&) = delete;
  BlockLuProgram& operator=(const BlockLuProgram&) = delete;
  virtual ~BlockLuProgram() = default;

  /// Returns a block, which must be full. Not called during a factorization.
  [[nodiscard]] virtual MatrixView<double> block(int i, int j) = 0;
  /// Overwrites the blocks with L (unit lower triangular) and U: submits all tasks and waits for them.
  virtual void factorize() = 0;
  /// Returns the time that cores spent in kernels during the last factorization, summed over all cores.
  [[nodiscard]] virtual double kernel_seconds() = 0;
};

/// Measures factorizations of the same random matrix: one run to warm up, which counts if it takes a second, then as
/// many runs as fit into a second, at most nine. Figures: `seconds` (the median), `fastest_seconds`, `runs`, `flops`,
/// `gflops` (of the median), `kernel_share` (the median of `kernel_seconds` / (cores x seconds)), `processor_seconds`
/// (the median of the process's time on all cores), and `checksum`, a text. If the factors of two runs agree in all
/// bits, their checksums are equal.
[[nodiscard]] Json measure_block_lu(const BlockLuCase& options, BlockLuProgram& program);

/// Adds up the time that all threads spend in kernels. A kernel takes a tenth of a millisecond or more; reading the
/// clock twice takes 50 ns.
class KernelTime {
 public:
  template <class F>
  void measure(F kernel) {
    const std::int64_t begin = now();
    kernel();
    // Relaxed is enough: the sum is read only after all tasks have ended, and waiting for them synchronizes the
    // threads.
    ns_.fetch_add(now() - begin, std::memory_order_relaxed);
  }
  /// Returns the seconds that were added since the last call of this function.
  [[nodiscard]] double take_seconds() { return 1e-9 * static_cast<double>(ns_.exchange(0)); }

 private:
  static std::int64_t now();

  std::atomic<std::int64_t> ns_{0};
};

/// Runs a step on single blocks with the functions that Troupe's codelets call. `c` is the block that the step changes,
/// `a` the diagonal block of a solve or the left factor of a product, `b` the right factor of a product. Throws
/// std::runtime_error if a pivot is zero.
void run_block_step(linalg::BlockStep::Kind kind, MatrixView<double> c, MatrixView<const double> a,
                    MatrixView<const double> b);

}  // namespace troupe::bench
