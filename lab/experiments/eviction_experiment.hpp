/// Compares the bytes that each eviction policy moves with the bytes that furthest-next-use eviction would move if it
/// knew the whole run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/simulate/simulated_factorization.hpp"
#include "apps/terminal/progress.hpp"
#include "proto/json/json.hpp"

namespace troupe::apps {

struct EvictionExperimentOptions {
  /// The name of a machine that comes with Troupe.
  std::string machine = "idgraf-double";
  /// The scheduling policy.
  std::string policy = "dada:alpha=0.5,cp";
  int gpus = 2;
  /// The order of all matrices, and the edge of their tiles. In the sparse matrix, some tiles are empty.
  std::int64_t n = 16384;
  std::int64_t tile = 512;
  std::uint64_t seed = 1;
  int jobs = 1;
};

/// The result of one eviction policy on one problem.
struct EvictionFigure {
  std::string eviction;
  double seconds = 0;
  /// The bytes that the run moved, plus the bytes of content that the host lacks at the end of the run.
  Bytes moved;
  /// The bytes that `furthest_next_use_offline` moves for the same sequence of accesses.
  Bytes offline;
  std::uint64_t evictions = 0;
  std::uint64_t write_backs = 0;

  [[nodiscard]] double ratio() const { return static_cast<double>(moved.count) / static_cast<double>(offline.count); }
};

struct EvictionComparison {
  /// The problem, such as "sparse lu" or "cholesky".
  std::string problem;
  /// The memory of each accelerator. All accelerators together have memory for a quarter of the matrix.
  Bytes capacity;
  std::vector<EvictionFigure> figures;
};

/// Simulates the sparse LU pattern, Cholesky, LU and QR with every eviction policy. For the policy "reuse", tile (i, j)
/// has the index i + j. Throws the errors of `simulate`.
[[nodiscard]] std::vector<EvictionComparison> compare_evictions(const EvictionExperimentOptions& options,
                                                                const ProgressOptions& progress);

[[nodiscard]] std::string eviction_text(const EvictionExperimentOptions& options,
                                        const std::vector<EvictionComparison>& comparisons);
[[nodiscard]] Json eviction_json(const EvictionExperimentOptions& options,
                                 const std::vector<EvictionComparison>& comparisons);

}  // namespace troupe::apps
