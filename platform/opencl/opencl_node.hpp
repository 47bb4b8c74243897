/// An OpenCL device's memory, for those who need nothing of OpenCL to have it.
#pragma once

#include <memory>
#include <optional>

#include "platform/accelerators/accelerator.hpp"
#include "platform/opencl/opencl_devices.hpp"
#include "proto/errors.hpp"

namespace troupe::platform {

/// As `OpenClAccelerator::open`.
[[nodiscard]] Result<std::unique_ptr<Accelerator>> open_opencl_accelerator(const OpenClDevice& device,
                                                                           std::optional<Bytes> limit);

}  // namespace troupe::platform
