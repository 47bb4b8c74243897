/// The section of `troupe info` about OpenCL devices. Its functions load the devices' drivers.
#pragma once

#include <string>

#include "proto/json/json.hpp"

namespace troupe::apps {

/// Adds `opencl_devices`, and `opencl_skipped` with the unused devices and the reasons.
void add_opencl(Json& json);

/// Returns the section as text: a heading with a line for each device, or one line if nothing is installed.
[[nodiscard]] std::string opencl_text();

}  // namespace troupe::apps
