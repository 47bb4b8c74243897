/// The experiments with clusters of cores: T. Cojean, A. Guermouche, A. Hugo, R. Namyst and P.-A. Wacrenier, Resource
/// Aggregation for Task-Based Cholesky Factorization on Top of Heterogeneous Machines, HeteroPar 2016, section 5.
/// Cholesky over matrices, tiles and GPUs; cores alone and together; several policies; and what no schedule can beat.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/experiments/clusters/independent_products.hpp"
#include "apps/simulate/scaled_machine.hpp"
#include "apps/simulate/simulation_bound.hpp"
#include "apps/terminal/progress.hpp"
#include "proto/median.hpp"

namespace troupe::apps {

/// The paper's machine, of which 20 cores run tasks whatever the number of GPUs.
inline constexpr const char* kClustersMachine = "sirocco-double";
inline constexpr int kClustersCores = 20;

/// How the cores work.
struct CoreConfiguration {
  /// "20x1", "2x10", "2x10c".
  std::string name;
  /// `SimulationOptions::clusters`.
  std::string clusters;
  /// `RuntimeOptions::restrict`.
  std::string restrict;
};

/// A specification of clusters (docs/clusters.md); with a 'c' behind its last digit, cores alone run potrf and trsm.
[[nodiscard]] CoreConfiguration core_configuration(const std::string& text);

/// What the paper does not say of its machine.
struct ClustersAssumptions {
  /// Standard deviation of kernel times, as a part of their mean.
  double deviation = 0.05;
  GpuLinks links = GpuLinks::as_described;

  /// "5 %, one link", "5 %, a link per GPU".
  [[nodiscard]] std::string name() const;
};

struct ClustersOptions {
  /// Each is rounded to whole tiles, at least one; those that come to the same n count once.
  std::vector<std::int64_t> orders{5000, 8000, 11000, 15000, 20000, 25000, 30000, 35000, 40000, 45000};
  std::vector<std::int64_t> tiles{960, 1920};
  std::vector<int> gpus{1, 2, 3, 4};
  std::vector<std::string> configurations{"20x1", "2x10", "2x10c"};
  /// The one that is compared with the others.
  std::string policy = "homeward";
  std::vector<std::string> rivals{"mct", "heft-rank", "dada"};
  /// Runs of each point, with seeds from `seed` on.
  int repeat = 3;
  std::uint64_t seed = 1;
  int jobs = 1;

  /// The rivals, and it.
  [[nodiscard]] std::vector<std::string> policies() const;
};

/// What is factorized, by how many GPUs besides the cores.
struct ClustersProblem {
  std::int64_t tile = 0;
  int gpus = 0;
  /// As asked for.
  std::int64_t order = 0;

  /// In whole tiles.
  [[nodiscard]] std::int64_t n() const;
  /// "10560/960 1".
  [[nodiscard]] std::string name() const;
  [[nodiscard]] double gflops(double seconds) const;

  friend auto operator<=>(const ClustersProblem&, const ClustersProblem&) = default;
};

/// Runs of one problem, configuration and policy that differ in their seeds.
struct ClustersPoint {
  std::vector<double> seconds;
  MedianInterval bytes;

  [[nodiscard]] MedianInterval gflops(const ClustersProblem& problem) const;
  /// (longest - shortest) / median of their times.
  [[nodiscard]] double spread() const;
};

/// What no schedule of one problem in one configuration beats, in seconds.
struct ClustersBound {
  /// With mean times: the paper's iterated bound, and the largest that is known.
  double iterated_s = 0;
  double best_s = 0;
  /// By run, with the times that it drew; empty where they are all mean times.
  std::vector<double> run_s;
};

/// Bounds that several sets of assumptions share; each is worked out when it is first asked for. Of one thread.
class ClustersBounds {
 public:
  /// `run` has the problem's machine, cores and GPUs; its noise, where it has any, is that of seeds from its own on.
  [[nodiscard]] ClustersBound of(const SimulatedRun& run, double deviation, int repeat);

 private:
  /// By order, tile and restriction.
  std::map<std::tuple<std::int64_t, std::int64_t, std::string>, FactorizationGraph> graphs_;
  /// By these, GPUs, clusters, deviation and seed; without noise: 0 and 0.
  std::map<std::tuple<std::int64_t, std::int64_t, std::string, std::size_t, std::string, double, std::uint64_t>,
           LowerBounds>
      bounds_;
};

class ClustersResults {
 public:
  /// By problem, configuration and policy.
  using Points = std::map<std::tuple<ClustersProblem, std::string, std::string>, ClustersPoint>;
  /// By problem and configuration.
  using Bounds = std::map<std::pair<ClustersProblem, std::string>, ClustersBound>;
  /// By specification of clusters and policy.
  using Shares = std::map<std::pair<std::string, std::string>, ProductShares>;

  ClustersResults(Points points, Bounds bounds, Shares shares)
      : points_(std::move(points)), bounds_(std::move(bounds)), shares_(std::move(shares)) {}
  /// Simulates all of them. Throws as `simulate`.
  static ClustersResults measure(const ClustersOptions& options, const ClustersAssumptions& assumptions,
                                 ClustersBounds& bounds, const ProgressOptions& progress);

  [[nodiscard]] const Points& points() const { return points_; }
  [[nodiscard]] const Bounds& bounds() const { return bounds_; }
  /// Of `kProducts` products. Null where there is none.
  [[nodiscard]] const ProductShares* shares(const std::string& clusters, const std::string& policy) const;
  /// Null where there is none.
  [[nodiscard]] const ClustersPoint* point(const ClustersProblem& problem, const std::string& configuration,
                                           const std::string& policy) const;
  [[nodiscard]] const ClustersBound* bound(const ClustersProblem& problem, const std::string& configuration) const;
  /// By tile, then GPUs, then order.
  [[nodiscard]] std::vector<ClustersProblem> problems() const;

  /// The smallest makespan over its bound, and of which point: below 1, simulation or bound is wrong.
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

/// One policy with its best configuration at each problem against the best of the rivals with any.
struct PolicyWithClusters {
  /// Geometric mean of its speed over theirs.
  double mean = 0;
  double worst = 0;
  std::string worst_point;
};
[[nodiscard]] PolicyWithClusters compare_with_clusters(const ClustersResults& results, const std::string& policy);

/// Throws `invalid_argument` where something cannot be simulated: clusters that twenty cores cannot form, too many
/// tasks, unknown policies.
void check(const ClustersOptions& options);

}  // namespace troupe::apps
