/// Whether an OpenCL device's kernels can work on host memory itself.
#pragma once

#include <string>

#include "platform/opencl/opencl_devices.hpp"

struct _cl_context;

namespace troupe::platform {

/// What a trial has shown.
struct OpenClInPlace {
  /// Buffers over host memory (CL_MEM_USE_HOST_PTR) are that memory: where they are mapped, the host sees what the
  /// device has written, and where they are unmapped, the device sees what the host has written; neither copies.
  bool works = false;
  /// Empty where it works.
  std::string why_not;
};

/// Tries it, some milliseconds long, with buffers of a few megabytes in `context`, the driver's with this device.
[[nodiscard]] OpenClInPlace try_opencl_in_place(const OpenClDevice& device, _cl_context* context);

/// Of a device that says that it shares the host's memory it is tried by the first call in the process, which makes the
/// driver's context; of another it is known. Any thread.
[[nodiscard]] const OpenClInPlace& opencl_in_place(const OpenClDevice& device);

}  // namespace troupe::platform
