/// Compares the bytes that each eviction policy moves with the bytes that furthest-next-use would have moved with
/// knowledge of the whole run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/simulate/simulated_factorization.hpp"
#include "apps/terminal/progress.hpp"
#include "proto/json/json.hpp"

namespace troupe::apps {

struct EvictionExperimentOptions {
  /// One of the machines that come with Troupe.
  std::string machine = "idgraf-double";
  /// The scheduling policy.
  std::string policy = "dada:alpha=0.5,cp";
  int gpus = 2;
  /// The order of all matrices and the edge of their tiles; some tiles of the sparse matrix are empty.
  std::int64_t n = 16384;
  std::int64_t tile = 512;
  std::uint64_t seed = 1;
  int jobs = 1;
};

/// The result of one eviction policy on one problem.
struct EvictionFigure {
  std::string eviction;
  double seconds = 0;
  /// The bytes that the run moved, and the bytes of content that the host lacks when the run ends.
  Bytes moved;
  /// The bytes that `furthest_next_use_offline` moves for the accesses of the same run.
  Bytes offline;
  std::uint64_t evictions = 0;
  std::uint64_t write_backs = 0;

  [[nodiscard]] double ratio() const { return static_cast<double>(moved.count) / static_cast<double>(offline.count); }
};

struct EvictionComparison {
  /// The problem, such as "sparse lu" or "cholesky".
  std::string problem;
  /// The memory of each accelerator; together they hold a quarter of the matrix.
  Bytes capacity;
  std::vector<EvictionFigure> figures;
};

/// Simulates the sparse LU pattern, Cholesky, LU and QR under every eviction policy. Policy "reuse" is given the index
/// i + j for tile (i, j). Throws what `simulate` throws.
[[nodiscard]] std::vector<EvictionComparison> compare_evictions(const EvictionExperimentOptions& options,
                                                                const ProgressOptions& progress);

[[nodiscard]] std::string eviction_text(const EvictionExperimentOptions& options,
                                        const std::vector<EvictionComparison>& comparisons);
[[nodiscard]] Json eviction_json(const EvictionExperimentOptions& options,
                                 const std::vector<EvictionComparison>& comparisons);

}  // namespace troupe::apps
