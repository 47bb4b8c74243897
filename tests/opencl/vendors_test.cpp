#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX

#include <boost/test/unit_test.hpp>

#include "tests/opencl/opencl_fixture.hpp"

namespace troupe::tests {
namespace {

/// Selects pocl as the only driver, with two devices that compute at the same time, before any code asks for devices.
/// Does not replace existing variables.
struct Vendors {
  Vendors() {
    constexpr int kKeep = 0;
    ::setenv("POCL_DEVICES", "basic basic", kKeep);
    if (has_pocl()) ::setenv("OCL_ICD_VENDORS", kPoclFile, kKeep);
  }
};

}  // namespace

BOOST_TEST_GLOBAL_FIXTURE(Vendors);

}  // namespace troupe::tests
