/// Device setup: the values from which a worker's device is made, on this machine or in virtual time.
#pragma once

#include <functional>
#include <vector>

#include "actors/workers/devices/core_device.hpp"
#include "platform/accelerators/accelerator.hpp"
#include "platform/accelerators/host_device.hpp"
#include "platform/machine/cpu_set.hpp"
#include "troupe/ids.hpp"

namespace troupe::actors {

/// The values from which the device of one worker is made.
struct DeviceSetup {
  /// The options of a core, such as the device's name, the kind whose implementations run on the device, and the
  /// function that finds the data of kernels. Devices of other kinds use only some of these options.
  workers::CoreDevice::Options executor;
  /// The memory that holds the device's data; outlives the device. Null for host memory, and in virtual time.
  platform::Accelerator* memory = nullptr;
  /// The platform's device, if the worker's device is not a core but works on host memory; outlives the worker's
  /// device. Null for all other devices.
  platform::HostDevice* in_place = nullptr;
  NodeId node = NodeId(0);
  /// For each core of a cluster, except the first core: the processing units (PUs) that the core's thread may run on. A
  /// thread with an empty set may run anywhere.
  std::vector<platform::CpuSet> helpers;
  /// The time for which a cluster's threads look for work before they sleep.
  Duration spin{};
  /// The processing units that the device's own threads may run on; if empty, the threads use the processing units of
  /// the thread that makes the device.
  platform::CpuSet pus;
  /// Called when the device turns out to be lost, before the first task fails because of the loss.
  std::function<void()> on_lost;
};

}  // namespace troupe::actors
