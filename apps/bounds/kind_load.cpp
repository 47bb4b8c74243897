#include "apps/bounds/kind_load.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace troupe::apps {
namespace {

std::vector<ResourceType> types_of(const BoundProblem& problem, const std::vector<bool>& on_host) {
  std::vector<ResourceType> types;
  for (std::size_t type = 0; type < problem.counts.size(); ++type) {
    if (problem.counts[type] <= 0) continue;
    std::vector<double> times;
    for (const auto& times_of_kind : problem.times_s) times.push_back(times_of_kind[type]);
    const bool host = on_host.empty() || on_host[type];
    const auto equal = std::ranges::find_if(
        types, [&](const ResourceType& other) { return other.times == times && other.on_host == host; });
    if (equal != types.end()) {
      equal->count += problem.counts[type];
    } else {
      types.push_back({std::move(times), problem.counts[type], host});
    }
  }
  return types;
}

}  // namespace

KindLoad::KindLoad(const BoundProblem& problem, const std::vector<bool>& on_host)
    : tasks_of_kind(problem.kinds, 0), types(types_of(problem, on_host)) {
  assert(problem.times_s.size() == problem.kinds);
  for (const BoundTask& task : problem.tasks) ++tasks_of_kind[task.kind];
  int devices = 0;
  for (const ResourceType& type : types) devices += type.count;
  for (std::size_t kind = 0; kind < tasks_of_kind.size(); ++kind) {
    if (tasks_of_kind[kind] > 0) serial += static_cast<double>(tasks_of_kind[kind]) * fastest(kind);
  }
  if (!(serial > 0) || !std::isfinite(serial)) return;
  unit_s = serial / devices;
  serial = devices;
  for (ResourceType& type : types) {
    for (double& time : type.times) time /= unit_s;
  }
}

double KindLoad::fastest(std::size_t kind) const {
  double time = kCannotRun;
  for (const ResourceType& type : types) time = std::min(time, type.times[kind]);
  return time;
}

AllocationColumns::AllocationColumns(LinearProgram& program, const KindLoad& load)
    : types_(load.types.size()), columns_(load.tasks_of_kind.size() * types_, -1) {
  for (std::size_t kind = 0; kind < load.tasks_of_kind.size(); ++kind) {
    if (load.tasks_of_kind[kind] == 0) continue;
    std::vector<LinearProgram::Term> all;
    for (std::size_t type = 0; type < types_; ++type) {
      if (load.types[type].times[kind] == kCannotRun) continue;
      const int column = program.add_column(0, 1);
      columns_[kind * types_ + type] = column;
      all.push_back({column, 1});
    }
    program.add_row(LinearProgram::Sense::equal, 1, all);
  }
}

std::vector<LinearProgram::Term> AllocationColumns::busy(const KindLoad& load, std::size_t type,
                                                         const std::vector<bool>& kinds) const {
  std::vector<LinearProgram::Term> terms;
  for (std::size_t kind = 0; kind < load.tasks_of_kind.size(); ++kind) {
    const int column = at(kind, type);
    if (column < 0 || !kinds[kind]) continue;
    terms.push_back({column, static_cast<double>(load.tasks_of_kind[kind]) * load.types[type].times[kind]});
  }
  return terms;
}

}  // namespace troupe::apps
