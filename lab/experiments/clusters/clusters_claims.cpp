#include "lab/experiments/clusters/clusters_claims.hpp"

#include <numeric>
#include <set>

#include "lab/experiments/claims/claim_table.hpp"
#include "troupe/machine.hpp"

namespace troupe::apps {

namespace {

const ClaimTable& clusters_table() {
  static const ClaimTable table = ClaimTable::embedded("clusters");
  return table;
}

void add_distributions(std::vector<ClaimPoint>& points, const ClustersResults& results, const std::string& policy) {
  for (const char* clusters : {"10x1", "20x1", "1x10", "2x10"}) {
    const ProductDistribution* found = results.distribution(clusters, policy);
    if (found == nullptr) continue;
    const auto on_cores = std::accumulate(found->cores.begin(), found->cores.end(), std::uint64_t{0});
    ClaimPoint& point = points.emplace_back(ClaimPoint{{"products", clusters},
                                                       {"shares", found->text()},
                                                       {"on_cores", on_cores},
                                                       {"on_gpu", found->gpu},
                                                       {"ms", 1e3 * found->seconds}});
    if (std::string(clusters) != "2x10") continue;
    const double best_s = best_makespan(platform::load_machine(kClustersMachine).value_or_throw(), 2);
    point["shortest_ms"] = 1e3 * best_s;
  }
}

}  // namespace

const std::vector<Claim>& clusters_claims() { return clusters_table().claims(); }

std::vector<Judgement> judge_clusters(const ClustersResults& results, const std::string& policy) {
  std::set<std::string> configurations;
  for (const auto& [key, point] : results.points()) configurations.insert(std::get<1>(key));
  std::vector<ClaimPoint> points;
  for (const ClustersProblem& problem : results.problems()) {
    for (const std::string& configuration : configurations) {
      ClaimPoint& values = points.emplace_back(ClaimPoint{{"problem", problem.name()},
                                                          {"tile", problem.tile},
                                                          {"gpus", problem.gpus},
                                                          {"order", problem.order},
                                                          {"configuration", configuration}});
      if (const ClustersPoint* point = results.point(problem, configuration, policy)) {
        values["speed"] = point->gflops(problem).median;
        values["spread"] = point->spread();
      }
      if (const ClustersBound* bound = results.bound(problem, configuration))
        values["bound"] = problem.gflops(bound->iterated_s);
    }
  }
  add_distributions(points, results, policy);
  return clusters_table().judge(points);
}

}  // namespace troupe::apps
