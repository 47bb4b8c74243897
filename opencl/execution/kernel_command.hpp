/// Launches of kernels.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "opencl/execution/runtime_command.hpp"
#include "opencl/objects/kernel.hpp"

namespace troupe::opencl {

/// The work-items of one launch.
struct NdRange {
  unsigned dimensions = 1;
  std::array<std::size_t, 3> offset{};
  std::array<std::size_t, 3> global{1, 1, 1};
  /// Where `has_local`; else the device chooses.
  std::array<std::size_t, 3> local{1, 1, 1};
  bool has_local = false;
};

/// A command that has not been enqueued. All arguments are set, and the range fits the kernel on the queue's devices.
[[nodiscard]] std::shared_ptr<Command> kernel_command(Queue& queue, std::shared_ptr<EventState> event, Kernel& kernel,
                                                      const NdRange& range);

/// The implementation of a kernel's tasks; one for each kernel object.
[[nodiscard]] std::shared_ptr<const Codelet> kernel_codelet(const Kernel& kernel);

}  // namespace troupe::opencl
