/// The commands that launch kernels.
#pragma once

#include <memory>
#include <span>

#include "opencl/execution/runtime_command.hpp"
#include "opencl/programs/kernel.hpp"
#include "opencl/programs/nd_range.hpp"

namespace troupe::opencl {

/// Makes the command that launches a kernel, and does not enqueue it. All `arguments` must be set. `devices` are the
/// devices of the queue that can launch the kernel, at least one.
[[nodiscard]] std::shared_ptr<Command> kernel_command(Queue& queue, std::shared_ptr<EventState> event, Kernel& kernel,
                                                      std::shared_ptr<const KernelArguments> arguments,
                                                      const NdRange& range, std::span<RealDevice* const> devices);

}  // namespace troupe::opencl
