/// Device setup: the parts that a worker's device is made from, on this machine or in virtual time.
#pragma once

#include <functional>
#include <vector>

#include "actors/workers/devices/core_device.hpp"
#include "platform/accelerators/accelerator.hpp"
#include "platform/accelerators/host_device.hpp"
#include "platform/machine/cpu_set.hpp"
#include "troupe/ids.hpp"

namespace troupe::actors {

/// The parts that the device of one worker is made from.
struct DeviceSetup {
  /// The device's name, the kind of device whose implementations it runs, and where these find data. A core uses all of
  /// it, other devices a part.
  workers::CoreDevice::Options executor;
  /// The memory that its data lie in; outlives the device. Null for host memory, and in virtual time.
  platform::Accelerator* memory = nullptr;
  /// The device that works on host memory beside the cores; outlives the worker's device. Null for others.
  platform::HostDevice* in_place = nullptr;
  NodeId node = NodeId(0);
  /// The PUs that the threads of a cluster's other cores run on; empty sets: anywhere.
  std::vector<platform::CpuSet> helpers;
  /// The time that these threads look for work before they sleep.
  Duration spin{};
  /// The PUs that the device's own threads may run on; empty: the same as the thread that makes it.
  platform::CpuSet pus;
  /// Called when the device turns out to be lost, before the first task fails for it.
  std::function<void()> on_lost;
};

}  // namespace troupe::actors
