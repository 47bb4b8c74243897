#include "apps/run/cluster_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "actors/scheduler/policy.hpp"
#include "apps/arguments/common_arguments.hpp"
#include "proto/json/json.hpp"
#include "traces/text/human.hpp"
#include "traces/text/table.hpp"

namespace troupe::apps {

std::string clusters_text(const ClusterChoice& choice) {
  const TriedClusters& best = choice.tried.front();
  std::string text = fmt::format("{}: {}", best.clusters.workers, traces::human_seconds(best.seconds));
  if (best.n != choice.n) text += fmt::format(" for n = {}", best.n);
  if (!choice.remark.empty()) return text;
  text += fmt::format(", the best of {}", choice.tried.size());
  const auto single =
      std::ranges::find_if(choice.tried, [](const auto& one) { return one.clusters.specification.empty(); });
  if (single != choice.tried.begin() && single->n == best.n) {
    text += fmt::format("; single cores {}", traces::human_seconds(single->seconds));
  }
  return text + fmt::format(" (found in {})", traces::human_seconds(choice.search_seconds));
}

std::string clusters_table(const ClusterChoice& choice) {
  traces::Table table({"clusters", ">n", ">runs", ">time, ms", ">GFlop/s"});
  for (const TriedClusters& one : choice.tried) {
    table.add_row({one.clusters.workers, std::to_string(one.n), std::to_string(one.runs),
                   fmt::format("{:.3f}", one.seconds * 1e3), fmt::format("{:.1f}", one.gflops)});
  }
  return table.text(2);
}

Json clusters_json(const ClusterChoice& choice) {
  Json json{{"clusters", choice.best().workers}, {"search_seconds", choice.search_seconds}, {"tried", Json::array()}};
  if (!choice.remark.empty()) json["remark"] = choice.remark;
  for (const TriedClusters& one : choice.tried) {
    json["tried"].push_back({{"clusters", one.clusters.workers},
                             {"n", one.n},
                             {"runs", one.runs},
                             {"seconds", one.seconds},
                             {"gflops", one.gflops}});
  }
  return json;
}

std::optional<ClusterChoice> settle_clusters(RuntimeOptions& runtime, const FindClusters& find,
                                             const linalg::FactorizationOptions& options, std::int64_t n,
                                             std::size_t element_bytes) {
  if (runtime.clusters != kAutomaticClusters) return std::nullopt;
  std::optional<ClusterChoice> choice = find(runtime, options, n, element_bytes);
  if (choice) {
    runtime.clusters = choice->best().specification;
  } else if (!changing_policy(runtime.policy)) {
    runtime.clusters.clear();
  }
  return choice;
}

std::optional<std::string> changing_policy(const std::string& policy) {
  std::string name(policy == "default" ? scheduler::default_policy(true) : policy);
  const auto made = scheduler::make_policy(name, {}, true);
  return made && made.value().placing ? std::optional(std::move(name)) : std::nullopt;
}

}  // namespace troupe::apps
