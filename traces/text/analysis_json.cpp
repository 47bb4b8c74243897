#include "traces/text/analysis_json.hpp"

#include "actors/observation/report_members.hpp"

namespace troupe::traces {

Json team_json(const TeamUse& use) {
  const auto used = use.used_fraction();
  Json json = as_json(use);
  json["used_fraction"] = used ? Json(*used) : Json(nullptr);
  return json;
}

namespace {

Json worker_json(const WorkerUse& use) {
  Json json{{"tasks", use.tasks},
            {"kernel_seconds", seconds(use.kernels)},
            {"overhead_seconds", seconds(use.overhead)},
            {"searching_seconds", seconds(use.searching)},
            {"lent_seconds", seconds(use.lent)},
            {"waiting_seconds", seconds(use.waiting)},
            {"idle_seconds", seconds(use.idle)},
            {"end_seconds", seconds(use.at_the_end)}};
  if (use.team != TeamUse{}) json["team"] = team_json(use.team);
  return json;
}

Json codelet_json(const CodeletUse& use) {
  return {{"codelet", use.name},
          {"tasks", use.tasks},
          {"failed", use.failed},
          {"seconds", seconds(use.total)},
          {"mean_seconds", use.mean_s},
          {"deviation_seconds", use.deviation_s},
          {"shortest_seconds", seconds(use.shortest)},
          {"longest_seconds", seconds(use.longest)},
          {"gflops", use.gflops},
          {"slowed_seconds", seconds(use.slowed)}};
}

Json path_json(const RunAnalysis& analysis) {
  const CriticalPath& path = analysis.path;
  Json codelets = Json::array();
  for (const PathUse& use : analysis.path_codelets) {
    codelets.push_back({{"codelet", use.codelet}, {"tasks", use.tasks}, {"seconds", seconds(use.total)}});
  }
  return {{"seconds", seconds(path.length)},
          {"tasks", analysis.path_tasks()},
          {"codelets", std::move(codelets)},
          {"unpaused_fraction", path.length > Duration{} ? seconds(path.unpaused) / seconds(path.length) : 0.0},
          {"pause_seconds", seconds(path.pauses)},
          {"longest_pause_seconds", seconds(path.longest_pause)}};
}

Json nested_json(const NestedUse& use) {
  Json json{{"task", use.task.value()},
            {"codelet", use.codelet},
            {"inside", use.inside},
            {"levels", use.levels},
            {"kernel_seconds", seconds(use.kernels)},
            {"span_seconds", seconds(use.span)},
            {"kernels_at_once", use.at_once()}};
  if (!use.name.empty()) json["name"] = use.name;
  return json;
}

Json nested_json(const NestedTasks& nested) {
  Json json{{"outermost", nested.outermost},
            {"inside", nested.inside},
            {"levels", nested.levels},
            {"longest", Json::array()},
            {"narrowest", Json::array()}};
  for (const NestedUse& use : nested.longest) json["longest"].push_back(nested_json(use));
  for (const NestedUse& use : nested.narrowest) json["narrowest"].push_back(nested_json(use));
  return json;
}

}  // namespace

Json analysis_json(const RunAnalysis& analysis) {
  const WorkerUse sum = analysis.sum();
  Json json{{"seconds", seconds(analysis.makespan)},
            {"tasks", analysis.tasks},
            {"dependencies", analysis.dependencies},
            {"dropped", analysis.dropped},
            {"workers", Json::array()},
            {"codelets", Json::array()},
            {"critical_path", path_json(analysis)},
            {"work_bound_seconds", seconds(analysis.work_bound())},
            {"bound_seconds", seconds(analysis.bound())}};
  for (const WorkerUse& use : analysis.workers) json["workers"].push_back(worker_json(use));
  for (const CodeletUse& use : analysis.codelets) json["codelets"].push_back(codelet_json(use));
  if (analysis.nested.inside > 0) json["nested"] = nested_json(analysis.nested);
  json["worker_sums"] = {
      {"kernel_seconds", seconds(sum.kernels)},    {"slowed_seconds", seconds(analysis.slowed())},
      {"overhead_seconds", seconds(sum.overhead)}, {"dependency_seconds", seconds(analysis.limited_by_dependencies())},
      {"end_seconds", seconds(sum.at_the_end)},    {"idle_seconds", seconds(sum.idle)}};
  return json;
}

}  // namespace troupe::traces
