/// Live view: the state of a runtime's actors at one moment, as plain values, for programs that watch the runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "troupe/report.hpp"
#include "troupe/units.hpp"

namespace troupe {

struct LiveWorker {
  /// The device's name, such as "cpu core 3".
  std::string device;
  /// The processing units of a core or a cluster, the master's first; empty for a GPU.
  std::vector<int> members = {};
  bool idle = false;
  /// True if the worker's device has stopped working.
  bool lost = false;
  /// The number of ready tasks in the worker's deque.
  std::size_t deque_length = 0;
  /// `task` is the name of the task that the worker runs or, if the task has no name, the name of its codelet;
  /// `codelet` is the name of the codelet. Both are empty if the worker runs no task.
  std::string task;
  std::string codelet;
  /// The name of the client's graph that the task belongs to; empty for the runtime's own graph.
  std::string client;
  /// The time for which the task has been running, to about a millisecond.
  Duration running_for{};
  std::uint64_t tasks = 0;
  Duration busy{};
  /// For a cluster: how much of the cores' time the ended tasks have used. The running task does not count.
  TeamUse team;
};

/// One client of a runtime that several clients share.
struct LiveClient {
  std::string name;
  /// The weight of the client's user, divided by the number of the user's clients that have work.
  double weight = 1;
  /// The number of ready tasks that wait for the client's turn.
  std::size_t ready = 0;
  std::uint64_t submitted = 0;
  std::uint64_t ended = 0;
  /// The time that workers have spent on the client's tasks.
  Duration worker_time{};
};

/// The memory of a device.
struct LiveMemory {
  /// The name, such as "GPU 0 (…)".
  std::string name;
  Bytes capacity;
  Bytes used;
};

struct LiveView {
  std::string policy;
  std::vector<LiveWorker> workers;
  /// The number of ready tasks in the queue that all workers share.
  std::size_t entry_queue = 0;
  std::vector<LiveClient> clients;
  std::vector<LiveMemory> memories;
  /// `transfers` counts the copies between memories so far; `predictions` holds the errors of predicted times.
  TransferReport transfers;
  std::vector<PredictionReport> predictions;
  MetricsSnapshot mailboxes;
};

}  // namespace troupe
