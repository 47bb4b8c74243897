/// The drivers of tests/support/fake_opencl/, for a test to load.
#pragma once

#include <fmt/format.h>
#include <built_paths.hpp>  // written by the build

#include <cstdint>
#include <string>

namespace troupe::tests {

inline std::string fake_opencl_driver() { return TROUPE_FAKE_OPENCL_FOLDER "/libfake_opencl.so"; }

/// Returns the path of a driver that exports clIcdGetPlatformIDsKHR and does not name it itself.
inline std::string exporting_opencl_driver() { return TROUPE_FAKE_OPENCL_FOLDER "/libfake_opencl_exporting.so"; }

/// Returns the path of a driver that contains Troupe's code; see tests/support/fake_opencl/opencl_troupe.cpp.
inline std::string troupe_as_opencl_driver() { return TROUPE_FAKE_OPENCL_FOLDER "/libfake_opencl_troupe.so"; }

/// Returns the function's address as a value of FAKE_OPENCL_CALL.
inline std::string address_text(void (*function)()) {
  return fmt::format("{:x}", reinterpret_cast<std::uintptr_t>(function));
}

}  // namespace troupe::tests
