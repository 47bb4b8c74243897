/// What a runtime has done so far, as plain values.
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
  /// "cpu core 3".
  std::string device;
  DeviceKind kind = DeviceKind::cpu_core;
  /// That work together as this worker: more than one in a cluster; 0: it lends its thread to one
  /// (`RuntimeOptions::regroup`).
  int cores = 1;
  /// The processing unit that its thread is bound to, or -1.
  int bound_to = -1;
  /// Of a core or a cluster the processing units, the master's first, whether or not threads are bound to them.
  std::vector<int> members = {};
  /// Of a cluster: what share of its cores' time its tasks used so far. All zero in virtual time.
  TeamUse team;
  std::uint64_t tasks = 0;
  /// Successful steal requests, the tasks they brought, and requests that brought none.
  std::uint64_t steals = 0;
  std::uint64_t stolen_tasks = 0;
  std::uint64_t failed_steals = 0;
  /// Pieces that it ran (`Codelet::pieces`); and how many of them were of tasks that others had begun.
  std::uint64_t pieces = 0;
  std::uint64_t stolen_pieces = 0;
  /// Tasks that its device was given before those that they wait for had ended there.
  std::uint64_t issued_ahead = 0;
  /// Times that it went to sleep.
  std::uint64_t parks = 0;
  /// Running tasks (the runtime's work between them included), and looking for work.
  Duration busy{};
  Duration searching{};
  /// It had tasks in hand and none ran, because their data had not arrived.
  Duration waiting_for_data{};
};

struct RunReport {
  std::uint64_t submitted = 0;
  /// Succeeded, failed or cancelled.
  std::uint64_t ended = 0;
  std::vector<WorkerReport> workers;
  /// Changes of clusters that have been completed, the first, when the runtime starts, included.
  std::uint64_t regroupings = 0;
  /// In virtual time: how late it is. Nothing on a real machine.
  std::optional<Duration> virtual_time;
  /// Copies between memory nodes; empty where there is one node.
  TransferReport transfers;
  /// Under placing policies: how good predicted kernel times were, by codelet, then kind of device, sorted. Tasks that
  /// were placed without a prediction, because their times had to be found out first, do not count.
  std::vector<PredictionReport> predictions;
};

}  // namespace troupe
