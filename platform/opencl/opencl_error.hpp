/// OpenCL's errors, for people.
#pragma once

#include <string>

namespace troupe::platform {

/// Returns "CL_INVALID_DEVICE (-33)": the name of a status that a call of OpenCL returned, as in CL/cl.h and the
/// extensions' headers; "error -4711" where they have no name for it.
[[nodiscard]] std::string opencl_error(int status);

}  // namespace troupe::platform
