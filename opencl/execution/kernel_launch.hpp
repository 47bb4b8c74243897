/// Gives a launch to a vendor's kernel.
#pragma once

#include <CL/cl_icd.h>

#include <cstddef>
#include <span>
#include <vector>

#include "graph/codelets/opencl_launch.hpp"
#include "opencl/programs/kernel.hpp"
#include "opencl/programs/nd_range.hpp"
#include "proto/mutex.hpp"

namespace troupe::opencl {

/// Where the bytes of a buffer argument are on the device.
struct PlacedArgument {
  /// Of the task's data.
  const std::byte* address = nullptr;
  /// The argument is a part of these, of `size` bytes from `offset` on; 0: it is all of it.
  std::size_t offset = 0;
  std::size_t size = 0;

  /// `begin`: where its whole buffer is.
  [[nodiscard]] static PlacedArgument of(const Memory& memory, const std::byte* begin) {
    return {begin, memory.offset(), memory.parent() != nullptr ? memory.size() : 0};
  }
};

/// `status` of a launch of the kernel there, after a line on standard error where it is the kernel's first error.
int reported(Kernel& kernel, const RealDevice& device, int status);

/// A launch while its arguments are set, with the lock of the vendor's kernel.
class LaunchedArguments {
 public:
  LaunchedArguments(VendorKernel& kernel, OpenClLaunch& launch) : kernel_(kernel), launch_(launch) {}
  LaunchedArguments(const LaunchedArguments&) = delete;
  LaunchedArguments& operator=(const LaunchedArguments&) = delete;
  ~LaunchedArguments();

  [[nodiscard]] int set(cl_uint index, const PlacedArgument& buffer);
  [[nodiscard]] int set(cl_uint index, std::size_t size, const void* value);
  [[nodiscard]] int enqueue(const NdRange& range);

 private:
  VendorKernel& kernel_;
  OpenClLaunch& launch_;
  /// Released at the end: a launch keeps what it needs.
  std::vector<cl_mem> parts_;
};

/// Enqueues it on the queue of `launch`. `placed(index)` is the `PlacedArgument` of a buffer; `more`: arguments behind
/// the kernel's own. Returns the vendor's code.
template <class Placed>
[[nodiscard]] int launch_kernel(VendorKernel& kernel, OpenClLaunch& launch, const KernelArguments& arguments,
                                const NdRange& range, Placed&& placed, std::span<const cl_ulong> more = {}) {
  const LockGuard lock(kernel.mutex());
  LaunchedArguments launched(kernel, launch);
  cl_uint index = 0;
  for (const KernelArgument& argument : arguments.list) {
    const int status = argument.memory
                           ? launched.set(index, placed(index))
                           : launched.set(index, argument.size,
                                          argument.kind == ParameterKind::value ? arguments.value(argument) : nullptr);
    if (status != CL_SUCCESS) return status;
    ++index;
  }
  for (const cl_ulong& value : more) {
    if (const int status = launched.set(index++, sizeof value, &value); status != CL_SUCCESS) return status;
  }
  return launched.enqueue(range);
}

}  // namespace troupe::opencl
