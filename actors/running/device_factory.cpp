#include "actors/running/device_factory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "actors/workers/devices/cuda_device.hpp"
#include "actors/workers/devices/emulated_device.hpp"
#include "actors/workers/devices/opencl_device.hpp"
#include "platform/accelerators/emulated_accelerator.hpp"
#include "platform/cuda/cuda_devices.hpp"
#include "platform/opencl/opencl_accelerator.hpp"
#include "platform/opencl/opencl_choice.hpp"
#include "platform/opencl/opencl_host_memory.hpp"
#include "platform/opencl/opencl_in_place.hpp"
#include "platform/opencl/opencl_quirks.hpp"
#include "proto/human_count.hpp"

namespace troupe::actors {

namespace {

using workers::DeviceListener;
using MadeDevice = Result<std::unique_ptr<workers::Device>>;

MadeDevice make_core(DeviceSetup setup, DeviceListener& /*listener*/) {
  std::unique_ptr<workers::CoreTeam> team;
  if (!setup.helpers.empty()) {
    const std::string name = "team " + std::to_string(setup.executor.worker.value());
    team = std::make_unique<workers::CoreTeam>(
        workers::CoreTeam::Options{.helpers = std::move(setup.helpers), .name = name, .spin = setup.spin});
  }
  return MadeDevice(std::make_unique<workers::CoreDevice>(std::move(setup.executor), std::move(team)));
}

int emulated_asked_for(const RuntimeOptions& options) {
  return static_cast<int>(options.accelerators.emulated_gpus.size());
}

Result<std::vector<OpenedDevice>> open_emulated(const RuntimeOptions& options) {
  std::vector<OpenedDevice> opened;
  for (const platform::EmulationOptions& emulation : options.accelerators.emulated_gpus) {
    auto made = platform::EmulatedAccelerator::make(static_cast<int>(opened.size()), emulation);
    if (!made) return made.failure();
    opened.push_back({.kind = DeviceKind::emulated, .memory = std::move(made).value()});
  }
  return opened;
}

MadeDevice make_emulated(DeviceSetup setup, DeviceListener& listener) {
  workers::EmulatedDevice::Options device;
  device.executor = std::move(setup.executor);
  device.accelerator = static_cast<platform::EmulatedAccelerator*>(setup.memory);
  device.pus = std::move(setup.pus);
  device.on_lost = std::move(setup.on_lost);
  return MadeDevice(std::make_unique<workers::EmulatedDevice>(std::move(device), listener));
}

int cuda_asked_for(const RuntimeOptions& options) { return options.gpus; }

Result<std::vector<OpenedDevice>> open_cuda(const RuntimeOptions& options) {
  std::vector<OpenedDevice> opened;
  const auto there = platform::list_cuda_devices();
  if (!there) return there.failure();
  if (static_cast<std::size_t>(options.gpus) > there.value().size()) {
    return Failure{ErrorCode::invalid_argument, fmt::format("{} {} asked for, and this process may use {}",
                                                            counted(static_cast<std::uint64_t>(options.gpus), "GPU"),
                                                            options.gpus == 1 ? "was" : "were", there.value().size())};
  }
  for (int i = 0; i < options.gpus; ++i) {
    auto made = platform::open_cuda_accelerator(there.value()[static_cast<std::size_t>(i)].index,
                                                options.accelerators.gpu_memory);
    if (!made) return made.failure();
    opened.push_back({.kind = DeviceKind::cuda, .memory = std::move(made).value()});
  }
  return opened;
}

MadeDevice make_cuda(DeviceSetup setup, DeviceListener& listener) {
  workers::CudaDeviceOptions device;
  device.executor = std::move(setup.executor);
  device.accelerator = static_cast<platform::CudaAccelerator*>(setup.memory);
  device.on_lost = std::move(setup.on_lost);
  return workers::make_cuda_device(std::move(device), listener);
}

/// Returns 1 if OpenCL devices are asked for, because their number is known only when they are opened.
int opencl_asked_for(const RuntimeOptions& options) { return options.accelerators.opencl.empty() ? 0 : 1; }

Result<std::vector<OpenedDevice>> open_opencl(const RuntimeOptions& options) {
  const auto chosen = platform::choose_opencl_devices(options.accelerators.opencl, platform::list_opencl_devices());
  if (!chosen) return chosen.failure();
  // A limit on memory applies only to devices with memory of their own. So if there is a limit, devices work on copies.
  const bool copies = options.accelerators.opencl_copies || options.accelerators.opencl_memory;
  const auto in_place = [copies](const platform::OpenClDevice& device) {
    return !copies && platform::opencl_in_place(device).works;
  };
  const auto sharing = std::ranges::count_if(chosen.value(), [&](const platform::OpenClDevice& device) {
    return device.shares_host_memory && !in_place(device);
  });
  const auto slots_of = [](const platform::OpenClDevice& device) -> std::size_t {
    return platform::opencl_launch_turn(device) != nullptr ? 1 : 0;
  };
  std::vector<OpenedDevice> opened;
  for (const platform::OpenClDevice& device : chosen.value()) {
    if (in_place(device)) {
      auto made = platform::OpenClHostMemory::open(device, options.accelerators.opencl_alignment);
      if (!made) return made.failure();
      opened.push_back(
          {.kind = DeviceKind::opencl_in_place, .in_place = std::move(made).value(), .slots = slots_of(device)});
      continue;
    }
    auto made =
        platform::OpenClAccelerator::open(device, options.accelerators.opencl_memory, static_cast<int>(sharing));
    if (!made) return made.failure();
    opened.push_back({.kind = DeviceKind::opencl, .memory = std::move(made).value(), .slots = slots_of(device)});
  }
  return opened;
}

MadeDevice make_opencl_on(platform::OpenClTaskData& data, DeviceSetup setup, DeviceListener& listener) {
  workers::OpenClDeviceOptions device;
  device.executor = std::move(setup.executor);
  device.data = &data;
  device.on_lost = std::move(setup.on_lost);
  device.turn = platform::opencl_launch_turn(data.device());
  return workers::make_opencl_device(std::move(device), listener);
}

MadeDevice make_opencl(DeviceSetup setup, DeviceListener& listener) {
  auto& data = *static_cast<platform::OpenClAccelerator*>(setup.memory);
  return make_opencl_on(data, std::move(setup), listener);
}

MadeDevice make_opencl_in_place(DeviceSetup setup, DeviceListener& listener) {
  auto& data = *static_cast<platform::OpenClHostMemory*>(setup.in_place);
  return make_opencl_on(data, std::move(setup), listener);
}

constexpr std::array kFactories{
    DeviceFactory{DeviceKind::cpu_core, nullptr, nullptr, make_core},
    DeviceFactory{DeviceKind::emulated, emulated_asked_for, open_emulated, make_emulated},
    DeviceFactory{DeviceKind::cuda, cuda_asked_for, open_cuda, make_cuda},
    DeviceFactory{DeviceKind::opencl, opencl_asked_for, open_opencl, make_opencl},
    DeviceFactory{DeviceKind::opencl_in_place, nullptr, nullptr, make_opencl_in_place},
};
static_assert(kFactories.size() == kDeviceKinds, "a row for each kind");

}  // namespace

std::span<const DeviceFactory> device_factories() { return kFactories; }

const DeviceFactory& device_factory(DeviceKind kind) {
  return *std::ranges::find(kFactories, kind, &DeviceFactory::kind);
}

}  // namespace troupe::actors
