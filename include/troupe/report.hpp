/// Reports: the totals of a runtime so far, as plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "troupe/devices.hpp"
#include "troupe/ids.hpp"
#include "troupe/team.hpp"
#include "troupe/units.hpp"

namespace troupe {

/// The copies from one memory node to another; node 0 is host memory.
struct PairTraffic {
  NodeId from;
  NodeId to;
  Bytes bytes;
  std::uint64_t copies = 0;
  /// The time in which at least one copy was under way.
  Duration busy{};
};

/// The traffic of a link that copies share.
struct LinkTraffic {
  std::string name;
  double bandwidth_mb_per_s = 0;
  Bytes bytes;
  Duration busy{};
  /// The highest traffic at one time, divided by the bandwidth: at most 1, except for rounding.
  double highest_load = 0;
};

/// The use of a memory with a limit.
struct MemoryUse {
  NodeId node;
  Bytes capacity;
  /// The most memory that data have taken at one time.
  Bytes highest;
  /// The memory that data take now.
  Bytes used;
};

/// The counts of the memory manager.
struct MemoryManagerCounts {
  std::uint64_t evictions = 0;
  std::uint64_t write_backs = 0;
  std::uint64_t prefetches = 0;
  std::uint64_t prefetches_used = 0;
  /// The number of handles that tasks read on devices with a memory of their own. A hit: the content was in that memory
  /// when the memory manager turned to the task. A miss: the content was still being copied, or had to be fetched.
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  /// The number of times that a thread entered the memory manager, which only one thread can use at a time.
  std::uint64_t passes = 0;
};

struct TransferReport {
  Bytes host_to_device;
  Bytes device_to_host;
  Bytes device_to_device;
  /// The pairs of nodes between which anything was copied.
  std::vector<PairTraffic> pairs;
  std::vector<LinkTraffic> links;
  std::vector<MemoryUse> memories;
  MemoryManagerCounts manager;

  [[nodiscard]] Bytes total() const { return host_to_device + device_to_host + device_to_device; }
};

/// One copy. `start` is the time at which the copy was requested.
struct TraceTransfer {
  HandleId handle;
  NodeId from;
  NodeId to;
  Bytes bytes;
  TimeStamp start{};
  TimeStamp end{};
};

/// The errors of the predictions for tasks that have run and have not failed. The members are sums, so that reports can
/// be added and subtracted.
struct PredictionErrors {
  /// The number of tasks that were placed with a prediction.
  std::uint64_t tasks = 0;
  /// The number of tasks that a policy placed without a prediction, in order to learn their time.
  std::uint64_t unpredicted = 0;
  /// The sum of the predicted times, and the sum of the measured times.
  Duration predicted{};
  Duration measured{};
  /// Sum of |measured - predicted| / measured.
  double relative = 0;

  /// Adds one task; `measured_time` must be above 0.
  void add(Duration predicted_time, Duration measured_time) {
    ++tasks;
    predicted += predicted_time;
    measured += measured_time;
    const Duration error = measured_time - predicted_time;
    relative += seconds(error < Duration{} ? -error : error) / seconds(measured_time);
  }
  PredictionErrors& operator+=(const PredictionErrors& other) {
    tasks += other.tasks;
    unpredicted += other.unpredicted;
    predicted += other.predicted;
    measured += other.measured;
    relative += other.relative;
    return *this;
  }
  PredictionErrors& operator-=(const PredictionErrors& other) {
    tasks -= other.tasks;
    unpredicted -= other.unpredicted;
    predicted -= other.predicted;
    measured -= other.measured;
    relative -= other.relative;
    return *this;
  }
  /// Return the mean per task; 0 if there are no tasks.
  [[nodiscard]] double mean_predicted_s() const { return mean(seconds(predicted)); }
  [[nodiscard]] double mean_measured_s() const { return mean(seconds(measured)); }
  /// The mean of |measured - predicted| / measured.
  [[nodiscard]] double mean_relative() const { return mean(relative); }

 private:
  [[nodiscard]] double mean(double sum) const { return tasks == 0 ? 0 : sum / static_cast<double>(tasks); }
};

/// The predictions for a codelet's tasks on one kind of device.
struct PredictionReport {
  /// The name under which the codelet's times are kept (`Codelet::timed_as`), or else the codelet's own name.
  std::string codelet;
  DeviceKind kind = DeviceKind::cpu_core;
  PredictionErrors errors;
};

/// A summary of many times. Percentiles are upper bounds, at most an eighth too large and never above `max`. All fields
/// are 0 if `count` is 0.
struct LatencySummary {
  std::uint64_t count = 0;
  Duration mean{};
  Duration p50{};
  Duration p90{};
  Duration p99{};
  Duration max{};
};

/// The messages of one actor since the runtime's start. A worker's counts go on when its actor is replaced.
struct MailboxMetrics {
  /// The actor's name: "worker 3", "scheduler", "supervisor".
  std::string actor;
  /// The number of messages that were sent to the actor. `received - processed - dropped == depth` in every snapshot.
  std::uint64_t received = 0;
  /// Messages that the actor has taken out of its mailbox, or that were answered at delivery.
  std::uint64_t processed = 0;
  /// Messages that were lost when the actor died, or that came after its end.
  std::uint64_t dropped = 0;
  /// The number of messages that wait now, and the largest such number so far.
  std::uint64_t depth = 0;
  std::uint64_t peak_depth = 0;
  /// Steal requests that were answered at delivery, by the thief's thread and not by the actor.
  std::uint64_t answered_at_delivery = 0;
  /// Messages whose waiting time is not known, because too many messages were waiting when they arrived.
  std::uint64_t unmeasured = 0;
  /// The time from sending to the beginning of the handler.
  LatencySummary waiting;
  /// The time from the beginning of the handler to its end, or until the worker starts the first task that the message
  /// brought: kernels do not count as handling.
  LatencySummary handling;
  /// The time to answer a steal request at delivery, measured for one request in eight.
  LatencySummary answering;
};

struct MetricsSnapshot {
  /// The workers by id, then the supervisor, then the scheduler and the memory manager if there are any.
  std::vector<MailboxMetrics> mailboxes;
};

/// The progress of the submitted tasks.
struct Progress {
  std::uint64_t submitted = 0;
  /// The number of tasks that have succeeded, failed or been cancelled.
  std::uint64_t ended = 0;
};

/// The counts of a worker.
struct WorkerCounts {
  std::uint64_t tasks = 0;
  /// The number of successful steal requests, the number of tasks that these requests brought, and the number of steal
  /// requests that brought no task.
  std::uint64_t steals = 0;
  std::uint64_t stolen_tasks = 0;
  std::uint64_t failed_steals = 0;
  /// The number of pieces that the worker ran (`Codelet::pieces`), and how many of them belonged to other workers'
  /// tasks.
  std::uint64_t pieces = 0;
  std::uint64_t stolen_pieces = 0;
  /// The number of tasks that the worker's device was given before their predecessors on that device had ended.
  std::uint64_t issued_ahead = 0;
  /// The number of times that the worker went to sleep.
  std::uint64_t parks = 0;
};

/// The time that a worker has spent on each activity.
struct WorkerTime {
  /// The time spent on tasks (including the runtime's work between them), and the time spent looking for work.
  Duration busy{};
  Duration searching{};
  /// The time in which the worker had taken tasks, but none ran because their data had not arrived.
  Duration waiting_for_data{};
};

/// One worker of a run report.
struct WorkerReport {
  WorkerId worker;
  /// The device's name: "cpu core 3".
  std::string device;
  DeviceKind kind = DeviceKind::cpu_core;
  /// The number of cores that work together as this worker: more than one in a cluster; 0 if this worker lends its
  /// thread to a cluster (`ThreadOptions::regroup`).
  int cores = 1;
  /// The processing unit that the worker's thread is bound to; -1 if the thread is not bound.
  int bound_to = -1;
  /// The processing units of a core or a cluster, the master's first, whether or not threads are bound to them.
  std::vector<int> members = {};
  /// The use of a cluster's cores by its tasks so far. All zero in virtual time.
  TeamUse team;
  WorkerCounts counts;
  WorkerTime time;
};

struct RunReport {
  std::uint64_t submitted = 0;
  /// Tasks that succeeded, failed or were cancelled.
  std::uint64_t ended = 0;
  std::vector<WorkerReport> workers;
  /// The number of completed changes of clusters, including the first when the runtime starts.
  std::uint64_t regroupings = 0;
  /// The present virtual time; empty on a real machine.
  std::optional<Duration> virtual_time;
  /// Copies between memory nodes; empty if there is one node.
  TransferReport transfers;
  /// The quality of predicted kernel times under placing policies, sorted by codelet, then kind of device. Tasks that
  /// were placed without a prediction, because their times had to be measured first, count only as `unpredicted`.
  std::vector<PredictionReport> predictions;
};

}  // namespace troupe
