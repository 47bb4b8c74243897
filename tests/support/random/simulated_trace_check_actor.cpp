#include "tests/support/random/simulated_trace_check_actor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace troupe::tests {

namespace {

using platform::MachineDescription;

class Checker {
 public:
  Checker(const FactorizationOutcome& outcome, std::vector<std::string>& problems)
      : outcome_(outcome),
        machine_(outcome.options.machine),
        trace_(outcome.trace),
        report_(outcome.report),
        problems_(problems),
        events_(outcome.ran.ids.size()) {}

  void check() {
    index_events();
    check_counts();
    check_workers();
    check_conflicts();
    check_dependencies();
    if (!outcome_.options.noise) check_times();
    check_copies();
    check_links();
    check_memories();
    check_traffic();
    if (report_.submitted != report_.ended) problem("tasks are left over");
  }

 private:
  void problem(std::string what) { problems_.push_back(std::move(what)); }
  [[nodiscard]] const PlannedTask& plan(std::size_t task) const { return outcome_.program.tasks[task]; }
  [[nodiscard]] TimeStamp end() const { return report_.virtual_time.value_or(TimeStamp{}); }

  void index_events() {
    std::unordered_map<TaskId, std::size_t> numbers;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (outcome_.ran.ids[i].valid()) numbers.emplace(outcome_.ran.ids[i], i);
    }
    for (const TraceEvent& event : trace_.events) {
      if (event.end > end()) problem("a task ended after the end of the run");
      by_id_[event.task] = &event;
      const auto found = numbers.find(event.task);
      if (found != numbers.end()) events_[found->second].push_back(&event);
    }
    if (trace_.dropped > 0) problem("the trace is not complete");
  }

  void check_counts() {
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const TaskStatus status = outcome_.ran.status[i];
      const std::size_t ran = events_[i].size();
      const bool lost = outcome_.losses && status == TaskStatus::failed;
      const std::size_t expected = status == TaskStatus::succeeded || status == TaskStatus::failed ? 1 : 0;
      // A task of pieces whose number of pieces is 0 fails before it runs.
      const bool without = status == TaskStatus::failed && in_pieces(i) && planned_pieces(plan(i)) == 0;
      if (ran == expected || ((lost || without) && ran == 0)) continue;
      problem(fmt::format("task {} {} but is {} times in the trace", i, to_string(status), ran));
    }
  }

  void check_workers() {
    std::map<WorkerId, TimeStamp> busy_until;
    for (const TraceEvent& event : trace_.events) {
      TimeStamp& until = busy_until[event.worker];
      if (event.start < until) problem(fmt::format("worker {} ran two tasks at a time", event.worker.value()));
      until = std::max(until, event.end);
    }
  }

  /// Returns true if the accesses of the two tasks fix the order of the tasks. Sets `apart` to true if the two tasks
  /// must not overlap, even if they may run in either order.
  [[nodiscard]] bool conflict(const PlannedTask& a, const PlannedTask& b, bool& apart) const {
    bool ordered = false;
    for (const PlannedAccess& x : a.accesses) {
      for (const PlannedAccess& y : b.accesses) {
        if (!writes(x.mode) && !writes(y.mode)) continue;
        if (!overlap(region(x), region(y))) continue;
        const bool free = in_any_order(x.mode) && in_any_order(y.mode);
        ordered = ordered || !free;
        apart = apart || (x.mode == AccessMode::commute && y.mode == AccessMode::commute);
      }
    }
    return ordered;
  }
  static bool in_any_order(AccessMode mode) { return mode == AccessMode::commute || mode == AccessMode::reduce; }
  [[nodiscard]] const Region& region(const PlannedAccess& access) const {
    return outcome_.program.regions[static_cast<std::size_t>(access.region)];
  }

  void check_conflicts() {
    for (std::size_t i = 0; i < events_.size(); ++i) {
      for (std::size_t j = 0; j < events_.size(); ++j) {
        if (events_[i].empty() || events_[j].empty() || outcome_.ran.ids[i] >= outcome_.ran.ids[j]) continue;
        const TraceEvent& first = *events_[i].front();
        const TraceEvent& second = *events_[j].front();
        bool apart = false;
        const bool ordered = conflict(plan(i), plan(j), apart);
        if (ordered && second.start < first.end) {
          problem(fmt::format("task {} began before task {} had ended, which it conflicts with", j, i));
        } else if (apart && second.start < first.end && first.start < second.end) {
          problem(fmt::format("tasks {} and {} ran at the same time though they commute", i, j));
        }
      }
    }
  }

  void check_dependencies() {
    for (const TraceDependency& dependency : trace_.dependencies) {
      const auto before = by_id_.find(dependency.before);
      const auto after = by_id_.find(dependency.after);
      if (before == by_id_.end() || after == by_id_.end()) continue;
      if (after->second->start < before->second->end) {
        problem(fmt::format("task {} began before task {} had ended, which it depends on", dependency.after.value(),
                            dependency.before.value()));
      }
    }
  }

  [[nodiscard]] bool in_pieces(std::size_t task) const {
    return planned_kernel(outcome_.program, plan(task), {}).grain > 0;
  }
  [[nodiscard]] std::size_t cores() const {
    return static_cast<std::size_t>(
        std::count_if(report_.workers.begin(), report_.workers.end(),
                      [](const WorkerReport& worker) { return worker.kind == DeviceKind::cpu_core; }));
  }
  /// Returns the task's time on the worker according to the machine description.
  [[nodiscard]] Duration time(std::size_t task, std::size_t worker) const {
    Devices devices;
    devices.mixed = true;
    const PlannedKernel kernel = planned_kernel(outcome_.program, plan(task), devices);
    const auto* times = machine_.find_kernel("test", timed_kernel_name(kernel.timed_as), "long");
    const double flops = outcome_.ran.flops[task];
    const bool by_size = flops > 0 && times->flops_per_cube() > 0;
    const double edge = by_size ? std::cbrt(flops / times->flops_per_cube()) : times->edges().back();
    const bool core = worker < cores();
    const auto gpu = core ? 0 : static_cast<std::size_t>(outcome_.options.gpus[worker - cores()]);
    const double us = core ? times->cpu(edge).mean_us : times->gpu(gpu, edge).mean_us;
    return Duration(std::llround(us * 1000)) +
           (core ? Duration::zero() : outcome_.options.accelerators.kernel_overhead);
  }

  void check_times() {
    std::map<TaskId, Duration> fastest;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (events_[i].empty()) continue;
      const TraceEvent& event = *events_[i].front();
      // A task of pieces takes less time if other cores help.
      const bool shorter = in_pieces(i) && event.worker.index() < cores();
      const Duration takes = time(i, event.worker.index());
      if (event.duration() > takes || (event.duration() < takes && !shorter)) {
        problem(fmt::format("task {} took {} ns on worker {}, not {}", i, event.duration().count(),
                            event.worker.value(), takes.count()));
      }
      Duration least = event.duration();
      for (std::size_t worker = 0; worker < report_.workers.size(); ++worker) least = std::min(least, time(i, worker));
      fastest[event.task] = least;
    }
    check_chain(fastest);
  }

  void check_chain(const std::map<TaskId, Duration>& fastest) {
    std::map<TaskId, std::vector<TaskId>> before;
    for (const TraceDependency& each : trace_.dependencies) before[each.after].push_back(each.before);
    std::map<TaskId, Duration> chain;
    // The events are sorted by their start, so a task's predecessors come first.
    for (const TraceEvent& event : trace_.events) {
      Duration longest{};
      for (const TaskId task : before[event.task]) longest = std::max(longest, chain[task]);
      const auto own = fastest.find(event.task);
      chain[event.task] = longest + (own == fastest.end() ? Duration{} : own->second);
      if (chain[event.task] > event.end) problem("a task ended before its chain can have");
    }
  }

  /// Returns the number of the memory node in the machine description; the run may use only some of the nodes.
  [[nodiscard]] std::size_t described(NodeId node) const {
    return node.index() == 0 ? 0 : static_cast<std::size_t>(outcome_.options.gpus[node.index() - 1]) + 1;
  }

  void check_copies() {
    std::map<std::pair<NodeId, NodeId>, TimeStamp> free_at;
    for (const TraceTransfer& copy : trace_.transfers) {
      const auto& route = machine_.route(described(copy.from), described(copy.to));
      TimeStamp& free = free_at[{copy.from, copy.to}];
      const double ns = static_cast<double>(copy.bytes.count) / route.bandwidth_mb_per_s * 1000;
      const TimeStamp earliest = std::max(free, copy.start) + route.latency + outcome_.options.copies.overhead +
                                 Duration(static_cast<Duration::rep>(ns));
      if (copy.end + Duration(2) < earliest) {
        problem(fmt::format("a copy from {} to {} ended at {} ns, which cannot be before {}", copy.from.value(),
                            copy.to.value(), copy.end.count(), earliest.count()));
      }
      if (copy.end < free) problem("copies are not in the order of their ends");
      free = copy.end;
    }
  }

  void check_links() {
    std::vector<std::uint64_t> bytes(machine_.links.size());
    for (const TraceTransfer& copy : trace_.transfers) {
      for (const std::uint32_t link : machine_.route(described(copy.from), described(copy.to)).links) {
        bytes[link] += copy.bytes.count;
      }
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const double needed_s = static_cast<double>(bytes[i]) / (machine_.links[i].bandwidth_mb_per_s * 1e6);
      if (needed_s > seconds(end()) * (1 + 1e-9) + 1e-9) problem("a link carried more than it can in all this time");
    }
    for (const LinkTraffic& link : report_.transfers.links) {
      if (link.highest_load > 1 + 1e-9)
        problem(fmt::format("link '{}' was loaded by {}", link.name, link.highest_load));
    }
  }

  void check_memories() {
    if (report_.transfers.memories.size() != outcome_.options.gpus.size()) problem("a memory is not in the report");
    for (const MemoryUse& memory : report_.transfers.memories) {
      if (memory.highest > memory.capacity) problem(fmt::format("node {} held more than it can", memory.node.value()));
    }
  }

  void check_traffic() {
    std::map<std::pair<NodeId, NodeId>, PairTraffic> sums;
    Bytes all;
    for (const TraceTransfer& copy : trace_.transfers) {
      PairTraffic& sum = sums[{copy.from, copy.to}];
      sum.bytes += copy.bytes;
      ++sum.copies;
      all += copy.bytes;
    }
    if (all != report_.transfers.total()) problem("report and trace disagree on what was copied");
    if (sums.size() != report_.transfers.pairs.size()) problem("report and trace disagree on pairs");
    for (const PairTraffic& pair : report_.transfers.pairs) {
      const PairTraffic& sum = sums[{pair.from, pair.to}];
      if (sum.bytes != pair.bytes || sum.copies != pair.copies) problem("report and trace disagree on a pair");
    }
  }

  const FactorizationOutcome& outcome_;
  const MachineDescription& machine_;
  const Trace& trace_;
  const RunReport& report_;
  std::vector<std::string>& problems_;
  /// The events of each planned task, by the task's index.
  std::vector<std::vector<const TraceEvent*>> events_;
  std::map<TaskId, const TraceEvent*> by_id_;
};

}  // namespace

void check_simulated_trace(const FactorizationOutcome& outcome, std::vector<std::string>& problems) {
  Checker(outcome, problems).check();
}

std::string text_of(const Trace& trace) {
  std::string text;
  for (const TraceEvent& event : trace.events) {
    text += fmt::format("{} on {}: {} to {} {}\n", event.task.value(), event.worker.value(), event.start.count(),
                        event.end.count(), event.failed);
  }
  for (const TraceDependency& each : trace.dependencies) {
    text += fmt::format("{} after {}\n", each.after.value(), each.before.value());
  }
  for (const TraceTransfer& copy : trace.transfers) {
    text += fmt::format("{}: {} to {}, {} to {}\n", copy.handle.value(), copy.from.value(), copy.to.value(),
                        copy.start.count(), copy.end.count());
  }
  return text;
}

}  // namespace troupe::tests
