/// What is to be said of a sparse matrix of blocks and its factors.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "kernels/factor.hpp"
#include "linalg/sparse/block_lu.hpp"
#include "linalg/sparse/block_matrix.hpp"
#include "proto/units.hpp"

namespace troupe::apps {

struct SparseFacts {
  /// Elements of the matrix that are not zero; 0 where full blocks were made for the purpose.
  std::int64_t nonzeros = 0;
  /// "rcm"; empty where there was nothing to order.
  std::string ordering;
  linalg::BlockCut cut;
  /// Cores help with the pieces of tasks on super-blocks.
  bool in_pieces = false;
  linalg::BlockSteps steps = linalg::BlockSteps::all;
  std::int64_t blocks_before = 0;
  std::int64_t blocks = 0;
  Bytes bytes;
  double flops = 0;
  /// `first` is a row of the matrix, counted from zero.
  kernels::ReplacedPivots replaced;
  /// The largest difference from the factors of the sequential order over their largest element: 0 where all bits are
  /// the same. Only where that was compared.
  std::optional<double> difference;
};

template <class T>
[[nodiscard]] SparseFacts facts_of(const linalg::BlockMatrix<T>& a);

/// Lines for people, two spaces in front of each.
[[nodiscard]] std::string sparse_text(const SparseFacts& facts);
/// `ordering block super nonzeros stored_blocks blocks_before_fill_in stored_bytes fill_in replaced_pivots …`.
void add_json(const SparseFacts& facts, nlohmann::json& json);

/// As many tasks as LU of such super-blocks has, or a few more: products in which no two full blocks meet count, too.
[[nodiscard]] double most_tasks(const linalg::BlockPattern& pattern, int side,
                                linalg::BlockSteps steps = linalg::BlockSteps::all);

/// Throws `bad_input` where so much, with what is kept of so many tasks, does not fit into the memory that is left.
void require_block_memory(Bytes blocks, double tasks = 0);

/// A line for people where so many tasks, of so many operations in all, take more time than what they compute; else
/// empty.
[[nodiscard]] std::string small_tasks_warning(double tasks, double flops);

}  // namespace troupe::apps
