#include "lab/experiments/dada_claims.hpp"

#include "lab/experiments/claims/claim_table.hpp"

namespace troupe::apps {

namespace {

const ClaimTable& dada_table() {
  static const ClaimTable table = ClaimTable::embedded("dada");
  return table;
}

}  // namespace

const std::vector<Claim>& dada_claims() { return dada_table().claims(); }

std::vector<Judgement> judge(const DadaResults& results) {
  std::vector<ClaimPoint> points;
  for (const auto& [key, point] : results.points()) {
    const auto& [graph, policy, gpus] = key;
    points.push_back({{"graph", to_string(graph)},
                      {"policy", policy},
                      {"gpus", gpus},
                      {"speed", point.gflops},
                      {"bytes", point.bytes},
                      {"seconds", point.seconds}});
  }
  return dada_table().judge(points);
}

}  // namespace troupe::apps
