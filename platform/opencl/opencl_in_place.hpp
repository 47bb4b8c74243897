/// Finds out whether an OpenCL device's kernels can work on host memory itself.
#pragma once

#include <string>

#include "platform/opencl/opencl_devices.hpp"

struct _cl_context;

namespace troupe::platform {

/// The result of a trial.
struct OpenClInPlace {
  /// Buffers over host memory (CL_MEM_USE_HOST_PTR) are that memory: where they are mapped, the host sees what the
  /// device has written, and where they are unmapped, the device sees what the host has written; neither copies.
  bool works = false;
  /// The reason; empty where it works.
  std::string why_not;
};

/// Tries it, for some milliseconds, with buffers of a few megabytes in `context`, the driver's with this device.
[[nodiscard]] OpenClInPlace try_opencl_in_place(const OpenClDevice& device, _cl_context* context);

/// Returns whether the device works in place. For a device that reports sharing the host's memory, the first call in
/// the process tries it and makes the driver's context; for other devices the answer is known. Any thread.
[[nodiscard]] const OpenClInPlace& opencl_in_place(const OpenClDevice& device);

}  // namespace troupe::platform
