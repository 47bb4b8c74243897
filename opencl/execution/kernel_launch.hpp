/// Launches a vendor's kernel.
#pragma once

#include <CL/cl_icd.h>

#include <cstddef>
#include <span>
#include <vector>

#include "opencl/programs/kernel.hpp"
#include "opencl/programs/nd_range.hpp"
#include "proto/mutex.hpp"
#include "troupe/opencl.hpp"

namespace troupe::opencl {

/// The place of a buffer argument on the device.
struct PlacedArgument {
  /// The address of the task's data.
  const std::byte* address = nullptr;
  /// If `size` is not 0, the argument is a part of the data: `size` bytes from `offset` on. If it is 0, the argument is
  /// all of the data.
  std::size_t offset = 0;
  std::size_t size = 0;

  /// Returns the place of a buffer or a sub-buffer. `begin` is the address of the whole buffer.
  [[nodiscard]] static PlacedArgument of(const Memory& memory, const std::byte* begin) {
    return {begin, memory.offset(), memory.parent() != nullptr ? memory.size() : 0};
  }
};

/// Returns `status`, the vendor's code for a launch of the kernel on the device. Also reports the kernel's first error
/// in a line on standard error.
int reported(Kernel& kernel, const RealDevice& device, int status);

/// The arguments of a launch. They are set while the lock of the vendor's kernel is held.
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
  /// The sub-buffers. The destructor releases them; the vendor's driver keeps every sub-buffer that a launch still
  /// needs.
  std::vector<cl_mem> parts_;
};

/// Enqueues the kernel on the queue of `launch`. `placed(index)` returns the `PlacedArgument` of a buffer; `more` are
/// further arguments behind the kernel's own. Returns the vendor's code.
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
