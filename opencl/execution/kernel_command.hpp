/// Launches of kernels.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "opencl/execution/runtime_command.hpp"
#include "opencl/programs/kernel.hpp"

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

/// A command that has not been enqueued. `arguments`: all are set. `devices`: those of the queue that can launch this,
/// at least one.
[[nodiscard]] std::shared_ptr<Command> kernel_command(Queue& queue, std::shared_ptr<EventState> event, Kernel& kernel,
                                                      std::shared_ptr<const KernelArguments> arguments,
                                                      const NdRange& range, std::span<RealDevice* const> devices);

}  // namespace troupe::opencl
