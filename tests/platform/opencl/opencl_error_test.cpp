#include "platform/opencl/opencl_error.hpp"

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <boost/test/unit_test.hpp>
#include <string>

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(opencl_error_names)

BOOST_AUTO_TEST_CASE(errors_have_the_names_that_the_headers_give_them) {
  BOOST_TEST(opencl_error(CL_SUCCESS) == "CL_SUCCESS (0)");
  BOOST_TEST(opencl_error(CL_DEVICE_NOT_FOUND) == "CL_DEVICE_NOT_FOUND (-1)");
  BOOST_TEST(opencl_error(CL_MAX_SIZE_RESTRICTION_EXCEEDED) == "CL_MAX_SIZE_RESTRICTION_EXCEEDED (-72)");
  BOOST_TEST(opencl_error(CL_PLATFORM_NOT_FOUND_KHR) == "CL_PLATFORM_NOT_FOUND_KHR (-1001)");
}

BOOST_AUTO_TEST_CASE(every_number_of_the_standard_has_a_name) {
  for (int status = CL_DEVICE_NOT_FOUND; status >= CL_MAX_SIZE_RESTRICTION_EXCEEDED; --status) {
    // Between these two values, the standard defines no codes.
    const bool named = status >= CL_KERNEL_ARG_INFO_NOT_AVAILABLE || status <= CL_INVALID_VALUE;
    BOOST_TEST(opencl_error(status).starts_with(named ? "CL_" : "error "), opencl_error(status));
  }
}

BOOST_AUTO_TEST_CASE(a_number_without_a_name_is_shown) { BOOST_TEST(opencl_error(-4711) == "error -4711"); }

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
