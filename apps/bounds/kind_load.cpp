#include "apps/bounds/kind_load.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace troupe::apps {
namespace {

std::vector<WorkerType> types_of(const BoundMachine& machine) {
  std::vector<WorkerType> types;
  for (const WorkerType& type : machine.types) {
    if (type.count <= 0) continue;
    const auto equal = std::ranges::find_if(types, [&](const WorkerType& other) {
      return other.times == type.times && other.cores == type.cores && other.on_host == type.on_host;
    });
    if (equal != types.end()) {
      equal->count += type.count;
    } else {
      types.push_back(type);
    }
  }
  return types;
}

}  // namespace

KindLoad::KindLoad(const BoundProblem& problem)
    : length_of_kind(problem.kinds, 0),
      types(types_of(problem.machine)),
      shared_cores(problem.machine.shared_cores),
      rounding(apps::rounding(problem.tasks.size())) {
  for (const BoundTask& task : problem.tasks) length_of_kind[task.kind] += task.length;
  int workers = 0;
  for (const WorkerType& type : types) {
    assert(type.times.size() == problem.kinds);
    workers += type.count;
  }
  for (std::size_t kind = 0; kind < length_of_kind.size(); ++kind) {
    if (length_of_kind[kind] > 0) serial += length_of_kind[kind] * fastest(kind);
  }
  if (!(serial > 0) || !std::isfinite(serial)) return;
  unit_s = serial / workers;
  serial = workers;
  for (WorkerType& type : types) {
    for (double& time : type.times) time /= unit_s;
  }
}

double KindLoad::fastest(std::size_t kind) const {
  double time = kCannotRun;
  for (const WorkerType& type : types) time = std::min(time, type.times[kind]);
  return time;
}

AllocationColumns::AllocationColumns(LinearProgram& program, const KindLoad& load)
    : types_(load.types.size()), columns_(load.length_of_kind.size() * types_, -1) {
  for (std::size_t kind = 0; kind < load.length_of_kind.size(); ++kind) {
    if (load.length_of_kind[kind] <= 0) continue;
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

std::vector<AllocationColumns::Capacity> AllocationColumns::capacities(const KindLoad& load,
                                                                       const std::vector<bool>& kinds) const {
  std::vector<Capacity> all;
  Capacity shared{static_cast<double>(load.shared_cores), {}};
  for (std::size_t type = 0; type < types_; ++type) {
    Capacity& own = all.emplace_back(Capacity{static_cast<double>(load.types[type].count), {}});
    add_busy(load, type, 1, kinds, own.busy);
    if (load.shared_cores > 0) add_busy(load, type, load.types[type].cores, kinds, shared.busy);
  }
  if (load.shared_cores > 0) all.push_back(std::move(shared));
  return all;
}

void AllocationColumns::add_busy(const KindLoad& load, std::size_t type, double times, const std::vector<bool>& kinds,
                                 std::vector<LinearProgram::Term>& terms) const {
  for (std::size_t kind = 0; kind < load.length_of_kind.size(); ++kind) {
    const int column = at(kind, type);
    if (column < 0 || !kinds[kind]) continue;
    terms.push_back({column, times * load.length_of_kind[kind] * load.types[type].times[kind]});
  }
}

}  // namespace troupe::apps
