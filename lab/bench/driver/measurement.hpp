/// Runs a plan: every contestant in every round, one after the other, in an order that rotates.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lab/bench/driver/plan.hpp"
#include "lab/bench/driver/runner_process.hpp"
#include "lab/bench/statistics.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {

/// The results of one contestant in one row.
struct Series {
  Contestant contestant;
  /// The figures by key, with one sample for each round. There are samples for all rounds or for none.
  std::map<std::string, std::vector<double>> samples;
  /// The runner's complete output, one object per round.
  std::vector<Json> outputs;
  /// The reason why there are no samples: the runner is missing, does not support the case or has failed.
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
  /// The contestants whose runner is missing.
  std::vector<std::string> missing;
  /// The values of the reference in all rounds of all rows.
  std::vector<double> references;

  [[nodiscard]] bool any_failed() const;
  [[nodiscard]] bool any_measured() const;
};

/// Returns the largest number of measurements that the plan takes.
[[nodiscard]] std::uint64_t measurements(const Plan& plan);

/// Runs the whole plan, row by row, so that compared figures are measured within a short time. Within a row, each round
/// starts with another contestant. `advanced` is called after each measurement with the number of measurements that are
/// done or skipped. Throws `Error` if the reference (see `Reference`) cannot be measured.
[[nodiscard]] Results run_plan(const Plan& plan, const Runners& runners,
                               const std::function<void(std::uint64_t)>& advanced);

/// Troupe's first figure divided by the peer's, or the inverse (`Plan::peers_over_troupe`), computed from pairs of the
/// same round. A peer is another runtime. If
/// the peer builds its graphs once and runs them again, it is compared with Troupe's recorded graph, if that was
/// measured; all other peers are compared with Troupe's usual mode. There is no ratio for Troupe itself, nor for a
/// contestant that was not measured.
struct Ratio {
  std::string of;
  Estimate estimate;
};
[[nodiscard]] std::optional<Ratio> ratio_to_troupe(const Plan& plan, const RowResult& row, const Series& peer);

/// The geometric mean of a peer's ratios (the medians) over the rows in which it was measured.
struct MeanRatio {
  std::string peer;
  double ratio = 0;
  std::size_t rows = 0;
};
/// Returns the means of all peers that were measured in some row, in the plan's order.
[[nodiscard]] std::vector<MeanRatio> mean_ratios(const Results& results);

}  // namespace troupe::bench
