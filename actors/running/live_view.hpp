/// What a runtime's actors do at one moment, as plain values: for who watches it live.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "actors/observation/metrics_snapshot.hpp"
#include "actors/reporting/run_report.hpp"
#include "proto/units.hpp"

namespace troupe {

struct LiveWorker {
  /// "cpu core 3".
  std::string device;
  /// Of a core or a cluster the processing units, the master's first; empty for a GPU.
  std::vector<int> members = {};
  bool idle = false;
  /// Its device has stopped working.
  bool lost = false;
  /// Ready tasks in its deque.
  std::size_t deque_length = 0;
  /// What it runs; empty: nothing. The task's name, else its codelet's.
  std::string task;
  std::string codelet;
  /// Whose task it is: the name of the client's graph; empty for the runtime's own.
  std::string client;
  /// For how long it has been running, to about a millisecond.
  Duration running_for{};
  std::uint64_t tasks = 0;
  Duration busy{};
  /// Of a cluster: what share of its cores' time its tasks used so far, the one that runs not counted.
  TeamUse team;
};

/// One client's part of a runtime that several share.
struct LiveClient {
  std::string name;
  /// Of its user, divided among his clients that have work.
  double weight = 1;
  /// Ready tasks that no worker has taken.
  std::size_t ready = 0;
  std::uint64_t submitted = 0;
  std::uint64_t ended = 0;
  /// Time that workers have spent on its tasks.
  Duration worker_time{};
};

/// A memory of a device.
struct LiveMemory {
  /// "GPU 0 (…)".
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
  /// Copies between memories so far, and predictions against what happened.
  TransferReport transfers;
  std::vector<PredictionReport> predictions;
  MetricsSnapshot mailboxes;
};

}  // namespace troupe
