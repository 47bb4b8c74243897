#include "lab/experiments/multigrain/multigrain_claims.hpp"

#include "lab/experiments/claims/claim_table.hpp"

namespace troupe::apps {

namespace {

/// The capacity of each machine's GPU memory, in bytes.
const std::map<std::string, double> kCacheBytes{{"amd-gtx470", 1073741824.0}, {"xeon-gtx480", 1288490188.0}};

const ClaimTable& multigrain_table() {
  static const ClaimTable table = ClaimTable::embedded("multigrain");
  return table;
}

}  // namespace

const std::vector<Claim>& multigrain_claims() { return multigrain_table().claims(); }

std::vector<Judgement> judge_multigrain(const MultigrainResults& results, const std::string& policy) {
  std::vector<ClaimPoint> points;
  for (const auto& [key, point] : results.points()) {
    const auto& [place, series] = key;
    if (place.steps != linalg::BlockSteps::products) continue;
    ClaimPoint& values = points.emplace_back(ClaimPoint{{"machine", place.machine},
                                                        {"blocks", place.blocks},
                                                        {"series", series},
                                                        {"speed", point.gflops.median},
                                                        {"bytes", point.bytes.median},
                                                        {"stored", point.stored_bytes},
                                                        {"memory", kCacheBytes.at(place.machine)}});
    if (const MultigrainPoint* cores = results.fastest_on_cores(place)) values["cores_alone"] = cores->gflops.median;
  }
  ClaimPoint constants{{"own", multigrain::both_under(policy)}};
  const MultigrainComparison compared = compare_with_affinity(results, policy);
  if (compared.places > 0) {
    constants.insert({{"mean_speed", compared.mean},
                      {"worst_speed", compared.worst},
                      {"worst_place", compared.worst_place},
                      {"mean_bytes", compared.bytes}});
  }
  return multigrain_table().judge(points, constants);
}

}  // namespace troupe::apps
