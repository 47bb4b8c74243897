/// Runs a plan: every contestant in every round, one after the other, in an order that rotates.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/driver/plan.hpp"
#include "bench/driver/runner_process.hpp"
#include "bench/statistics.hpp"

namespace troupe::bench {

/// What one contestant did in one row.
struct Series {
  Contestant contestant;
  /// Figure by key, one sample per round. Either all rounds or none.
  std::map<std::string, std::vector<double>> samples;
  /// All that the runner printed, one object per round.
  std::vector<nlohmann::json> outputs;
  /// Why there are none: missing, not supported, failed.
  std::string skipped;
  bool failed = false;

  [[nodiscard]] bool measured() const { return skipped.empty(); }
};

struct RowResult {
  Row row;
  std::vector<Series> series;

  [[nodiscard]] const Series* find(const std::string& label) const;
};

struct Results {
  Plan plan;
  std::vector<RowResult> rows;
  /// Contestants whose runner is not there.
  std::vector<std::string> missing;
  /// Of all rounds of all rows.
  std::vector<double> references;

  [[nodiscard]] bool any_failed() const;
  [[nodiscard]] bool any_measured() const;
};

/// Measurements that the plan takes at most.
[[nodiscard]] std::uint64_t measurements(const Plan& plan);

/// Runs the whole plan. Row by row, so that what is compared was measured within a short time; within a row, each round
/// starts with another contestant. `advanced` is called after each measurement with the number that are done or
/// skipped. Throws `Error` where the reference cannot be measured.
[[nodiscard]] Results run_plan(const Plan& plan, const Runners& runners,
                               const std::function<void(std::uint64_t)>& advanced);

/// Troupe's first figure over the peer's, from pairs of the same round: a peer that runs graphs which are kept is
/// compared with Troupe's recorded graph, where that was measured; others with Troupe as it is. Nothing for Troupe
/// itself and for what was not measured.
struct Ratio {
  std::string of;
  Estimate estimate;
};
[[nodiscard]] std::optional<Ratio> ratio_to_troupe(const RowResult& row, const Series& peer);

}  // namespace troupe::bench
