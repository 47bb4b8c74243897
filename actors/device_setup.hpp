/// Device setup: the parts from which a worker's device is made, on this machine or in virtual time.
#pragma once

#include <functional>
#include <vector>

#include "actors/workers/devices/core_device.hpp"
#include "platform/accelerators/accelerator.hpp"
#include "platform/accelerators/host_device.hpp"
#include "platform/machine/cpu_set.hpp"
#include "troupe/ids.hpp"

namespace troupe::actors {

/// The parts from which the device of one worker is made.
struct DeviceSetup {
  /// The device's name, the kind of device whose implementations it runs, and where these find data. A core uses all of
  /// these options, other devices only some.
  workers::CoreDevice::Options executor;
  /// The memory that holds the device's data; outlives the device. Null for host memory, and in virtual time.
  platform::Accelerator* memory = nullptr;
  /// The device if it is one that works on host memory beside the cores; outlives the worker's device. Null for others.
  platform::HostDevice* in_place = nullptr;
  NodeId node = NodeId(0);
  /// The PUs that the threads of a cluster's other cores run on; with an empty set a thread runs anywhere.
  std::vector<platform::CpuSet> helpers;
  /// The time that these threads look for work before they sleep.
  Duration spin{};
  /// The PUs that the device's own threads may run on; if empty, those of the thread that makes it.
  platform::CpuSet pus;
  /// Called when the device turns out to be lost, before the first task fails for it.
  std::function<void()> on_lost;
};

}  // namespace troupe::actors
