/// Compares one policy with all others, for several machines, applications, sizes and numbers of GPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/simulate/simulated_factorization.hpp"
#include "apps/terminal/progress.hpp"

namespace troupe::apps {

/// One problem on one machine.
struct PolicyPoint {
  std::string machine;
  linalg::Application application = linalg::Application::cholesky;
  Precision precision = Precision::double_precision;
  std::int64_t n = 0;
  std::int64_t tile = 0;
  int gpus = 1;

  /// Returns a name such as "idgraf-double cholesky 8192/512 4".
  [[nodiscard]] std::string name() const;
};

/// Returns the points with which the policy was tuned: two measured machines in two precisions, with 1 to 8 GPUs.
[[nodiscard]] std::vector<PolicyPoint> tuned_points();
/// Returns points that were not used for the tuning: another machine, and other sizes and tiles.
[[nodiscard]] std::vector<PolicyPoint> other_points();

/// Returns `heft`, `heft-rank`, `mct`, `mct:shared`, `heteroprio`, `lws`, and `dada` with alpha 0, 0.25, 0.5, 0.75, 1,
/// without and with prediction.
[[nodiscard]] std::vector<std::string> rival_policies();

struct PolicyExperimentOptions {
  std::vector<PolicyPoint> points;
  std::string policy = "homeward";
  std::vector<std::string> rivals = rival_policies();
  /// The number of runs of each point, with noise. Their seeds are `seed`, `seed` + 1, and so on.
  int repeat = 10;
  std::uint64_t seed = 1;
  int jobs = 1;
  /// The largest factors by which the kernel times and bandwidths that policies assume are wrong (`SimulationOptions`).
  double kernel_error = 1;
  double bandwidth_error = 1;
};

/// The means of the runs of one point with one policy.
struct PolicyFigure {
  std::string policy;
  double seconds = 0;
  double bytes = 0;
};

struct PolicyComparison {
  PolicyPoint point;
  PolicyFigure measured;
  std::vector<PolicyFigure> rivals;
  /// `fastest` is the rival with the shortest makespan. `thriftiest` is the rival that moves the fewest bytes, among
  /// the rivals that take at most a quarter longer than `fastest`.
  PolicyFigure fastest;
  PolicyFigure thriftiest;

  [[nodiscard]] double makespan_ratio() const { return measured.seconds / fastest.seconds; }
  [[nodiscard]] double bytes_ratio() const { return measured.bytes / thriftiest.bytes; }
};

struct PolicySummary {
  double makespan_mean = 0;
  double makespan_worst = 0;
  std::string worst_point;
  /// The mean ratio of bytes over the points with 4 and with 8 GPUs; nothing if there are no such points.
  std::optional<double> bytes_mean;
};

/// Compares the policies. Throws the errors of `simulate`.
[[nodiscard]] std::vector<PolicyComparison> compare_policies(const PolicyExperimentOptions& options,
                                                             const ProgressOptions& progress);
/// Returns the geometric means of the ratios.
[[nodiscard]] PolicySummary summarize(const std::vector<PolicyComparison>& comparisons);

}  // namespace troupe::apps
