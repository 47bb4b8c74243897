/// How many bytes each eviction policy moves, next to what furthest-next-use would have moved had it known the whole
/// run.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "apps/simulate/simulated_factorization.hpp"
#include "apps/terminal/progress.hpp"

namespace troupe::apps {

struct EvictionExperimentOptions {
  /// Of the machines that come with Troupe.
  std::string machine = "idgraf-double";
  /// Where tasks run.
  std::string policy = "dada:alpha=0.5,cp";
  int gpus = 2;
  /// Of dense matrices; the sparse one has as many tiles.
  std::int64_t n = 16384;
  std::int64_t tile = 512;
  std::uint64_t seed = 1;
  int jobs = 1;
};

/// One eviction policy on one problem.
struct EvictionFigure {
  std::string eviction;
  double seconds = 0;
  /// By the run; with what the host lacks in the end.
  Bytes moved;
  /// By `furthest_next_use_offline` on the accesses of the same run.
  Bytes offline;
  std::uint64_t evictions = 0;
  std::uint64_t write_backs = 0;

  [[nodiscard]] double ratio() const { return static_cast<double>(moved.count) / static_cast<double>(offline.count); }
};

struct EvictionComparison {
  /// "sparse lu", "cholesky", …
  std::string problem;
  /// Of each accelerator: together a quarter of the matrix.
  Bytes capacity;
  std::vector<EvictionFigure> figures;
};

/// The sparse LU pattern, Cholesky, LU and QR under every eviction policy, in virtual time. Policy "reuse" is given the
/// index i + j for tile (i, j). Throws as `simulate`.
[[nodiscard]] std::vector<EvictionComparison> compare_evictions(const EvictionExperimentOptions& options,
                                                                const ProgressOptions& progress);

[[nodiscard]] std::string eviction_text(const EvictionExperimentOptions& options,
                                        const std::vector<EvictionComparison>& comparisons);
[[nodiscard]] nlohmann::json eviction_json(const EvictionExperimentOptions& options,
                                           const std::vector<EvictionComparison>& comparisons);

}  // namespace troupe::apps
