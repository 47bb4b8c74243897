/// Stall explanation: finds out why the tasks in flight make no progress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/tasks/graph_snapshot.hpp"
#include "troupe/why.hpp"

namespace troupe::observation {

/// The state of the runtime around the graph: workers, queues and scheduler.
struct CrewSnapshot {
  struct Worker {
    std::string device;
    bool asleep = false;
    std::uint64_t queued = 0;
    /// True if the worker takes no tasks, because its cores are being regrouped or because it lends its thread to
    /// another worker.
    bool regroups = false;
    WorkerId lent_to = {};
    /// The fields `members` and `team` have the meanings that they have in `WhyWorker`.
    std::vector<int> members = {};
    TeamUse team;
  };
  std::vector<Worker> workers;
  std::uint64_t in_entry_queue = 0;
  /// The number of tasks in the activation queue or with the scheduler; 0 under a local policy.
  std::uint64_t undecided = 0;
  std::string policy;
  /// True if there is a scheduler, and its actor has ended.
  bool scheduler_died = false;
  TimeStamp now{};
  /// For each task that a worker has taken and whose data have not arrived: what the data wait for, in words. The map
  /// is never iterated over.
  std::unordered_map<TaskId, std::string> fetching;
};

/// The limits for the lists of the report: the most entries that each list may have.
struct ExplanationLimits {
  std::size_t causes = 10;
  std::size_t tasks = 20;
  std::size_t blockers = 4;
  std::size_t threads = 20;
};

/// Explains from the two snapshots alone why tasks wait. Each waiting task gets one cause: the gravest of the causes of
/// its predecessors. O(tasks + edges).
[[nodiscard]] WhyReport explain(const graph::GraphSnapshot& graph, const CrewSnapshot& crew,
                                const ExplanationLimits& limits = {});

}  // namespace troupe::observation
