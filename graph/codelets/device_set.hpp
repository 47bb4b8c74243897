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

/// A worker's device, with the properties by which a program can name it in a set of devices.
struct NamedWorker {
  DeviceKind kind = DeviceKind::cpu_core;
  /// The name, such as "cpu core 3" or "GPU 0 (NVIDIA H200)".
  std::string name;
  /// The model, such as "AMD EPYC" or "NVIDIA H200"; may be empty.
  std::string model;
};

/// A set of workers of one runtime. All tasks that only these workers may run share one such object.
struct WorkerSet {
  /// One entry per worker, by its number: true if the worker is in the set.
  std::vector<bool> members;
  /// The kinds of the members' devices.
  KindSet kinds = 0;
  /// The index of this set among all sets of its runtime.
  std::size_t index = 0;

  [[nodiscard]] bool contains(WorkerId worker) const {
    return worker.index() < members.size() && members[worker.index()];
  }
};

/// A set of devices in one runtime.
struct DevicesHere {
  /// The kinds of device in the set.
  KindSet kinds = kEveryKind;
  /// The workers in the set; null if all workers that drive devices of these kinds are in the set.
  std::shared_ptr<const WorkerSet> workers;
};

/// Returns one entry per worker: true if the worker's device is in the set. Fails with `invalid_argument` if the set
/// names a device that the runtime does not have; the failure lists the devices that it has.
[[nodiscard]] Result<std::vector<bool>> find_members(const DeviceSet& devices, std::span<const NamedWorker> workers);

}  // namespace troupe
