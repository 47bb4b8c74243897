/// Live view: the state of a runtime's actors at one moment, as plain values, for programs that watch it live.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "troupe/report.hpp"
#include "troupe/units.hpp"

namespace troupe {

struct LiveWorker {
  /// The device's name: "cpu core 3".
  std::string device;
  /// The processing units of a core or a cluster, the master's first; empty for a GPU.
  std::vector<int> members = {};
  bool idle = false;
  /// Its device has stopped working.
  bool lost = false;
  /// Ready tasks in its deque.
  std::size_t deque_length = 0;
  /// The task that it runs: the task's name, or its codelet's name if it has none. Empty: it runs nothing.
  std::string task;
  std::string codelet;
  /// The name of the graph of the client that the task belongs to; empty for the runtime's own graph.
  std::string client;
  /// The time for which the task has been running, to about a millisecond.
  Duration running_for{};
  std::uint64_t tasks = 0;
  Duration busy{};
  /// The share of its cores' time that a cluster's tasks have used so far, without the task that runs.
  TeamUse team;
};

/// One client's part of a runtime that several share.
struct LiveClient {
  std::string name;
  /// The weight of its user, divided among the clients of the user that have work.
  double weight = 1;
  /// Ready tasks that no worker has taken.
  std::size_t ready = 0;
  std::uint64_t submitted = 0;
  std::uint64_t ended = 0;
  /// The time that workers have spent on its tasks.
  Duration worker_time{};
};

/// The memory of a device.
struct LiveMemory {
  /// The name: "GPU 0 (…)".
  std::string name;
  Bytes capacity;
  Bytes used;
};

struct LiveView {
  std::string policy;
  std::vector<LiveWorker> workers;
  /// Ready tasks that no worker owns.
  std::size_t entry_queue = 0;
  std::vector<LiveClient> clients;
  std::vector<LiveMemory> memories;
  /// Copies between memories so far, and predictions compared with the measured times.
  TransferReport transfers;
  std::vector<PredictionReport> predictions;
  MetricsSnapshot mailboxes;
};

}  // namespace troupe
