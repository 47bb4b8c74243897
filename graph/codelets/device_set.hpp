/// Sets of devices as a runtime knows them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "troupe/devices.hpp"
#include "troupe/errors.hpp"
#include "troupe/ids.hpp"

namespace troupe {

/// A runtime's worker, as sets of devices name it.
struct NamedWorker {
  DeviceKind kind = DeviceKind::cpu_core;
  /// "cpu core 3", "GPU 0 (NVIDIA H200)".
  std::string name;
  /// "AMD EPYC", "NVIDIA H200"; may be empty.
  std::string model;
};

/// Some workers of one runtime. Shared by all tasks that only they may run.
struct WorkerSet {
  /// One entry per worker, by its number.
  std::vector<bool> members;
  /// The kinds of its members' devices.
  KindSet kinds = 0;
  /// Its index among the sets of its runtime.
  std::size_t index = 0;

  [[nodiscard]] bool contains(WorkerId worker) const {
    return worker.index() < members.size() && members[worker.index()];
  }
};

/// A set of devices in one runtime.
struct DevicesHere {
  /// The kinds of device in the set.
  KindSet kinds = kEveryKind;
  /// Not null: only these workers are in the set.
  std::shared_ptr<const WorkerSet> workers;
};

/// Returns for each worker whether its device is in the set. Fails with `invalid_argument` where the set names
/// something that is not there; the failure lists what is.
[[nodiscard]] Result<std::vector<bool>> find_members(const DeviceSet& devices, std::span<const NamedWorker> workers);

}  // namespace troupe
