#include "opencl/programs/vendor_program.hpp"

#include <boost/test/unit_test.hpp>
#include <string_view>

#include "opencl/programs/kernel_parameters.hpp"
#include "tests/opencl/opencl_fixture.hpp"

namespace troupe::tests {

/// The first driver, with a copy of its table that a test can change. So it can imitate drivers with fewer functions.
struct LesserDriver : OpenClFixture {
  static constexpr const char* kSource =
      "kernel void work(global float* x, constant int* t, local int* s, float4 by, int n, const global int* y) {}";

  LesserDriver() {
    if (devices.empty()) return;
    device = platform::list_opencl_devices().devices.front();
    changed = *device.api;
    original = device.api;
    device.api = &changed;
  }
  /// Asks the driver, through the current table, for the parameters of the kernel `work`.
  [[nodiscard]] std::vector<opencl::Parameter> parameters_of_work() const {
    opencl::VendorContext context(device);
    std::vector<opencl::Parameter> parameters;
    {
      const auto program = opencl::VendorProgram::of_source(context, kSource);
      BOOST_TEST_REQUIRE(program->build("") == CL_SUCCESS);
      opencl::VendorKernel kernel(program, "work");
      parameters = opencl::parameters_of(kernel);
    }
    return parameters;
  }

  platform::OpenClDevice device;
  cl_icd_dispatch changed{};
  static inline const cl_icd_dispatch* original = nullptr;
};

BOOST_FIXTURE_TEST_SUITE(lesser_drivers, LesserDriver)

BOOST_AUTO_TEST_CASE(without_information_about_arguments_their_kinds_are_found_by_trying) {
  if (!has_devices()) return;
  const auto known = parameters_of_work();
  changed.clGetKernelArgInfo = nullptr;
  const auto found = parameters_of_work();
  BOOST_TEST_REQUIRE(found.size() == known.size());
  for (std::size_t i = 0; i < known.size(); ++i) {
    BOOST_TEST(known[i].described);
    BOOST_TEST(!found[i].described);
    BOOST_TEST((found[i].kind == known[i].kind), "parameter " << i);
  }
}

BOOST_AUTO_TEST_CASE(an_option_of_ours_that_a_driver_does_not_take_is_left_out) {
  if (!has_devices()) return;
  static int refused;
  refused = 0;
  changed.clBuildProgram = [](cl_program program, cl_uint count, const cl_device_id* list, const char* options,
                              void(CL_CALLBACK * notify)(cl_program, void*), void* data) -> cl_int {
    if (std::string_view(options).find("-cl-kernel-arg-info") != std::string_view::npos) {
      ++refused;
      return CL_INVALID_BUILD_OPTIONS;
    }
    return original->clBuildProgram(program, count, list, options, notify, data);
  };
  BOOST_TEST(parameters_of_work().size() == 6U);
  BOOST_TEST(refused == 1);
}

BOOST_AUTO_TEST_CASE(a_driver_that_has_no_option_for_the_language_chooses_it) {
  if (!has_devices()) return;
  changed.clBuildProgram = [](cl_program program, cl_uint count, const cl_device_id* list, const char* options,
                              void(CL_CALLBACK * notify)(cl_program, void*), void* data) -> cl_int {
    if (std::string_view(options).find("-cl-std=CL1.2") != std::string_view::npos) return CL_INVALID_BUILD_OPTIONS;
    return original->clBuildProgram(program, count, list, options, notify, data);
  };
  opencl::VendorContext context(device);
  {
    const auto program = opencl::VendorProgram::of_source(context, kSource);
    BOOST_TEST(program->build("") == CL_SUCCESS);
    BOOST_TEST(program->chose_language());
    BOOST_TEST(program->build("-cl-std=CL1.1") == CL_SUCCESS);
    BOOST_TEST(!program->chose_language());
  }
}

BOOST_AUTO_TEST_CASE(a_driver_that_cannot_compile_or_link_alone_says_so) {
  if (!has_devices()) return;
  changed.clCompileProgram = nullptr;
  changed.clLinkProgram = nullptr;
  opencl::VendorContext context(device);
  {
    const auto program = opencl::VendorProgram::of_source(context, kSource);
    BOOST_TEST(program->compile("", {}) == CL_COMPILER_NOT_AVAILABLE);
    BOOST_TEST(opencl::VendorProgram::link(context, "", {program}).status == CL_LINKER_NOT_AVAILABLE);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
