/// Tests whether an OpenCL device's kernels can work directly on host memory.
#pragma once

#include <string>

#include "platform/opencl/opencl_devices.hpp"

struct _cl_context;

namespace troupe::platform {

/// The result of the test whether kernels can work on host memory in place.
struct OpenClInPlace {
  /// True if a buffer over host memory (CL_MEM_USE_HOST_PTR) uses this memory itself: after mapping, the host sees the
  /// device's writes, and after unmapping, the device sees the host's writes. Neither step copies.
  bool works = false;
  /// The reason why work in place does not work; empty if it works.
  std::string why_not;
};

/// Tests the device. The test takes some milliseconds and makes buffers of a few megabytes in `context`, the driver's
/// context of this device.
[[nodiscard]] OpenClInPlace try_opencl_in_place(const OpenClDevice& device, _cl_context* context);

/// Returns whether the device works in place, and the reason if it does not. If a device says that it shares the host's
/// memory, the first call in the process runs the test and makes the driver's context; other devices do not work in
/// place. May be called from any thread.
[[nodiscard]] const OpenClInPlace& opencl_in_place(const OpenClDevice& device);

}  // namespace troupe::platform
