#include "opencl/programs/program.hpp"

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>

#include "tests/opencl/opencl_fixture.hpp"

namespace troupe::tests {

struct ProgramFixture : OpenClFixture {
  static constexpr const char* kGood =
      "kernel void scale(global float* x, float by) { x[get_global_id(0)] *= by * FACTOR; }\n"
      "kernel void clear(global float* x) { x[get_global_id(0)] = 0; }\n";
  static constexpr const char* kBad = "kernel void scale(global float* x) { x[0] = unknown_name; }\n";

  template <class T>
  static T value(cl_program program, cl_program_info what) {
    return info_of<T>(table().clGetProgramInfo, program, what);
  }
  static cl_build_status status_on(cl_program program, cl_device_id device) {
    return info_of<cl_build_status>(table().clGetProgramBuildInfo, program, device, CL_PROGRAM_BUILD_STATUS);
  }
  static std::string log_on(cl_program program, cl_device_id device) {
    return text_of(table().clGetProgramBuildInfo, program, device, CL_PROGRAM_BUILD_LOG);
  }
  /// Returns the program's binaries, one for each of its devices.
  static std::vector<std::vector<unsigned char>> binaries_of(cl_program program) {
    std::vector<std::vector<unsigned char>> binaries;
    for (const auto size : list_of<std::size_t>(table().clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES)) {
      binaries.emplace_back(size);
    }
    std::vector<unsigned char*> places;
    for (auto& binary : binaries) places.push_back(binary.data());
    BOOST_TEST(table().clGetProgramInfo(program, CL_PROGRAM_BINARIES, places.size() * sizeof(void*), places.data(),
                                        nullptr) == CL_SUCCESS);
    return binaries;
  }
  static OwnedProgram of_binary(cl_context on, cl_device_id device, const std::vector<unsigned char>& binary,
                                cl_int& status, cl_int& of_device) {
    const unsigned char* bytes = binary.data();
    const std::size_t size = binary.size();
    return OwnedProgram(table().clCreateProgramWithBinary(on, 1, &device, &size, &bytes, &of_device, &status));
  }
};

BOOST_FIXTURE_TEST_SUITE(programs, ProgramFixture)

BOOST_AUTO_TEST_CASE(a_program_says_what_it_was_made_from) {
  if (!has_devices()) return;
  const std::array<const char*, 2> parts{"kernel void a() ", "{}xxx"};
  const std::array<std::size_t, 2> lengths{0, 2};
  cl_int status = 1;
  const OwnedProgram program(table().clCreateProgramWithSource(wide_context, 2, const_cast<const char**>(parts.data()),
                                                               lengths.data(), &status));
  BOOST_TEST_REQUIRE(status == CL_SUCCESS);
  BOOST_TEST(text_of(table().clGetProgramInfo, program.get(), CL_PROGRAM_SOURCE) == "kernel void a() {}");
  BOOST_TEST(value<cl_context>(program, CL_PROGRAM_CONTEXT) == wide_context.get());
  BOOST_TEST(value<cl_uint>(program, CL_PROGRAM_NUM_DEVICES) == devices.size());
  BOOST_TEST(list_of<cl_device_id>(table().clGetProgramInfo, program.get(), CL_PROGRAM_DEVICES) == devices,
             boost::test_tools::per_element());
  BOOST_TEST(value<cl_uint>(program, CL_PROGRAM_REFERENCE_COUNT) == 1U);
  std::size_t kernels = 0;
  BOOST_TEST(table().clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, nullptr) ==
             CL_INVALID_PROGRAM_EXECUTABLE);
  BOOST_TEST(status_on(program, devices.front()) == CL_BUILD_NONE);
}

BOOST_AUTO_TEST_CASE(a_build_is_for_every_device_at_once) {
  if (!has_devices()) return;
  const OwnedProgram program = make_program(wide_context, kGood);
  BOOST_TEST(build(program, "-DFACTOR=3") == CL_SUCCESS);
  for (cl_device_id device : devices) {
    BOOST_TEST(status_on(program, device) == CL_BUILD_SUCCESS);
    BOOST_TEST(text_of(table().clGetProgramBuildInfo, program.get(), device, CL_PROGRAM_BUILD_OPTIONS) == "-DFACTOR=3");
    BOOST_TEST(
        info_of<cl_program_binary_type>(table().clGetProgramBuildInfo, program.get(), device, CL_PROGRAM_BINARY_TYPE) ==
        cl_program_binary_type{CL_PROGRAM_BINARY_TYPE_EXECUTABLE});
  }
  BOOST_TEST(value<std::size_t>(program, CL_PROGRAM_NUM_KERNELS) == 2U);
  const auto names = text_of(table().clGetProgramInfo, program.get(), CL_PROGRAM_KERNEL_NAMES);
  BOOST_TEST((names == "scale;clear" || names == "clear;scale"), names);
}

BOOST_AUTO_TEST_CASE(a_build_that_fails_says_so_and_has_a_log_for_each_device) {
  if (!has_devices()) return;
  const OwnedProgram program = make_program(wide_context, kBad);
  BOOST_TEST(build(program) == CL_BUILD_PROGRAM_FAILURE);
  for (cl_device_id device : devices) {
    BOOST_TEST(status_on(program, device) == CL_BUILD_ERROR);
    BOOST_TEST(log_on(program, device).find("unknown_name") != std::string::npos, log_on(program, device));
  }
  for (std::size_t i = 1; i < devices.size() && devices.size() > 2; ++i) {
    const auto name = text_of(table().clGetDeviceInfo, devices[i], CL_DEVICE_NAME);
    BOOST_TEST(log_on(program, devices.front()).find(name) != std::string::npos);
  }
  cl_int status = 1;
  BOOST_TEST((table().clCreateKernel(program, "scale", &status) == nullptr));
  BOOST_TEST(status == CL_INVALID_PROGRAM_EXECUTABLE);
}

BOOST_AUTO_TEST_CASE(a_program_that_failed_can_be_built_again_with_other_options) {
  if (!has_devices()) return;
  const OwnedProgram program = make_program(context, kGood);
  BOOST_TEST(build(program) == CL_BUILD_PROGRAM_FAILURE);  // The source needs a definition of FACTOR.
  BOOST_TEST(build(program, "-DFACTOR=1") == CL_SUCCESS);
  BOOST_TEST(status_on(program, devices.front()) == CL_BUILD_SUCCESS);
}

BOOST_AUTO_TEST_CASE(wrong_arguments_get_the_standards_codes) {
  if (!has_devices()) return;
  cl_int status = 1;
  const char* source = kGood;
  const char* nothing = nullptr;
  BOOST_TEST((table().clCreateProgramWithSource(context, 0, &source, nullptr, &status) == nullptr));
  BOOST_TEST(status == CL_INVALID_VALUE);
  BOOST_TEST((table().clCreateProgramWithSource(context, 1, &nothing, nullptr, &status) == nullptr));
  BOOST_TEST(status == CL_INVALID_VALUE);
  const OwnedProgram program = make_program(context, kGood);
  BOOST_TEST(build(program, "-not-an-option") == CL_INVALID_BUILD_OPTIONS);
  BOOST_TEST(table().clBuildProgram(program, 1, nullptr, nullptr, nullptr, nullptr) == CL_INVALID_VALUE);
  BOOST_TEST(table().clBuildProgram(program, 0, devices.data(), nullptr, nullptr, nullptr) == CL_INVALID_VALUE);
  BOOST_TEST(table().clBuildProgram(program, 0, nullptr, nullptr, nullptr, &status) == CL_INVALID_VALUE);
  // The platform has this device, but the program's context does not.
  BOOST_TEST(table().clBuildProgram(program, 1, &devices.back(), "", nullptr, nullptr) == CL_INVALID_DEVICE);
  BOOST_TEST(table().clGetProgramBuildInfo(program, devices.back(), CL_PROGRAM_BUILD_STATUS, 0, nullptr, nullptr) ==
             CL_INVALID_DEVICE);
  BOOST_TEST((table().clCreateProgramWithBuiltInKernels(context, 1, devices.data(), "add", &status) == nullptr));
  BOOST_TEST(status == CL_INVALID_VALUE);
}

BOOST_AUTO_TEST_CASE(a_program_with_kernels_is_not_built_again) {
  if (!has_devices()) return;
  const OwnedProgram program = make_program(context, kGood);
  BOOST_TEST(build(program, "-DFACTOR=1") == CL_SUCCESS);
  {
    const OwnedKernel kernel = make_kernel(program, "scale");
    BOOST_TEST(build(program, "-DFACTOR=2") == CL_INVALID_OPERATION);
  }
  BOOST_TEST(build(program, "-DFACTOR=2") == CL_SUCCESS);
}

BOOST_AUTO_TEST_CASE(the_callback_comes_when_the_build_is_done) {
  if (!has_devices()) return;
  const OwnedProgram program = make_program(context, kGood);
  struct Seen {
    cl_program program = nullptr;
    cl_build_status status = CL_BUILD_NONE;
    cl_device_id device = nullptr;
  } seen;
  seen.device = devices.front();
  const auto notify = [](cl_program done, void* data) {
    auto& result = *static_cast<Seen*>(data);
    result.program = done;
    result.status = status_on(done, result.device);
  };
  BOOST_TEST(table().clBuildProgram(program, 0, nullptr, "-DFACTOR=1", notify, &seen) == CL_SUCCESS);
  BOOST_TEST(seen.program == program.get());
  BOOST_TEST(seen.status == CL_BUILD_SUCCESS);
}

BOOST_AUTO_TEST_CASE(a_program_is_built_from_its_own_binaries) {
  if (!has_devices()) return;
  const OwnedProgram program = make_program(wide_context, kGood);
  BOOST_TEST(binaries_of(program).front().empty());
  BOOST_TEST(build(program, "-DFACTOR=1") == CL_SUCCESS);
  const auto binaries = binaries_of(program);
  BOOST_TEST_REQUIRE(binaries.size() == devices.size());
  BOOST_TEST(binaries.front().size() >= binaries.back().size());
  for (std::size_t i = 0; i < devices.size(); ++i) {
    cl_int status = 1;
    cl_int of_device = 1;
    const OwnedProgram again = of_binary(wide_context, devices[i], binaries[i], status, of_device);
    BOOST_TEST_REQUIRE(status == CL_SUCCESS);
    BOOST_TEST(of_device == CL_SUCCESS);
    BOOST_TEST(build(again) == CL_SUCCESS);
    const OwnedKernel kernel = make_kernel(again, "scale");
    BOOST_TEST(info_of<cl_uint>(table().clGetKernelInfo, kernel.get(), CL_KERNEL_NUM_ARGS) == 2U);
    BOOST_TEST(binaries_of(again).front().size() > 0U);
  }
}

BOOST_AUTO_TEST_CASE(binaries_that_are_damaged_or_anothers_are_refused) {
  if (!has_devices()) return;
  const OwnedProgram program = make_program(context, kGood);
  BOOST_TEST(build(program, "-DFACTOR=1") == CL_SUCCESS);
  auto damaged = binaries_of(program).front();
  damaged[damaged.size() / 2] ^= 1;
  for (const auto& binary : {damaged, std::vector<unsigned char>{0x7f, 'E', 'L', 'F'}}) {
    cl_int status = 1;
    cl_int of_device = 1;
    BOOST_TEST((of_binary(context, devices.front(), binary, status, of_device).get() == nullptr));
    BOOST_TEST(status == CL_INVALID_BINARY);
    BOOST_TEST(of_device == CL_INVALID_BINARY);
  }
  cl_int status = 1;
  cl_int of_device = 1;
  BOOST_TEST((of_binary(context, devices.front(), {}, status, of_device).get() == nullptr));
  BOOST_TEST(status == CL_INVALID_VALUE);
  BOOST_TEST((of_binary(context, devices.back(), damaged, status, of_device).get() == nullptr));
  BOOST_TEST(status == CL_INVALID_DEVICE);
}

BOOST_AUTO_TEST_CASE(programs_are_compiled_with_headers_and_linked) {
  if (!has_devices()) return;
  const OwnedProgram header = make_program(wide_context, "float factor(void);\n");
  const OwnedProgram user =
      make_program(wide_context, "#include \"factor.h\"\nkernel void scale(global float* x) { x[0] *= factor(); }\n");
  const OwnedProgram library = make_program(wide_context, "float factor(void) { return 2; }\n");
  const cl_program text = header;
  const char* name = "factor.h";
  BOOST_TEST(table().clCompileProgram(user, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr) ==
             CL_COMPILE_PROGRAM_FAILURE);
  BOOST_TEST_REQUIRE(table().clCompileProgram(user, 0, nullptr, nullptr, 1, &text, &name, nullptr, nullptr) ==
                     CL_SUCCESS);
  BOOST_TEST_REQUIRE(table().clCompileProgram(library, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr) ==
                     CL_SUCCESS);
  cl_int status = 1;
  BOOST_TEST((table().clCreateKernel(user, "scale", &status) == nullptr));
  BOOST_TEST(status == CL_INVALID_PROGRAM_EXECUTABLE);
  const std::array<cl_program, 2> parts{user, library};
  const OwnedProgram linked(
      table().clLinkProgram(wide_context, 0, nullptr, nullptr, 2, parts.data(), nullptr, nullptr, &status));
  BOOST_TEST_REQUIRE(status == CL_SUCCESS);
  const OwnedKernel kernel = make_kernel(linked, "scale");
  BOOST_TEST(build(linked) == CL_INVALID_OPERATION);
  const OwnedProgram never_compiled = make_program(wide_context, kGood);
  const cl_program alone = never_compiled;
  BOOST_TEST(
      (table().clLinkProgram(wide_context, 0, nullptr, nullptr, 1, &alone, nullptr, nullptr, &status) == nullptr));
  BOOST_TEST(status == CL_INVALID_OPERATION);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
