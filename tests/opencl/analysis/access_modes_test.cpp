#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>

#include "opencl/analysis/analysis_compiler.hpp"
#include "opencl/programs/kernel.hpp"
#include "tests/opencl/analysis/generated_source.hpp"
#include "tests/opencl/commands_fixture.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::tests {

struct AccessModesFixture : CommandsFixture {
  static constexpr int kKernels = 25;

  [[nodiscard]] bool has_all() const {
    if (!has_devices()) return false;
    const bool found = opencl::analysis_compiler(opencl::compiler_in_environment()).has_value();
    if (!found) skip("there is no clang that compiles OpenCL: install clang-15");
    return found;
  }
  [[nodiscard]] OwnedQueue queue_on(cl_device_id device) const {
    cl_int status = 1;
    OwnedQueue made(table().clCreateCommandQueue(wide_context, device, 0, &status));
    BOOST_TEST_REQUIRE(status == CL_SUCCESS);
    return made;
  }
  static const opencl::KernelFacts* facts_of(cl_kernel kernel) { return opencl::need<opencl::Kernel>(kernel).facts(); }

  /// Runs all generated kernels one after the other, each on the next device. Returns the final content of the buffers.
  [[nodiscard]] std::vector<Words> run_generated(std::uint32_t seed, int& read_only) const {
    const OwnedProgram program = make_program(wide_context, generated_source(seed, kKernels).c_str());
    BOOST_TEST_REQUIRE(build(program) == CL_SUCCESS);
    std::vector<OwnedQueue> queues;
    for (std::size_t i = 1; i < devices.size(); ++i) queues.push_back(queue_on(devices[i]));
    std::vector<OwnedMemory> buffers;
    for (cl_uint i = 0; i < kGeneratedPointers; ++i) {
      Words content(kGeneratedBytes / sizeof(cl_uint));
      for (cl_uint j = 0; j < content.size(); ++j) content[j] = 0x3f000000U + j * 64 + i;
      buffers.push_back(make_words(content));
    }
    for (int i = 0; i < kKernels; ++i) {
      const OwnedKernel kernel = make_kernel(program, ("k" + std::to_string(i)).c_str());
      if (const opencl::KernelFacts* facts = facts_of(kernel)) {
        for (std::size_t j = 0; j < kGeneratedPointers; ++j) read_only += facts->arguments[j].writes ? 0 : 1;
      }
      launch(kernel, buffers, static_cast<std::size_t>(i), queues[static_cast<std::size_t>(i) % queues.size()]);
    }
    for (const OwnedQueue& queue : queues) BOOST_TEST(table().clFinish(queue) == CL_SUCCESS);
    std::vector<Words> contents;
    for (const OwnedMemory& buffer : buffers) contents.push_back(content(buffer, kGeneratedBytes / sizeof(cl_uint)));
    return contents;
  }
  /// Launches the kernel. The order of the buffers depends on `first`, so it differs from launch to launch.
  static void launch(cl_kernel kernel, const std::vector<OwnedMemory>& buffers, std::size_t first,
                     cl_command_queue queue) {
    for (cl_uint i = 0; i < kGeneratedPointers; ++i) {
      const cl_mem buffer = buffers[(first + i) % buffers.size()];
      BOOST_TEST(table().clSetKernelArg(kernel, i, sizeof buffer, &buffer) == CL_SUCCESS);
    }
    const cl_int n = 3;
    const cl_uint m = 5;
    const GeneratedValues values{2, 1, 4};
    BOOST_TEST(table().clSetKernelArg(kernel, 4, sizeof n, &n) == CL_SUCCESS);
    BOOST_TEST(table().clSetKernelArg(kernel, 5, sizeof m, &m) == CL_SUCCESS);
    BOOST_TEST(table().clSetKernelArg(kernel, 6, sizeof values, &values) == CL_SUCCESS);
    BOOST_TEST(table().clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, kGeneratedItems.data(), kGeneratedGroup.data(),
                                              0, nullptr, nullptr) == CL_SUCCESS);
  }
};

BOOST_FIXTURE_TEST_SUITE(access_modes, AccessModesFixture)

BOOST_AUTO_TEST_CASE(results_are_the_same_where_less_is_written) {
  if (!has_all()) return;
  for (const std::uint32_t seed : {101U, 102U}) {
    int read_only = 0;
    const auto with = run_generated(seed, read_only);
    BOOST_TEST(read_only > kKernels / 2);
    const EnvironmentVariable off("TROUPE_OPENCL_CLANG", "off");
    int without_facts = 0;
    const auto without = run_generated(seed, without_facts);
    BOOST_TEST(without_facts == 0);
    for (std::size_t i = 0; i < with.size(); ++i)
      BOOST_TEST((with[i] == without[i]), "buffer " << i << ", seed " << seed);
  }
}

BOOST_AUTO_TEST_CASE(an_argument_that_is_only_read_is_known_to_be) {
  if (!has_all() || devices.size() < 3) return;
  const OwnedProgram program = make_program(
      wide_context,
      "kernel void k(global uint* to, global uint* from) { to[get_global_id(0)] = from[get_global_id(0)]; }");
  BOOST_TEST_REQUIRE(build(program) == CL_SUCCESS);
  const OwnedKernel kernel = make_kernel(program, "k");
  BOOST_TEST_REQUIRE(facts_of(kernel) != nullptr);
  BOOST_TEST(facts_of(kernel)->arguments[0].writes);
  BOOST_TEST(!facts_of(kernel)->arguments[1].writes);
}

BOOST_AUTO_TEST_CASE(a_const_that_the_kernel_loses_is_not_believed) {
  if (!has_all()) return;
  struct Case {
    const char* body;
    bool with_facts;
    bool without;
  };
  for (const Case& one : {Case{"((global uint*)in)[0] = 7; out[0] = 1;", false, false},
                          Case{"global uint* p = in; p[0] = 7; out[0] = 1;", false, false},
                          Case{"out[0] = in[0];", true, true}, Case{"out[0] = vload4(0, in).x;", true, false}}) {
    const std::string source = std::string("kernel void k(global const uint* in, global uint* out) {") + one.body + "}";
    for (const char* compiler : {"", "off"}) {
      const EnvironmentVariable variable("TROUPE_OPENCL_CLANG", compiler);
      const OwnedProgram program = make_program(wide_context, source.c_str());
      BOOST_TEST_REQUIRE(build(program) == CL_SUCCESS);
      const OwnedKernel made = make_kernel(program, "k");
      const auto& kernel = opencl::need<opencl::Kernel>(made.get());
      const bool expected = kernel.facts() != nullptr ? one.with_facts : one.without;
      BOOST_TEST(kernel.only_reads(0) == expected, one.body << " with " << compiler);
      BOOST_TEST(!kernel.only_reads(1));
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_written_through_a_cast_is_read_back) {
  if (!has_devices()) return;
  static constexpr std::size_t kCount = 65536;
  const OwnedProgram program = make_program(
      wide_context, "kernel void k(global const uint* in) { uint i = get_global_id(0); ((global uint*)in)[i] = i; }");
  BOOST_TEST_REQUIRE(build(program) == CL_SUCCESS);
  const OwnedKernel kernel = make_kernel(program, "k");
  int wrong = 0;
  for (int round = 0; round < 10; ++round) {
    const OwnedMemory x = make_words(Words(kCount, 1));
    const cl_mem handle = x;
    BOOST_TEST(table().clSetKernelArg(kernel, 0, sizeof handle, &handle) == CL_SUCCESS);
    BOOST_TEST(table().clEnqueueNDRangeKernel(in_order, kernel, 1, nullptr, &kCount, nullptr, 0, nullptr, nullptr) ==
               CL_SUCCESS);
    if (content(x, kCount).back() != kCount - 1) ++wrong;
  }
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(headers_that_another_vendor_may_find_elsewhere_are_not_taken) {
  if (!has_all()) return;
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("a"));
  (void)folder.write("a/h.h", "#define INDEX 0\n");
  const auto names = [&](const std::string& options) {
    return opencl::facts_of("#include \"h.h\"\nkernel void k(global int* x) { x[INDEX] = 1; }", options, "")->size();
  };
  BOOST_TEST(names("-I " + folder.path("a")) == 1U);
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path("a"));
  BOOST_TEST(names("") == 1U);
  BOOST_TEST(names("-I.") == 1U);
  BOOST_TEST(names("-I /nowhere") == 0U);
  std::filesystem::current_path(before);
}

BOOST_AUTO_TEST_CASE(nothing_is_known_of_what_was_not_built_from_one_source) {
  if (!has_all() || devices.size() < 3) return;
  const char* const source = "kernel void k(global int* x) {\n  x[0] = get_global_id(STEP);\n}";
  const OwnedProgram differs = make_program(wide_context, source);
  for (const std::size_t i : {1U, 2U}) {
    const std::string options = "-DSTEP=" + std::to_string(i - 1);
    BOOST_TEST(table().clBuildProgram(differs, 1, &devices[i], options.c_str(), nullptr, nullptr) == CL_SUCCESS);
  }
  BOOST_TEST(facts_of(make_kernel(differs, "k")) == nullptr);

  const OwnedProgram compiled = make_program(wide_context, source);
  BOOST_TEST(table().clCompileProgram(compiled, 0, nullptr, "-DSTEP=0", 0, nullptr, nullptr, nullptr, nullptr) ==
             CL_SUCCESS);
  cl_int status = 1;
  const cl_program part = compiled;
  const OwnedProgram linked(table().clLinkProgram(wide_context, 0, nullptr, "", 1, &part, nullptr, nullptr, &status));
  BOOST_TEST_REQUIRE(status == CL_SUCCESS);
  BOOST_TEST(facts_of(make_kernel(linked, "k")) == nullptr);
}

BOOST_AUTO_TEST_CASE(nothing_is_known_where_drivers_are_given_more_options) {
  if (!has_all()) return;
  const EnvironmentVariable variable("POCL_EXTRA_BUILD_FLAGS", "-DINDEX=1");
  const OwnedProgram program = make_program(
      wide_context, "#ifndef INDEX\n#define INDEX 0\n#endif\nkernel void k(global int* x) { x[INDEX] = 3; }");
  BOOST_TEST_REQUIRE(build(program) == CL_SUCCESS);
  BOOST_TEST(facts_of(make_kernel(program, "k")) == nullptr);
}

BOOST_AUTO_TEST_CASE(a_build_does_not_depend_on_the_analysis) {
  if (!has_devices()) return;
  for (const char* compiler : {"off", "/nowhere/clang", "/bin/false", "/bin/cat"}) {
    const EnvironmentVariable variable("TROUPE_OPENCL_CLANG", compiler);
    const OwnedProgram program = make_program(wide_context, "kernel void k(global int* x) { x[0] = 3; }");
    BOOST_TEST(build(program) == CL_SUCCESS);
    const OwnedKernel kernel = make_kernel(program, "k");
    BOOST_TEST(facts_of(kernel) == nullptr);
    const OwnedMemory x = make_words({1});
    const cl_mem handle = x;
    const std::size_t one = 1;
    BOOST_TEST(table().clSetKernelArg(kernel, 0, sizeof handle, &handle) == CL_SUCCESS);
    BOOST_TEST(table().clEnqueueNDRangeKernel(in_order, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr) ==
               CL_SUCCESS);
    BOOST_TEST(content(x, 1) == Words{3}, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
