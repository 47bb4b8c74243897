/// The experiments with clusters of cores: T. Cojean, A. Guermouche, A. Hugo, R. Namyst and P.-A. Wacrenier, Resource
/// Aggregation for Task-Based Cholesky Factorization on Top of Heterogeneous Machines, HeteroPar 2016, section 5. They
/// simulate Cholesky for several matrices, tiles and numbers of GPUs, with single cores and with clusters, under
/// several policies. They also compute bounds that no schedule beats.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/simulate/scaled_machine.hpp"
#include "apps/simulate/simulation_bound.hpp"
#include "apps/terminal/progress.hpp"
#include "lab/experiments/clusters/independent_products.hpp"
#include "proto/median.hpp"

namespace troupe::apps {

/// The machine of the paper. Tasks run on 20 of its cores, for every number of GPUs.
inline constexpr const char* kClustersMachine = "sirocco-double";
inline constexpr int kClustersCores = 20;

/// One way to group the cores into workers.
struct CoreConfiguration {
  /// The name, such as "20x1", "2x10" or "2x10c".
  std::string name;
  /// The clusters, as in `SimulationOptions::clusters`.
  std::string clusters;
  /// The restrictions of kernels to devices, as in `PlacementOptions::restrict`.
  std::string restrict;
};

/// Parses a specification of clusters (docs/clusters.md). A 'c' after its last digit means that only cores run potrf
/// and trsm.
[[nodiscard]] CoreConfiguration core_configuration(const std::string& text);

/// Assumptions about properties of the machine that the paper does not state.
struct ClustersAssumptions {
  /// The standard deviation of kernel times, as a fraction of their mean.
  double deviation = 0.05;
  GpuLinks links = GpuLinks::as_described;

  /// Returns a name such as "5 %, one link" or "5 %, a link per GPU".
  [[nodiscard]] std::string name() const;
};

struct ClustersOptions {
  /// The orders of the matrices, each rounded to at least one whole tile. Orders that are rounded to the same n count
  /// once.
  std::vector<std::int64_t> orders{5000, 8000, 11000, 15000, 20000, 25000, 30000, 35000, 40000, 45000};
  std::vector<std::int64_t> tiles{960, 1920};
  std::vector<int> gpus{1, 2, 3, 4};
  std::vector<std::string> configurations{"20x1", "2x10", "2x10c"};
  /// The policy that is compared with the rivals.
  std::string policy = "homeward";
  std::vector<std::string> rivals{"mct", "heft-rank", "dada"};
  /// The number of runs of each point. Their seeds are `seed`, `seed` + 1, and so on.
  int repeat = 3;
  std::uint64_t seed = 1;
  int jobs = 1;

  /// Returns the policy and its rivals.
  [[nodiscard]] std::vector<std::string> policies() const;
};

/// The matrix to factorize, and the number of GPUs in addition to the cores.
struct ClustersProblem {
  std::int64_t tile = 0;
  int gpus = 0;
  /// The requested order of the matrix.
  std::int64_t order = 0;

  /// Returns `order` rounded to the nearest multiple of `tile`, at least one tile.
  [[nodiscard]] std::int64_t n() const;
  /// Returns a name such as "10560/960 1".
  [[nodiscard]] std::string name() const;
  [[nodiscard]] double gflops(double seconds) const;

  friend auto operator<=>(const ClustersProblem&, const ClustersProblem&) = default;
};

/// The runs of one problem with one configuration and policy; the runs differ in their seeds.
struct ClustersPoint {
  std::vector<double> seconds;
  MedianInterval bytes;

  [[nodiscard]] MedianInterval gflops(const ClustersProblem& problem) const;
  /// Returns (longest - shortest) / median of the runs' times.
  [[nodiscard]] double spread() const;
};

/// Lower bounds for the makespan of one problem in one configuration, in seconds: no schedule is faster.
struct ClustersBound {
  /// The iterated bound of the paper, and the largest known bound, both computed with mean times.
  double iterated_s = 0;
  double best_s = 0;
  /// One bound for each run, computed with the random times of this run; empty if all times are mean times.
  std::vector<double> run_s;
};

/// The bounds that several sets of assumptions share; each bound is computed at its first use. Only one thread may use
/// this object.
class ClustersBounds {
 public:
  /// Returns the bound of a problem. `run` has the problem's machine, cores and GPUs. If it has noise, the noise is
  /// drawn from `repeat` seeds, the first of which is the seed of `run`.
  [[nodiscard]] ClustersBound of(const SimulatedRun& run, double deviation, int repeat);

 private:
  /// The task graphs by order, tile and restriction.
  std::map<std::tuple<std::int64_t, std::int64_t, std::string>, FactorizationGraph> graphs_;
  /// The bounds by order, tile, restriction, GPUs, clusters, deviation and seed; without noise, the last two are 0.
  std::map<std::tuple<std::int64_t, std::int64_t, std::string, std::size_t, std::string, double, std::uint64_t>,
           LowerBounds>
      bounds_;
};

class ClustersResults {
 public:
  /// Points by problem, configuration and policy.
  using Points = std::map<std::tuple<ClustersProblem, std::string, std::string>, ClustersPoint>;
  /// Bounds by problem and configuration.
  using Bounds = std::map<std::pair<ClustersProblem, std::string>, ClustersBound>;
  /// Results of `distribute_products`, by specification of clusters and policy.
  using Distributions = std::map<std::pair<std::string, std::string>, ProductDistribution>;

  ClustersResults(Points points, Bounds bounds, Distributions distributions)
      : points_(std::move(points)), bounds_(std::move(bounds)), distributions_(std::move(distributions)) {}
  /// Simulates all points. Throws the errors of `simulate`.
  static ClustersResults measure(const ClustersOptions& options, const ClustersAssumptions& assumptions,
                                 ClustersBounds& bounds, const ProgressOptions& progress);

  [[nodiscard]] const Points& points() const { return points_; }
  [[nodiscard]] const Bounds& bounds() const { return bounds_; }
  /// Returns how a policy distributed `kProducts` products; null if that was not simulated.
  [[nodiscard]] const ProductDistribution* distribution(const std::string& clusters, const std::string& policy) const;
  /// Returns a point; null if it was not simulated.
  [[nodiscard]] const ClustersPoint* point(const ClustersProblem& problem, const std::string& configuration,
                                           const std::string& policy) const;
  [[nodiscard]] const ClustersBound* bound(const ClustersProblem& problem, const std::string& configuration) const;
  /// Returns the problems, ordered by tile, then GPUs, then order.
  [[nodiscard]] std::vector<ClustersProblem> problems() const;

  /// The smallest ratio of a makespan to its bound, and the point at which it occurs. A ratio below 1 means that either
  /// the simulation or the bound is wrong.
  struct Nearest {
    double ratio = 0;
    std::string point;
  };
  [[nodiscard]] Nearest nearest_to_bound() const;

 private:
  Points points_;
  Bounds bounds_;
  Distributions distributions_;
};

/// One policy with its best configuration for each problem, compared with the best rival with any configuration.
struct PolicyWithClusters {
  /// The geometric mean of the policy's speed divided by the best rival's speed.
  double mean = 0;
  double worst = 0;
  std::string worst_point;
};
[[nodiscard]] PolicyWithClusters compare_with_clusters(const ClustersResults& results, const std::string& policy);

/// Throws `invalid_argument` if something cannot be simulated: clusters that twenty cores cannot form, too many tasks,
/// or unknown policies.
void check(const ClustersOptions& options);

}  // namespace troupe::apps
