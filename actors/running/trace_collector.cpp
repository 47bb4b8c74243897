#include "actors/running/trace_collector.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "graph/codelets/codelet_definition.hpp"
#include "troupe/codelet.hpp"

namespace troupe::actors {

namespace {

/// The numbers of codelets by name. In a trace, which people read, two codelets with the same name are the same.
class CodeletNames {
 public:
  explicit CodeletNames(std::vector<std::string>& names) : names_(names) {}

  std::uint32_t index_of(const CodeletDefinition* codelet) {
    const auto known = by_definition_.find(codelet);
    if (known != by_definition_.end()) return known->second;
    const auto [entry, added] = by_name_.try_emplace(codelet->name, static_cast<std::uint32_t>(names_.size()));
    if (added) names_.push_back(codelet->name);
    return by_definition_[codelet] = entry->second;
  }

 private:
  std::vector<std::string>& names_;
  std::unordered_map<const CodeletDefinition*, std::uint32_t> by_definition_;
  std::map<std::string, std::uint32_t> by_name_;
};

/// Adds the records of one worker to the trace. `content` is passed by value and destroyed here, so that its memory is
/// free before the records of the next worker are copied.
void append_worker(WorkerId worker, workers::WorkerTrace::Content content, CodeletNames& codelets, Trace& trace) {
  std::unordered_map<TaskId, const workers::ChildTask*> children;
  content.children.for_each([&](const workers::ChildTask& child) { children.emplace(child.task, &child); });
  auto name = content.names.begin();
  trace.events.reserve(trace.events.size() + content.tasks.size());
  content.tasks.for_each([&](const workers::TaskSpan& span) {
    TraceEvent event{worker,
                     codelets.index_of(span.codelet),
                     span.task,
                     span.start,
                     span.end,
                     span.flops,
                     span.priority,
                     0,
                     span.failed,
                     span.cores,
                     span.used >= Duration{} ? std::optional(span.used) : std::nullopt,
                     {.waited = span.waited}};
    // Tasks and names are both in the order in which the worker ran the tasks.
    if (name != content.names.end() && name->task == span.task) {
      event.name = static_cast<std::uint32_t>(trace.names.size());
      trace.names.push_back(std::move(name->name));
      ++name;
    }
    if (const auto child = children.find(span.task); child != children.end()) {
      event.nesting.parent = child->second->parent;
      event.nesting.submitted = child->second->submitted;
    }
    trace.events.push_back(event);
  });
  content.states.for_each([&](const workers::StateSpan& span) {
    trace.states.push_back({worker, span.state, span.start, span.end, span.task});
  });
  content.waits.for_each([&](const TraceWait& wait) { trace.waits.push_back(wait); });
  trace.dropped +=
      content.tasks.dropped() + content.states.dropped() + content.children.dropped() + content.waits.dropped();
  trace.complete_until = std::min(trace.complete_until, content.complete_until);
}

void append_dependencies(graph::DependencyTrace& recorded, Trace& trace) {
  for (const auto& log : recorded.take()) {
    log.for_each([&](const graph::DependencyEntry& entry) {
      trace.dependencies.push_back({TaskId(entry.before), entry.after, entry.whole != 0});
    });
    trace.dropped += log.dropped();
  }
  auto& all = trace.dependencies;
  std::sort(all.begin(), all.end(), [](const TraceDependency& a, const TraceDependency& b) {
    if (a.after != b.after) return a.after < b.after;
    return a.before != b.before ? a.before < b.before : a.whole > b.whole;
  });
  const auto same_pair = [](const TraceDependency& a, const TraceDependency& b) {
    return a.after == b.after && a.before == b.before;
  };
  all.erase(std::unique(all.begin(), all.end(), same_pair), all.end());
}

}  // namespace

void TraceRecorder::attach(workers::Crew& crew) {
  crew.trace = true;
  for (workers::WorkerPort& port : crew.ports) port.trace.use(&budget_);
}

Trace TraceRecorder::take(workers::Crew& crew, const platform::Clock& clock) {
  Trace trace;
  CodeletNames codelets(trace.codelets);
  for (std::size_t i = 0; i < crew.ports.size(); ++i) {
    append_worker(WorkerId(static_cast<std::uint32_t>(i)), crew.ports[i].trace.take(clock.now()), codelets, trace);
  }
  std::sort(trace.events.begin(), trace.events.end(), [](const TraceEvent& a, const TraceEvent& b) {
    if (a.start != b.start) return a.start < b.start;
    return a.end != b.end ? a.end < b.end : a.task < b.task;
  });
  std::sort(trace.waits.begin(), trace.waits.end(), [](const TraceWait& a, const TraceWait& b) {
    return a.task != b.task ? a.task < b.task : a.start < b.start;
  });
  append_dependencies(dependencies_, trace);
  return trace;
}

}  // namespace troupe::actors
