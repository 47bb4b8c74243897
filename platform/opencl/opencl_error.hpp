/// OpenCL's errors as text for people.
#pragma once

#include <string>

namespace troupe::platform {

/// Returns a text such as "CL_INVALID_DEVICE (-33)": the name of a status code of OpenCL, as in CL/cl.h and the
/// extensions' headers; "error -4711" if these headers have no name for the code.
[[nodiscard]] std::string opencl_error(int status);

}  // namespace troupe::platform
