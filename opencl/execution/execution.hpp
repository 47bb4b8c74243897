/// The runtime that runs commands.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "client/runtime.hpp"
#include "opencl/commands/background_thread.hpp"
#include "opencl/objects/device.hpp"

namespace troupe::opencl {

/// Contexts with the same devices and the same policy share one. It starts with the first command, and stops when the
/// program ends.
class Execution {
 public:
  /// `policy`: empty for the default. Refuses with CL_OUT_OF_RESOURCES where no runtime can be started, after a line on
  /// standard error that says why; and in a child after `fork`, which has none of the threads.
  [[nodiscard]] static std::shared_ptr<Execution> with(const std::string& policy, std::span<RealDevice* const> devices);

  Execution(const std::string& policy, std::span<RealDevice* const> devices);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;
  ~Execution();

  [[nodiscard]] Runtime& runtime() { return *runtime_; }
  /// The workers of these devices, which are among the runtime's.
  [[nodiscard]] DeviceSet workers_of(std::span<RealDevice* const> devices) const;
  /// For what may wait for the runtime, and must not be done by its workers.
  [[nodiscard]] BackgroundThread& background() { return background_; }

 private:
  /// In the order of their workers.
  std::vector<RealDevice*> devices_;
  std::size_t first_worker_ = 0;
  std::unique_ptr<Runtime> runtime_;
  /// After the runtime: its jobs use it, and it is stopped first.
  BackgroundThread background_{"opencl"};
};

/// Calls of programs' functions, one after the other, in a thread of their own.
[[nodiscard]] BackgroundThread& program_callbacks();

}  // namespace troupe::opencl
