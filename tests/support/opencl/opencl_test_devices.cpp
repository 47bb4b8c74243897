#include "tests/support/opencl/opencl_test_devices.hpp"

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX

#include "platform/opencl/opencl_devices.hpp"
#include "tests/support/skipping.hpp"

namespace troupe::tests {

bool has_opencl_devices() {
  static const bool all = [] {
    ::setenv("OCL_ICD_VENDORS", "pocl.icd", 1);
    ::setenv("POCL_DEVICES", "basic basic pthread", 1);
    return platform::list_opencl_devices().devices.size() == 3;
  }();
  if (!all) skip("pocl's devices cannot be had (pocl-opencl-icd)");
  return all;
}

}  // namespace troupe::tests
