/// OpenCL's errors, for people.
#pragma once

#include <string>

namespace troupe::platform {

/// "CL_INVALID_DEVICE (-33)": the name of a status that a call of OpenCL answered with, as CL/cl.h and the extensions'
/// headers have it; "error -4711" where they have none.
[[nodiscard]] std::string opencl_error(int status);

}  // namespace troupe::platform
