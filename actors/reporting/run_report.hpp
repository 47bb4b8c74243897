/// Run report: the totals of a runtime so far, as plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/reporting/transfer_report.hpp"
#include "actors/scheduler/models/prediction_report.hpp"
#include "proto/device_kinds.hpp"
#include "proto/ids.hpp"
#include "proto/team_use.hpp"
#include "proto/units.hpp"

namespace troupe {

struct WorkerReport {
  WorkerId worker;
  /// The device's name: "cpu core 3".
  std::string device;
  DeviceKind kind = DeviceKind::cpu_core;
  /// The number of cores that work together as this worker: more than one in a cluster; 0: it lends its thread to one
  /// (`RuntimeOptions::regroup`).
  int cores = 1;
  /// The processing unit that its thread is bound to, or -1.
  int bound_to = -1;
  /// The processing units of a core or a cluster, the master's first, whether or not threads are bound to them.
  std::vector<int> members = {};
  /// The share of its cores' time that a cluster's tasks have used so far. All zero in virtual time.
  TeamUse team;
  std::uint64_t tasks = 0;
  /// Successful steal requests, the tasks that they brought, and requests that brought none.
  std::uint64_t steals = 0;
  std::uint64_t stolen_tasks = 0;
  std::uint64_t failed_steals = 0;
  /// The number of pieces that it ran (`Codelet::pieces`), and how many of them were of tasks that others had begun.
  std::uint64_t pieces = 0;
  std::uint64_t stolen_pieces = 0;
  /// Tasks that its device was given before the tasks that they wait for had ended there.
  std::uint64_t issued_ahead = 0;
  /// The number of times that it went to sleep.
  std::uint64_t parks = 0;
  /// Time of running tasks (including the runtime's work between them), and time of looking for work.
  Duration busy{};
  Duration searching{};
  /// Time in which it had tasks in hand and none ran, because their data had not arrived.
  Duration waiting_for_data{};
};

struct RunReport {
  std::uint64_t submitted = 0;
  /// Tasks that succeeded, failed or were cancelled.
  std::uint64_t ended = 0;
  std::vector<WorkerReport> workers;
  /// The number of completed changes of clusters, including the first when the runtime starts.
  std::uint64_t regroupings = 0;
  /// The present virtual time. Nothing on a real machine.
  std::optional<Duration> virtual_time;
  /// Copies between memory nodes; empty if there is one node.
  TransferReport transfers;
  /// The quality of predicted kernel times under placing policies, by codelet, then kind of device, sorted. Tasks that
  /// were placed without a prediction, because their times had to be measured first, do not count.
  std::vector<PredictionReport> predictions;
};

}  // namespace troupe
