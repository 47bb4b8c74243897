/// Device factories: a table with one row for each kind of device.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "actors/device_setup.hpp"
#include "actors/workers/devices/device.hpp"
#include "platform/accelerators/accelerator.hpp"
#include "platform/accelerators/host_device.hpp"
#include "troupe/devices.hpp"
#include "troupe/errors.hpp"
#include "troupe/runtime_options.hpp"

namespace troupe::actors {

/// An opened device that is not a core. Either `memory` or `in_place` is set, depending on `kind`.
struct OpenedDevice {
  DeviceKind kind = DeviceKind::cpu_core;
  std::unique_ptr<platform::Accelerator> memory = nullptr;
  std::unique_ptr<platform::HostDevice> in_place = nullptr;
  /// The number of tasks that the device takes at the same time; 0 stands for the usual number of the device's kind.
  std::size_t slots = 0;

  [[nodiscard]] std::string name() const { return memory ? memory->name() : in_place->name(); }
  [[nodiscard]] std::string model() const { return memory ? memory->model() : in_place->model(); }
};

/// Makes the devices of one kind on this machine. In virtual time `Simulation` makes all devices.
struct DeviceFactory {
  DeviceKind kind = DeviceKind::cpu_core;
  /// Returns the number of devices that the options ask for (1 if their number is not known before they are opened), 0
  /// if the options ask for none, or a negative number if the options are wrong. Null for cores, whose number depends
  /// on the machine, and for kinds whose devices are opened by the factories of other kinds.
  int (*asked_for)(const RuntimeOptions& options) = nullptr;
  /// Opens the devices that the options ask for. The kind of an opened device may be a variant of the factory's kind.
  Result<std::vector<OpenedDevice>> (*open)(const RuntimeOptions& options) = nullptr;
  /// Makes a device. Called in the worker's thread, or in the thread that starts the worker.
  Result<std::unique_ptr<workers::Device>> (*make)(DeviceSetup setup, workers::DeviceListener& listener) = nullptr;
};

/// Returns the factories, in the order of their memory nodes.
[[nodiscard]] std::span<const DeviceFactory> device_factories();
[[nodiscard]] const DeviceFactory& device_factory(DeviceKind kind);

}  // namespace troupe::actors
