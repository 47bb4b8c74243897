#include "traces/analysis/critical_path.hpp"

#include <algorithm>
#include <limits>

#include "traces/analysis/trace_index.hpp"

namespace troupe::traces {

namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

struct Edge {
  std::size_t after;
  std::size_t before;
};

/// Returns the dependencies as edges, sorted by the index of the successor. Every edge leads from a smaller index to a
/// larger one, because events are ordered by start.
std::vector<Edge> edges_of(const Trace& trace) {
  const TraceIndex index(trace);
  std::vector<Edge> edges;
  edges.reserve(trace.dependencies.size());
  for (const TraceDependency& dependency : trace.dependencies) {
    const auto before = index.find(dependency.before);
    const auto after = index.find(dependency.after);
    if (!before || !after || *before >= *after) continue;
    if (trace.events[*before].end > trace.events[*after].start) continue;
    edges.push_back({*after, *before});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.after < b.after; });
  return edges;
}

/// Returns the path that ends in the task with index `last`.
CriticalPath path_to(const Trace& trace, const std::vector<std::size_t>& before, std::size_t last) {
  CriticalPath path;
  for (std::size_t i = last; i != kNone; i = before[i]) path.tasks.push_back(i);
  std::reverse(path.tasks.begin(), path.tasks.end());
  for (std::size_t i = 0; i < path.tasks.size(); ++i) {
    const TraceEvent& task = trace.events[path.tasks[i]];
    const Duration pause = i == 0 ? Duration{} : task.start - trace.events[path.tasks[i - 1]].end;
    path.length += task.duration();
    path.pauses += pause;
    path.longest_pause = std::max(path.longest_pause, pause);
    if (pause <= kPause) path.unpaused += task.duration();
  }
  return path;
}

}  // namespace

CriticalPath critical_path(const Trace& trace) {
  const std::size_t count = trace.events.size();
  if (count == 0) return {};
  const std::vector<Edge> edges = edges_of(trace);
  // For each task: the length of the longest chain that ends with the task, and the task's predecessor in that chain.
  std::vector<Duration> reach(count);
  std::vector<std::size_t> before(count, kNone);
  auto edge = edges.begin();
  for (std::size_t i = 0; i < count; ++i) {
    for (; edge != edges.end() && edge->after == i; ++edge) {
      const std::size_t candidate = edge->before;
      const bool first = before[i] == kNone;
      const bool farther = first || reach[candidate] > reach[before[i]];
      const bool later =
          !first && reach[candidate] == reach[before[i]] && trace.events[candidate].end > trace.events[before[i]].end;
      if (farther || later) before[i] = candidate;
    }
    reach[i] = trace.events[i].duration() + (before[i] == kNone ? Duration{} : reach[before[i]]);
  }
  std::size_t longest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (reach[i] >= reach[longest]) longest = i;
  }
  return path_to(trace, before, longest);
}

}  // namespace troupe::traces
