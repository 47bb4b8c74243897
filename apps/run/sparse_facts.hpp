/// Facts about a sparse matrix of blocks and its factors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/factor.hpp"
#include "linalg/sparse/block_lu.hpp"
#include "linalg/sparse/block_matrix.hpp"
#include "proto/json/json.hpp"
#include "troupe/units.hpp"

namespace troupe::apps {

struct SparseFacts {
  /// The number of nonzero elements of the matrix; 0 if full blocks were generated.
  std::int64_t nonzeros = 0;
  /// The ordering, such as "rcm"; empty if the matrix was not ordered.
  std::string ordering;
  linalg::BlockCut cut;
  /// True if tasks on super-blocks are cut into pieces, so that other cores help.
  bool in_pieces = false;
  linalg::BlockSteps steps = linalg::BlockSteps::all;
  std::int64_t blocks_before = 0;
  std::int64_t blocks = 0;
  Bytes bytes;
  double flops = 0;
  /// The replaced pivots; `first` is a row of the matrix, counted from zero.
  kernels::ReplacedPivots replaced;
  /// The largest difference from the factors of a sequential run, divided by the largest element of the sequential
  /// factors; 0 if all bits are equal. Nothing if the factors were not compared.
  std::optional<double> difference;
};

template <class T>
[[nodiscard]] SparseFacts facts_of(const linalg::BlockMatrix<T>& a);

/// Returns lines for people, each indented by two spaces.
[[nodiscard]] std::string sparse_text(const SparseFacts& facts);
/// Adds the members `ordering block super nonzeros stored_blocks blocks_before_fill_in stored_bytes fill_in
/// replaced_pivots …`.
void add_json(const SparseFacts& facts, Json& json);

/// Returns the number of tasks of LU with such super-blocks, or a slightly larger number, because products in which no
/// two full blocks meet also count.
[[nodiscard]] double most_tasks(const linalg::BlockPattern& pattern, int side,
                                linalg::BlockSteps steps = linalg::BlockSteps::all);

/// Throws `bad_input` if the free memory is too small for `blocks` and for the records of `tasks` tasks.
void require_block_memory(Bytes blocks, double tasks = 0);

/// Returns a warning if `tasks` tasks with `flops` operations in all take more time to manage than to compute;
/// otherwise an empty text.
[[nodiscard]] std::string small_tasks_warning(double tasks, double flops);

}  // namespace troupe::apps
