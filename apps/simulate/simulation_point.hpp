/// Combines several runs of one simulation that differ only in their seeds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/simulate/estimate.hpp"
#include "apps/simulate/simulated_factorization.hpp"

namespace troupe::apps {

/// One of the configurations that a simulation compares.
struct SimulationPlace {
  std::int64_t n = 0;
  /// The GPUs' numbers in the machine's description.
  std::vector<int> gpus;
  std::string policy;
  /// The clusters that a search found for this configuration; empty if all configurations have the same clusters.
  std::string clusters = {};
};

struct LinkUse {
  std::string name;
  double bandwidth_mb_per_s = 0;
  Estimate bytes;
  /// The fraction of the makespan in which data passed over the link.
  Estimate busy;
};

struct WorkerUse {
  std::string device;
  bool accelerator = false;
  /// The number of cores; 0 for an accelerator.
  int cores = 1;
  Estimate tasks;
  Estimate busy_seconds;
  /// The busy fraction of the makespan.
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
  /// True if clusters could change during the run. `WorkerUse::cores` is then the number at the end, and cores that
  /// were lent to other workers do not count.
  bool regrouped = false;
  /// A bound for each run: no schedule takes less time with the kernel times of that run. Empty if not known.
  std::vector<double> run_bounds_s;
  /// A bound on the bytes of schedules that take as long as the runs, averaged over the runs; nothing if not known.
  std::optional<Bytes> bound_bytes;

  /// Returns the mean utilization of accelerators, or of the other workers; nothing if there are none.
  [[nodiscard]] std::optional<double> utilization(bool of_accelerators) const;
  [[nodiscard]] int cores() const;
  /// Returns the number of cores of each worker that is not an accelerator.
  [[nodiscard]] std::vector<int> core_workers() const;
  /// Returns the mean of the runs' bounds; nothing if they are not known.
  [[nodiscard]] std::optional<double> bound_seconds() const;
  /// Returns the bound divided by the makespan; nothing if the bound is not known.
  [[nodiscard]] std::optional<double> fraction_of_bound() const;
  /// Returns the bound on bytes divided by the copied bytes; nothing if the bound is not known or no bytes were copied.
  [[nodiscard]] std::optional<double> bytes_fraction_of_bound() const;
};

/// Combines the outcomes of one configuration (`place`). There must be at least one outcome.
[[nodiscard]] SimulationPoint point_of(SimulationPlace place, const std::vector<FactorizationOutcome>& outcomes);

}  // namespace troupe::apps
