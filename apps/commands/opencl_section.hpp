/// What `troupe info` says of OpenCL's devices. Loads their drivers.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace troupe::apps {

/// Adds `opencl_devices`, and `opencl_skipped` with what is not used and why.
void add_opencl(nlohmann::json& json);

/// The same for people: a heading with a line for each, or one line where nothing is installed.
[[nodiscard]] std::string opencl_text();

}  // namespace troupe::apps
