#include "traces/analysis/critical_path.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>

#include "traces/analysis/kernel_intervals.hpp"

namespace troupe::traces {

namespace {

constexpr std::size_t kNone = TaskTree::kNone;

struct Edge {
  std::size_t after;
  std::size_t before;
  bool whole;
};

/// Returns the dependencies between tasks of the trace, sorted by successor.
std::vector<Edge> edges_of(const Trace& trace, const TraceIndex& index) {
  std::vector<Edge> edges;
  edges.reserve(trace.dependencies.size());
  for (const TraceDependency& dependency : trace.dependencies) {
    const auto before = index.find(dependency.before);
    const auto after = index.find(dependency.after);
    if (before && after && *before != *after) edges.push_back({*after, *before, dependency.whole});
  }
  std::ranges::stable_sort(edges, {}, &Edge::after);
  return edges;
}

/// An instant at which something happens to a task's kernel. If several points of a task have the same time, they come
/// in the order of `Kind`.
struct Point {
  enum class Kind : std::uint8_t { start, resume, submit, wait, end };

  TimeStamp at{};
  Kind kind = Kind::start;
  std::size_t event = 0;
  /// The event of the child that is submitted.
  std::size_t child = kNone;
};

/// Returns all points, ordered by time. Among points at the same time, causes come before effects: tasks end before
/// other tasks start, and children end before their parents go on.
std::vector<Point> points_of(const Trace& trace, const TaskTree& tree) {
  std::vector<Point> points;
  points.reserve(2 * trace.events.size());
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    points.push_back({event.start, Point::Kind::start, i});
    points.push_back({event.end, Point::Kind::end, i});
    if (const std::size_t parent = tree.parent_of(i); parent != kNone) {
      points.push_back({event.nesting.submitted, Point::Kind::submit, parent, i});
    }
    if (trace.waits.empty()) continue;
    for_each_kernel_interval(trace, event, [&](const Interval& interval) {
      if (interval.start != event.start) points.push_back({interval.start, Point::Kind::resume, i});
      if (interval.end != event.end) points.push_back({interval.end, Point::Kind::wait, i});
    });
  }
  const auto key = [&](const Point& point) {
    const bool begins = point.at <= trace.events[point.event].start;
    const std::size_t outer_levels = begins ? 0 : tree.depth_of(point.event);
    return std::tuple(point.at, begins, std::numeric_limits<std::size_t>::max() - outer_levels, point.event,
                      point.kind);
  };
  std::ranges::stable_sort(points, {}, key);
  return points;
}

/// A segment of a task's kernel on a chain of dependent tasks. `reach` is the length of the longest chain that ends
/// with the segment.
struct ChainSegment {
  std::size_t event = 0;
  TimeStamp from{};
  TimeStamp to{};
  Duration time{};
  Duration reach{};
  /// The index of the segment before this one on the chain, or `kNone`.
  std::size_t before = kNone;
};

/// Finds the longest chains to all tasks, instant by instant.
class Chains {
 public:
  Chains(const Trace& trace, const TraceIndex& index, const TaskTree& tree)
      : trace_(trace),
        tree_(tree),
        edges_(edges_of(trace, index)),
        open_(is_plain() ? 1 : trace.events.size()),
        ended_(trace.events.size(), kNone),
        submitted_(tree.any() ? trace.events.size() : 0, kNone),
        inside_(tree.any() ? trace.events.size() : 0, kNone) {
    if (is_plain()) {
      // Without nested tasks, one pass over the events is enough: they are ordered by start, so the predecessors of an
      // event's task come before it.
      for (std::size_t i = 0; i < trace.events.size(); ++i) {
        start({trace.events[i].start, Point::Kind::start, i});
        end({trace.events[i].end, Point::Kind::end, i});
      }
      return;
    }
    for (const Point& point : points_of(trace, tree)) {
      switch (point.kind) {
        case Point::Kind::start: start(point); break;
        case Point::Kind::submit: submit(point); break;
        case Point::Kind::wait: wait(point); break;
        case Point::Kind::resume: resume(point); break;
        case Point::Kind::end: end(point); break;
      }
    }
  }

  /// Returns the longest of all chains.
  [[nodiscard]] CriticalPath longest() const {
    std::size_t last = kNone;
    for (const std::size_t segment : ended_) {
      if (segment != kNone && (last == kNone || segments_[segment].reach >= segments_[last].reach)) last = segment;
    }
    return path_to(last);
  }

 private:
  /// The current segment of a kernel that has not ended. `segment.time` has the kernel's time up to `since`.
  struct Open {
    ChainSegment segment;
    TimeStamp since{};
    bool runs = false;
  };

  /// Returns true if there are no nested tasks. Then the events are handled one by one, and only one kernel at a time
  /// is open.
  [[nodiscard]] bool is_plain() const { return !tree_.any() && trace_.waits.empty(); }
  [[nodiscard]] Open& open(std::size_t event) { return open_[is_plain() ? 0 : event]; }

  [[nodiscard]] bool goes_before(std::size_t candidate, std::size_t found) const {
    if (candidate == kNone || found == kNone) return found == kNone;
    const ChainSegment& a = segments_[candidate];
    const ChainSegment& b = segments_[found];
    return a.reach != b.reach ? a.reach > b.reach : a.to > b.to;
  }
  [[nodiscard]] Duration reach(std::size_t segment) const {
    return segment == kNone ? Duration{} : segments_[segment].reach;
  }

  void start(const Point& point) {
    std::size_t before = tree_.any() ? submitted_[point.event] : kNone;
    auto edge = std::ranges::lower_bound(edges_, point.event, {}, &Edge::after);
    for (; edge != edges_.end() && edge->after == point.event; ++edge) {
      const bool whole = edge->whole && tree_.any();
      if ((whole ? tree_.end_of(edge->before) : trace_.events[edge->before].end) > point.at) continue;
      const std::size_t candidate = whole ? inside_[edge->before] : ended_[edge->before];
      if (goes_before(candidate, before)) before = candidate;
    }
    open(point.event) = {{point.event, point.at, {}, {}, {}, before}, point.at, true};
  }

  /// Returns the kernel's current segment as if it ended at this time.
  [[nodiscard]] ChainSegment now(const Open& kernel, TimeStamp at) const {
    ChainSegment segment = kernel.segment;
    segment.to = at;
    if (kernel.runs) segment.time += at - kernel.since;
    segment.reach = reach(segment.before) + segment.time;
    return segment;
  }

  void submit(const Point& point) {
    const Open& parent = open(point.event);
    if (!parent.runs) return;
    submitted_[point.child] = segments_.size();
    segments_.push_back(now(parent, point.at));
  }

  void wait(const Point& point) {
    Open& kernel = open(point.event);
    kernel.segment = now(kernel, point.at);
    kernel.runs = false;
  }

  void resume(const Point& point) {
    Open& kernel = open(point.event);
    kernel.runs = true;
    kernel.since = point.at;
    const std::size_t child = tree_.any() ? inside_[point.event] : kNone;
    if (child == kNone || segments_[child].reach <= reach(kernel.segment.before) + kernel.segment.time) return;
    kernel.segment = {point.event, point.at, {}, {}, {}, child};
  }

  void end(const Point& point) {
    Open& kernel = open(point.event);
    ChainSegment segment = now(kernel, point.at);
    kernel.runs = false;
    // The trace may have lost a wait, but `duration()` does not contain any wait.
    segment.time = std::max(Duration{}, std::min(segment.time, trace_.events[point.event].duration()));
    segment.reach = reach(segment.before) + segment.time;
    const std::size_t last = segments_.size();
    segments_.push_back(segment);
    ended_[point.event] = last;
    if (!tree_.any()) return;
    for (std::size_t around = point.event; around != kNone; around = tree_.parent_of(around)) {
      if (!goes_before(last, inside_[around])) continue;
      inside_[around] = last;
    }
  }

  [[nodiscard]] CriticalPath path_to(std::size_t last) const {
    CriticalPath path;
    std::vector<const ChainSegment*> segments;
    for (std::size_t i = last; i != kNone; i = segments_[i].before) segments.push_back(&segments_[i]);
    std::ranges::reverse(segments);
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const ChainSegment& segment = *segments[i];
      const Duration pause = i == 0 ? Duration{} : segment.from - segments[i - 1]->to;
      path.tasks.push_back(segment.event);
      path.times.push_back(segment.time);
      path.length += segment.time;
      path.pauses += pause;
      path.longest_pause = std::max(path.longest_pause, pause);
      if (pause <= kPause) path.unpaused += segment.time;
    }
    return path;
  }

  const Trace& trace_;
  const TaskTree& tree_;
  const std::vector<Edge> edges_;
  std::vector<ChainSegment> segments_;
  /// The kernel of each event, as far as it has run. Only one element if there are no nested tasks.
  std::vector<Open> open_;
  /// For each event that has ended, the index of its last segment.
  std::vector<std::size_t> ended_;
  /// For each event of a child, the index of the parent's segment that ends with the submission of the child.
  std::vector<std::size_t> submitted_;
  /// For each event, the index of the segment with the longest chain among the event itself and the events inside it
  /// that have ended.
  std::vector<std::size_t> inside_;
};

}  // namespace

CriticalPath critical_path(const Trace& trace) {
  const TraceIndex index(trace);
  return critical_path(trace, index, TaskTree(trace, index));
}

CriticalPath critical_path(const Trace& trace, const TraceIndex& index, const TaskTree& tree) {
  if (trace.events.empty()) return {};
  return Chains(trace, index, tree).longest();
}

}  // namespace troupe::traces
