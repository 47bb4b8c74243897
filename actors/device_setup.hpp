/// What a worker's device is made with, on this machine or in virtual time.
#pragma once

#include <functional>
#include <vector>

#include "actors/workers/devices/core_device.hpp"
#include "platform/accelerators/accelerator.hpp"
#include "platform/accelerators/host_device.hpp"
#include "platform/machine/cpu_set.hpp"
#include "proto/ids.hpp"

namespace troupe::actors {

/// What the device of one worker is made with.
struct DeviceSetup {
  /// Its name, whose implementations it runs, where they find data: what a core is made with, and others in part.
  workers::CoreDevice::Options executor;
  /// Where its data lie; outlives the device. Null for host memory, and in virtual time.
  platform::Accelerator* memory = nullptr;
  /// What works on host memory beside the cores; outlives the device. Null for others.
  platform::HostDevice* in_place = nullptr;
  NodeId node = NodeId(0);
  /// Of a cluster: where the threads of its other cores run; empty sets: anywhere.
  std::vector<platform::CpuSet> helpers;
  /// How long these look for work before they sleep.
  Duration spin{};
  /// The PUs that threads of the device's own may run on; empty: as the thread that makes it.
  platform::CpuSet pus;
  /// To be called when the device turns out to be lost, before the first task fails for it.
  std::function<void()> on_lost;
};

}  // namespace troupe::actors
