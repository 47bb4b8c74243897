/// The experiments with clusters of cores: T. Cojean, A. Guermouche, A. Hugo, R. Namyst and P.-A. Wacrenier, Resource
/// Aggregation for Task-Based Cholesky Factorization on Top of Heterogeneous Machines, HeteroPar 2016, section 5.
/// Cholesky over matrices, tiles and GPUs; single cores and clusters; several policies; and bounds that no schedule
/// beats.
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

/// The paper's machine. 20 of its cores run tasks, whatever the number of GPUs.
inline constexpr const char* kClustersMachine = "sirocco-double";
inline constexpr int kClustersCores = 20;

/// A way in which the cores work.
struct CoreConfiguration {
  /// The name, such as "20x1", "2x10" or "2x10c".
  std::string name;
  /// The clusters (`SimulationOptions::clusters`).
  std::string clusters;
  /// The restrictions (`PlacementOptions::restrict`).
  std::string restrict;
};

/// Parses a specification of clusters (docs/clusters.md). With a 'c' behind its last digit, only cores run potrf and
/// trsm.
[[nodiscard]] CoreConfiguration core_configuration(const std::string& text);

/// Assumptions about facts of the machine that the paper does not state.
struct ClustersAssumptions {
  /// The standard deviation of kernel times, as a part of their mean.
  double deviation = 0.05;
  GpuLinks links = GpuLinks::as_described;

  /// Returns a name such as "5 %, one link" or "5 %, a link per GPU".
  [[nodiscard]] std::string name() const;
};

struct ClustersOptions {
  /// The orders of the matrices, each rounded to at least one whole tile. Orders rounded to the same n count once.
  std::vector<std::int64_t> orders{5000, 8000, 11000, 15000, 20000, 25000, 30000, 35000, 40000, 45000};
  std::vector<std::int64_t> tiles{960, 1920};
  std::vector<int> gpus{1, 2, 3, 4};
  std::vector<std::string> configurations{"20x1", "2x10", "2x10c"};
  /// The policy that is compared with the others.
  std::string policy = "homeward";
  std::vector<std::string> rivals{"mct", "heft-rank", "dada"};
  /// The number of runs of each point, with seeds from `seed` on.
  int repeat = 3;
  std::uint64_t seed = 1;
  int jobs = 1;

  /// Returns the rivals and the policy itself.
  [[nodiscard]] std::vector<std::string> policies() const;
};

/// The matrix that is factorized, and the number of GPUs besides the cores.
struct ClustersProblem {
  std::int64_t tile = 0;
  int gpus = 0;
  /// The order that was asked for.
  std::int64_t order = 0;

  /// Returns `order` rounded to the nearest multiple of `tile`, at least one tile.
  [[nodiscard]] std::int64_t n() const;
  /// Returns a name such as "10560/960 1".
  [[nodiscard]] std::string name() const;
  [[nodiscard]] double gflops(double seconds) const;

  friend auto operator<=>(const ClustersProblem&, const ClustersProblem&) = default;
};

/// The runs of one problem, configuration and policy; they differ in their seeds.
struct ClustersPoint {
  std::vector<double> seconds;
  MedianInterval bytes;

  [[nodiscard]] MedianInterval gflops(const ClustersProblem& problem) const;
  /// Returns (longest - shortest) / median of the runs' times.
  [[nodiscard]] double spread() const;
};

/// The times that no schedule of one problem in one configuration beats, in seconds.
struct ClustersBound {
  /// The paper's iterated bound, and the largest known bound, both with mean times.
  double iterated_s = 0;
  double best_s = 0;
  /// A bound for each run with the times that it drew; empty if all times are mean times.
  std::vector<double> run_s;
};

/// The bounds that several sets of assumptions share; each is computed when it is first asked for. Only one thread may
/// use it.
class ClustersBounds {
 public:
  /// Returns the bound of a problem. `run` has the problem's machine, cores and GPUs. Its noise, if it has any, is
  /// drawn from `repeat` seeds, the first of which is its own.
  [[nodiscard]] ClustersBound of(const SimulatedRun& run, double deviation, int repeat);

 private:
  /// The graphs by order, tile and restriction.
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
  /// Shares by specification of clusters and policy.
  using Shares = std::map<std::pair<std::string, std::string>, ProductShares>;

  ClustersResults(Points points, Bounds bounds, Shares shares)
      : points_(std::move(points)), bounds_(std::move(bounds)), shares_(std::move(shares)) {}
  /// Simulates all points. Throws what `simulate` throws.
  static ClustersResults measure(const ClustersOptions& options, const ClustersAssumptions& assumptions,
                                 ClustersBounds& bounds, const ProgressOptions& progress);

  [[nodiscard]] const Points& points() const { return points_; }
  [[nodiscard]] const Bounds& bounds() const { return bounds_; }
  /// Returns how `kProducts` products were shared out; null if that was not simulated.
  [[nodiscard]] const ProductShares* shares(const std::string& clusters, const std::string& policy) const;
  /// Returns a point; null if there is none.
  [[nodiscard]] const ClustersPoint* point(const ClustersProblem& problem, const std::string& configuration,
                                           const std::string& policy) const;
  [[nodiscard]] const ClustersBound* bound(const ClustersProblem& problem, const std::string& configuration) const;
  /// Returns the problems by tile, then GPUs, then order.
  [[nodiscard]] std::vector<ClustersProblem> problems() const;

  /// The smallest makespan over its bound, and its point: a ratio below 1 means that simulation or bound is wrong.
  struct Nearest {
    double ratio = 0;
    std::string point;
  };
  [[nodiscard]] Nearest nearest_to_bound() const;

 private:
  Points points_;
  Bounds bounds_;
  Shares shares_;
};

/// One policy with its best configuration at each problem, compared with the best of the rivals with any configuration.
struct PolicyWithClusters {
  /// The geometric mean of the policy's speed over the rivals'.
  double mean = 0;
  double worst = 0;
  std::string worst_point;
};
[[nodiscard]] PolicyWithClusters compare_with_clusters(const ClustersResults& results, const std::string& policy);

/// Throws `invalid_argument` if something cannot be simulated: clusters that twenty cores cannot form, too many tasks,
/// unknown policies.
void check(const ClustersOptions& options);

}  // namespace troupe::apps
