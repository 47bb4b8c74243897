/// Finds out whether an OpenCL device's kernels can work on host memory itself.
#pragma once

#include <string>

#include "platform/opencl/opencl_devices.hpp"

struct _cl_context;

namespace troupe::platform {

/// The result of a trial.
struct OpenClInPlace {
  /// True if buffers over host memory (CL_MEM_USE_HOST_PTR) are that memory: when one is mapped, the host sees what the
  /// device has written, and when it is unmapped, the device sees what the host has written; neither step copies.
  bool works = false;
  /// The reason; empty if it works.
  std::string why_not;
};

/// Tries the device in place, for some milliseconds, with buffers of a few megabytes in `context`, the driver's context
/// of this device.
[[nodiscard]] OpenClInPlace try_opencl_in_place(const OpenClDevice& device, _cl_context* context);

/// Returns whether the device works in place, and why not. If a device says that it shares the host's memory, the first
/// call in the process tries it and makes the driver's context; for other devices the answer is known. May be called
/// from any thread.
[[nodiscard]] const OpenClInPlace& opencl_in_place(const OpenClDevice& device);

}  // namespace troupe::platform
