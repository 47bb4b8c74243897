/// What several runs of one simulation, which differ in their seeds, say together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/simulate/estimate.hpp"
#include "apps/simulate/simulated_factorization.hpp"

namespace troupe::apps {

/// What is compared.
struct SimulationPlace {
  std::int64_t n = 0;
  /// The GPUs' numbers in the description.
  std::vector<int> gpus;
  std::string policy;
  /// Those that were found for this place; empty: those that all places have.
  std::string clusters = {};
};

struct LinkUse {
  std::string name;
  double bandwidth_mb_per_s = 0;
  Estimate bytes;
  /// Part of the makespan in which something passed.
  Estimate busy;
};

struct WorkerUse {
  std::string device;
  bool accelerator = false;
  /// 0: it is an accelerator.
  int cores = 1;
  Estimate tasks;
  Estimate busy_seconds;
  /// Part of the makespan.
  Estimate utilization;
};

struct SimulationPoint {
  SimulationPlace place;
  std::uint64_t tasks = 0;
  Estimate seconds;
  Estimate gflops;
  Estimate bytes_host_to_device;
  Estimate bytes_device_to_host;
  Estimate bytes_device_to_device;
  Estimate bytes;
  Estimate evictions;
  Estimate write_backs;
  std::vector<LinkUse> links;
  std::vector<WorkerUse> workers;
  /// Clusters could change on the way: `WorkerUse::cores` are those at the end, and who was lent to others does not
  /// count.
  bool regrouped = false;
  /// By run: no schedule takes less with the times that it drew; empty: not known.
  std::vector<double> run_bounds_s;
  /// No schedule that takes as long moves less, on average over the runs; nothing: not known.
  std::optional<Bytes> bound_bytes;

  /// The mean utilization of accelerators, or of the other workers; nothing where there are none.
  [[nodiscard]] std::optional<double> utilization(bool of_accelerators) const;
  [[nodiscard]] int cores() const;
  /// The number of cores of each worker that is no accelerator.
  [[nodiscard]] std::vector<int> core_workers() const;
  /// The mean of the runs' bounds; nothing where they are not known.
  [[nodiscard]] std::optional<double> bound_seconds() const;
  /// Bound / makespan; nothing where the bound is not known.
  [[nodiscard]] std::optional<double> share_of_bound() const;
  /// Bound / bytes; nothing where the bound is not known or no bytes were moved.
  [[nodiscard]] std::optional<double> bytes_share_of_bound() const;
};

/// `outcomes`: at least one, all of the same place.
[[nodiscard]] SimulationPoint point_of(SimulationPlace place, const std::vector<FactorizationOutcome>& outcomes);

}  // namespace troupe::apps
