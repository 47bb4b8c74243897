/// Where devices come from: a row for each kind.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "actors/device_setup.hpp"
#include "actors/running/runtime_options.hpp"
#include "actors/workers/devices/device.hpp"
#include "platform/accelerators/accelerator.hpp"
#include "platform/accelerators/host_device.hpp"
#include "proto/device_kinds.hpp"
#include "proto/errors.hpp"

namespace troupe::actors {

/// A device beside the cores: one of the two, as its kind says.
struct OpenedDevice {
  DeviceKind kind = DeviceKind::cpu_core;
  std::unique_ptr<platform::Accelerator> memory = nullptr;
  std::unique_ptr<platform::HostDevice> in_place = nullptr;
  /// Tasks that it takes at a time; 0: as many as its kind.
  std::size_t slots = 0;

  [[nodiscard]] std::string name() const { return memory ? memory->name() : in_place->name(); }
  [[nodiscard]] std::string model() const { return memory ? memory->model() : in_place->model(); }
};

/// How devices of one kind are made on this machine; in virtual time `Simulation` makes all of them.
struct DeviceFactory {
  DeviceKind kind = DeviceKind::cpu_core;
  /// How many the options ask for: 0 where none, negative where they are wrong. Null for cores, of which the machine
  /// says how many there are, and for kinds that others open.
  int (*asked_for)(const RuntimeOptions& options) = nullptr;
  /// Opens so many; they may turn out to be a variant of the kind.
  Result<std::vector<OpenedDevice>> (*open)(const RuntimeOptions& options) = nullptr;
  /// Called in the worker's thread, or in that which starts it.
  Result<std::unique_ptr<workers::Device>> (*make)(DeviceSetup setup, workers::DeviceListener& listener) = nullptr;
};

/// In the order of their memory nodes.
[[nodiscard]] std::span<const DeviceFactory> device_factories();
[[nodiscard]] const DeviceFactory& device_factory(DeviceKind kind);

}  // namespace troupe::actors
