/// The drivers of tests/support/fake_opencl/, which tests load.
#pragma once

#include <fmt/format.h>
#include <built_paths.hpp>  // written by the build

#include <cstdint>
#include <string>

namespace troupe::tests {

inline std::string fake_opencl_driver() { return TROUPE_FAKE_OPENCL_FOLDER "/libfake_opencl.so"; }

/// Returns the path of a driver that exports clIcdGetPlatformIDsKHR, but does not return it by name.
inline std::string exporting_opencl_driver() { return TROUPE_FAKE_OPENCL_FOLDER "/libfake_opencl_exporting.so"; }

/// Returns the path of a driver that contains Troupe's code. See tests/support/fake_opencl/opencl_troupe.cpp.
inline std::string troupe_as_opencl_driver() { return TROUPE_FAKE_OPENCL_FOLDER "/libfake_opencl_troupe.so"; }

/// Returns the function's address as text, in the form that FAKE_OPENCL_CALL needs.
inline std::string address_text(void (*function)()) {
  return fmt::format("{:x}", reinterpret_cast<std::uintptr_t>(function));
}

}  // namespace troupe::tests
