/// Where devices come from: a row for each kind.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "actors/running/runtime_options.hpp"
#include "actors/workers/devices/core_device.hpp"
#include "actors/workers/devices/device.hpp"
#include "platform/accelerators/accelerator.hpp"
#include "platform/machine/cpu_set.hpp"
#include "proto/device_kinds.hpp"
#include "proto/errors.hpp"

namespace troupe::actors {

/// What the device of one worker is made with.
struct DeviceSetup {
  /// Its name, whose implementations it runs, where they find data: what a core is made with, and others in part.
  workers::CoreDevice::Options executor;
  /// Where its data lie; outlives the device. Null for host memory, and in virtual time.
  platform::Accelerator* memory = nullptr;
  NodeId node = NodeId(0);
  /// The PUs that threads of the device's own may run on; empty: as the thread that makes it.
  platform::CpuSet pus;
  /// To be called when the device turns out to be lost, before the first task fails for it.
  std::function<void()> on_lost;
};

using Accelerators = std::vector<std::unique_ptr<platform::Accelerator>>;

/// How devices of one kind are made on this machine; in virtual time `Simulation` makes all of them.
struct DeviceFactory {
  DeviceKind kind = DeviceKind::cpu_core;
  /// How many the options ask for. Null for cores, of which the machine says how many there are.
  int (*asked_for)(const RuntimeOptions& options) = nullptr;
  /// Opens the memories of so many, one each.
  Result<Accelerators> (*open)(const RuntimeOptions& options) = nullptr;
  /// Called in the worker's thread, or in that which starts it.
  Result<std::unique_ptr<workers::Device>> (*make)(DeviceSetup setup, workers::DeviceListener& listener) = nullptr;
};

/// In the order of their memory nodes.
[[nodiscard]] std::span<const DeviceFactory> device_factories();
[[nodiscard]] const DeviceFactory& device_factory(DeviceKind kind);

}  // namespace troupe::actors
