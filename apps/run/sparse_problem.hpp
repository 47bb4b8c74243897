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

/// The part of the matrix that a task works on.
enum class SparseGrain {
  /// Each task works on one block.
  fine,
  /// Each task works on one super-block.
  coarse,
  /// Each task works on one super-block. The task is cut into pieces, so that other cores help.
  multi
};

/// Returns `fine`, `coarse` or `multi`.
[[nodiscard]] const char* to_string(SparseGrain grain);
/// Returns whether a task on a super-block runs as a whole or in pieces.
[[nodiscard]] constexpr kernels::SuperTasks super_tasks(SparseGrain grain) {
  return grain == SparseGrain::multi ? kernels::SuperTasks::pieces : kernels::SuperTasks::whole;
}

/// The options of sparse-lu, except the size, which is a number of blocks.
struct SparseLuArguments {
  /// A structure for `linalg::parse_structure`, or the name of a Matrix Market file.
  std::string structure = "third";
  /// The number of rows of a block, and the number of blocks on a side of a super-block. 0 means the values of the
  /// paper that `BlockStructure` names (192 and 5) or, for a file, values that suit its matrix.
  std::int64_t block = 0;
  int super = 0;
  SparseGrain grain = SparseGrain::coarse;
  linalg::Ordering ordering = linalg::Ordering::automatic;
  /// The steps: all, or only the products (step 3 in the paper that `BlockStructure` names).
  linalg::BlockSteps steps = linalg::BlockSteps::all;
  /// The rule by which reuse indices are chosen.
  linalg::BlockReuse reuse = linalg::BlockReuse::position;
};

/// Returns true if `structure` names a file: it ends in `.mtx` or contains a slash.
[[nodiscard]] bool is_structure_file(const std::string& structure);

/// A file's matrix, with its ordering and its cut into blocks.
struct SparseFile {
  linalg::CompressedMatrix matrix;
  linalg::SparseAnalysis analysis;
};

/// The matrix that is factorized.
struct SparseProblem {
  std::string name;
  linalg::BlockPattern pattern{0};
  std::int64_t blocks_before = 0;
  linalg::BlockCut cut;
  std::uint64_t seed = 0;
  std::optional<SparseFile> file;

  /// Returns the number of rows of the matrix; for a generated matrix, of all blocks together.
  [[nodiscard]] std::int64_t order() const;
  /// Returns the number of operations of these steps.
  [[nodiscard]] double flops(linalg::BlockSteps steps) const;
  /// Returns the largest number of full blocks in a super-block.
  [[nodiscard]] std::int64_t largest_super_block() const;
};

/// Makes or reads the matrix. `blocks` is the number of blocks on a side of the matrix; it is ignored for a file, which
/// determines the number. Throws `Error` if the matrix cannot be read, cut or factorized.
[[nodiscard]] SparseProblem problem_of(const SparseLuArguments& sparse, std::int64_t blocks, std::uint64_t seed);

}  // namespace troupe::apps
