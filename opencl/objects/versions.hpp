/// The versions that the platform and its devices report.
#pragma once

#include <CL/cl.h>

#include <string_view>

namespace troupe::opencl {

inline constexpr std::string_view kOpenClVersion = "OpenCL 1.2 Troupe";
inline constexpr std::string_view kLanguageVersion = "OpenCL C 1.2 Troupe";
inline constexpr cl_version kOneZero = CL_MAKE_VERSION(1, 0, 0);
inline constexpr cl_version kNumericVersion = CL_MAKE_VERSION(1, 2, 0);

}  // namespace troupe::opencl
