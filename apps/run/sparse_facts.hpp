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
  /// The number of elements of the matrix that are not zero; 0 if full blocks were generated.
  std::int64_t nonzeros = 0;
  /// The ordering, such as "rcm"; empty if there was nothing to order.
  std::string ordering;
  linalg::BlockCut cut;
  /// True if cores help with the pieces of tasks on super-blocks.
  bool in_pieces = false;
  linalg::BlockSteps steps = linalg::BlockSteps::all;
  std::int64_t blocks_before = 0;
  std::int64_t blocks = 0;
  Bytes bytes;
  double flops = 0;
  /// The replaced pivots; `first` is a row of the matrix, counted from zero.
  kernels::ReplacedPivots replaced;
  /// The largest difference from the factors of the sequential order over their largest element: 0 if all bits are the
  /// same. Set only if the factors were compared.
  std::optional<double> difference;
};

template <class T>
[[nodiscard]] SparseFacts facts_of(const linalg::BlockMatrix<T>& a);

/// Returns lines for people, each indented by two spaces.
[[nodiscard]] std::string sparse_text(const SparseFacts& facts);
/// Adds `ordering block super nonzeros stored_blocks blocks_before_fill_in stored_bytes fill_in replaced_pivots …`.
void add_json(const SparseFacts& facts, Json& json);

/// Returns the number of tasks of LU with such super-blocks, or a few more: it also counts products in which no two
/// full blocks meet.
[[nodiscard]] double most_tasks(const linalg::BlockPattern& pattern, int side,
                                linalg::BlockSteps steps = linalg::BlockSteps::all);

/// Throws `bad_input` if `blocks`, with the records of `tasks` tasks, do not fit into the memory that is left.
void require_block_memory(Bytes blocks, double tasks = 0);

/// Returns a line for people if `tasks` tasks, with `flops` operations in all, take more time to manage than to
/// compute; otherwise an empty text.
[[nodiscard]] std::string small_tasks_warning(double tasks, double flops);

}  // namespace troupe::apps
