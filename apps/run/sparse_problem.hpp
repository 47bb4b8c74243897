/// The sparse matrices of blocks that `sparse-lu` factorizes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "linalg/sparse/block_lu.hpp"
#include "linalg/sparse/block_pattern.hpp"
#include "linalg/sparse/ordering.hpp"
#include "linalg/sparse/sparse_analysis.hpp"

namespace troupe::apps {

/// What a task works on.
enum class SparseGrain {
  /// A block.
  fine,
  /// A super-block.
  coarse,
  /// A super-block, in pieces that other cores help with.
  multi
};

/// `fine`, `coarse`, `multi`.
[[nodiscard]] const char* to_string(SparseGrain grain);
/// Who has the pieces of a task on a super-block.
[[nodiscard]] constexpr kernels::SuperTasks super_tasks(SparseGrain grain) {
  return grain == SparseGrain::multi ? kernels::SuperTasks::pieces : kernels::SuperTasks::whole;
}

/// What is asked for besides the size, which counts blocks.
struct SparseLuArguments {
  /// `linalg::parse_structure`, or the name of a Matrix Market file.
  std::string structure = "third";
  /// Rows of a block, and blocks on a side of a super-block; 0: as in the paper (192 and 5), or what suits the file.
  std::int64_t block = 0;
  int super = 0;
  SparseGrain grain = SparseGrain::coarse;
  linalg::Ordering ordering = linalg::Ordering::automatic;
  /// All, or the products alone: the paper's step 3.
  linalg::BlockSteps steps = linalg::BlockSteps::all;
  /// Indexes of reuse.
  linalg::BlockReuse reuse = linalg::BlockReuse::position;
};

/// Whether `SparseLuArguments::structure` names a file: it ends in `.mtx` or has a slash.
[[nodiscard]] bool is_structure_file(const std::string& structure);

/// A file's matrix, and what was decided about it.
struct SparseFile {
  linalg::CompressedMatrix matrix;
  linalg::SparseAnalysis analysis;
};

/// What is factorized.
struct SparseProblem {
  std::string name;
  linalg::BlockPattern pattern{0};
  std::int64_t blocks_before = 0;
  linalg::BlockCut cut;
  std::uint64_t seed = 0;
  std::optional<SparseFile> file;

  /// Rows; of what was made for the purpose all blocks' together.
  [[nodiscard]] std::int64_t order() const;
  /// Operations of these steps.
  [[nodiscard]] double flops(linalg::BlockSteps steps) const;
  /// The most full blocks that a super-block has.
  [[nodiscard]] std::int64_t largest_super_block() const;
};

/// `blocks`: on a side of the matrix; a file has its own. Throws `Error` for what cannot be read, cut or factorized.
[[nodiscard]] SparseProblem problem_of(const SparseLuArguments& sparse, std::int64_t blocks, std::uint64_t seed);

}  // namespace troupe::apps
