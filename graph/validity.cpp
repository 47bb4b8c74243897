#include "graph/validity.hpp"

#include <memory>
#include <span>

#include "graph/data/reduction.hpp"

namespace troupe::graph {

void poison(GraphState& graph, DataRecord& record, const FailureLog::Cause& cause) {
  record.poisoned.store(true, std::memory_order_relaxed);
  graph.failures.poison(record.handle_id(), cause);
}

void settle_data(GraphState& graph, Task& task, bool succeeded, const FailureLog::Cause& why) {
  if (graph.own_codelets.combines(task) && !succeeded) task.data()[0].data()->reduction->discard();
  const auto settle = [&](const TaskAccess& access) {
    if (!writes(access.mode()) || (succeeded && access.mode() != AccessMode::write)) return;
    access.data()->visit_tree([&](DataRecord& part) {
      if (part.poisoned.load(std::memory_order_relaxed) == !succeeded) return;
      if (part.abandoned.load(std::memory_order_relaxed)) return;
      if (!succeeded) return poison(graph, part, why);
      part.poisoned.store(false, std::memory_order_relaxed);
      graph.failures.cure(part.handle_id());
    });
  };
  for (const TaskAccess& access : task.data()) settle(access);
  if (const Domain* const own = task.own_domain()) {
    for (const TaskAccess& access : own->weak) settle(access);
  }
}

void cure_written(GraphState& graph, const Task& parent) {
  for (const TaskAccess& access : parent.data()) {
    if (access.mode() != AccessMode::write) continue;
    access.data()->visit_tree([&](DataRecord& part) {
      if (!part.poisoned.load(std::memory_order_relaxed) || part.abandoned.load(std::memory_order_relaxed)) return;
      part.poisoned.store(false, std::memory_order_relaxed);
      graph.failures.cure(part.handle_id());
    });
  }
}

void poison_written(GraphState& graph, const RecordingRun& run, const FailureLog::Cause& cause) {
  const std::span<const Recording::Use> uses = run.recording->uses();
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (!uses[i].written) continue;
    DataRecord* const data = run.data.empty() ? uses[i].recorded : run.data[i];
    data->visit_tree([&](DataRecord& part) {
      if (!part.poisoned.load(std::memory_order_relaxed)) poison(graph, part, cause);
    });
  }
}

void return_poison(GraphState& graph, const DataRecord& part) {
  DataRecord& parent = *part.parent;
  // A parent that its parts cover has no data of its own, so the flag in its record is out of date.
  if (!parent.covered && parent.poisoned.load(std::memory_order_relaxed)) return;
  FailureLog::Cause cause;
  part.visit_tree([&](const DataRecord& record) {
    if (!record.covered && record.poisoned.load(std::memory_order_relaxed)) {
      cause = graph.failures.poison_of(record.handle_id());
    }
  });
  if (cause != nullptr) return poison(graph, parent, cause);
  parent.poisoned.store(false, std::memory_order_relaxed);
  graph.failures.cure(parent.handle_id());
}

void note_unwritten(GraphState& graph, Domain& domain) {
  if (!graph.data.registry.any_to_check()) return;
  for (const TaskAccess& access : domain.weak) {
    if (access.mode() != AccessMode::write) continue;
    access.data()->visit_data([&domain](DataRecord& part) {
      if (part.content.unwritten) domain.unwritten.emplace_back(&part, part.handle_id());
    });
  }
}

void poison_unwritten(GraphState& graph, Domain& domain) {
  for (const Handle& handle : domain.unwritten) {
    DataRecord* const part = handle.record();
    if (!DataRegistry::exists(handle) || part->poisoned.load(std::memory_order_relaxed) || domain.children_write(*part))
      continue;
    poison(graph, *part,
           std::make_shared<Failure>(
               Failure{ErrorCode::invalid_argument, describe(domain.parent) + " declares " + describe(*part) +
                                                        " as weak in mode write, and none of its children has "
                                                        "written it"}));
  }
}

FailureLog::Cause why_abandoned(const GraphState& graph, const Task& task) {
  FailureLog::Cause cause;
  for (const TaskAccess& access : task.data()) {
    access.data()->visit_tree([&](DataRecord& part) {
      if (!cause && part.abandoned.load(std::memory_order_relaxed)) cause = graph.failures.poison_of(part.handle_id());
    });
  }
  return cause;
}

Refusal why_invalid(const GraphState& graph, const Task& task) {
  Refusal refusal;
  for (const TaskAccess& access : task.data()) {
    if (!reads(access.mode())) continue;
    access.data()->visit_data([&](DataRecord& part) {
      if (refusal.cause || !part.poisoned.load(std::memory_order_relaxed)) return;
      refusal.origin = graph.failures.poison_of(part.handle_id());
      // Another writer of the data may just have been cancelled and may not have stored the reason yet.
      if (!refusal.origin) {
        refusal.origin = std::make_shared<Failure>(Failure{ErrorCode::cancelled, "its writer did not succeed"});
      }
      refusal.cause = std::make_shared<Failure>(
          Failure{ErrorCode::cancelled, describe(part) + " has no valid content: " + refusal.origin->message});
    });
    if (refusal.cause) break;
  }
  return refusal;
}

}  // namespace troupe::graph
