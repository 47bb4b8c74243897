#include <array>
#include <boost/test/unit_test.hpp>
#include <thread>
#include <vector>

#include "opencl/objects/environment.hpp"
#include "tests/opencl/commands_fixture.hpp"
#include "tests/support/environment_variable.hpp"

namespace troupe::tests {

struct KernelsFixture : CommandsFixture {
  KernelsFixture() {
    if (devices.empty()) return;
    program = make_program(wide_context, R"(
kernel void place(global uint* x) {
  size_t i = get_global_id(0) + 8 * get_global_id(1);
  x[i] = 1000 * get_group_id(0) + 100 * get_local_id(0) + 10 * get_global_id(1) + get_local_size(0);
}
kernel void half_of(global uint* x, uint lane) { size_t i = get_global_id(0); if ((i & 1) == lane) x[i] = 5 + lane; }
kernel void sum(global uint* out, global const uint* a, global const uint* b) {
  size_t i = get_global_id(0);
  out[i] = (a ? a[i] : 40u) + b[i];
}
kernel __attribute__((reqd_work_group_size(4, 1, 1))) void of_four(global uint* x) { x[get_global_id(0)] = 4; }
kernel void uses_local(global uint* x, local uint* t) { t[0] = 3; x[get_global_id(0)] = t[0]; }
)");
    BOOST_TEST_REQUIRE(build(program) == CL_SUCCESS);
  }
  static cl_int launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const std::size_t* offset,
                       const std::size_t* global, const std::size_t* local) {
    return table().clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, 0, nullptr, nullptr);
  }
  static void set(cl_kernel kernel, cl_uint index, cl_mem memory) {
    BOOST_TEST(table().clSetKernelArg(kernel, index, sizeof memory, &memory) == CL_SUCCESS);
  }

  OwnedProgram program;
};

BOOST_FIXTURE_TEST_SUITE(commands_kernels, KernelsFixture)

BOOST_AUTO_TEST_CASE(a_range_has_an_offset_and_groups) {
  if (!has_devices()) return;
  const OwnedMemory x = make_words(Words(32));
  const OwnedKernel kernel = make_kernel(program, "place");
  set(kernel, 0, x);
  const std::array<std::size_t, 2> offset{2, 1};
  const std::array<std::size_t, 2> global{6, 2};
  const std::array<std::size_t, 2> local{3, 1};
  BOOST_TEST(launch(in_order, kernel, 2, offset.data(), global.data(), local.data()) == CL_SUCCESS);
  Words expected(32);
  for (cl_uint row = 1; row < 3; ++row) {
    for (cl_uint i = 0; i < 6; ++i) expected[2 + i + 8 * row] = 1000 * (i / 3) + 100 * (i % 3) + 10 * row + 3;
  }
  BOOST_TEST(content(x, 32) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(two_devices_write_a_half_each_of_a_buffer_and_none_is_lost) {
  if (!has_devices() || devices.size() < 3) return;
  static constexpr std::size_t kCount = 4096;
  cl_int status = 1;
  const OwnedMemory x(table().clCreateBuffer(wide_context, CL_MEM_WRITE_ONLY, 4 * kCount, nullptr, &status));
  const OwnedQueue first(table().clCreateCommandQueue(wide_context, devices[1], 0, &status));
  const OwnedQueue second(table().clCreateCommandQueue(wide_context, devices[2], 0, &status));
  const OwnedKernel kernel = make_kernel(program, "half_of");
  set(kernel, 0, x);
  for (cl_uint lane = 0; lane < 2; ++lane) {
    BOOST_TEST(table().clSetKernelArg(kernel, 1, sizeof lane, &lane) == CL_SUCCESS);
    BOOST_TEST(launch(lane == 0 ? first : second, kernel, 1, nullptr, &kCount, nullptr) == CL_SUCCESS);
  }
  BOOST_TEST(table().clFinish(first) == CL_SUCCESS);
  BOOST_TEST(table().clFinish(second) == CL_SUCCESS);
  Words expected(kCount);
  for (std::size_t i = 0; i < kCount; ++i) expected[i] = 5 + (i & 1U);
  BOOST_TEST((content(x, kCount) == expected));
}

// If two runtimes launch kernels on a device at the same time, pocl 3.1 aborts. So the launches must take turns.
BOOST_AUTO_TEST_CASE(launches_of_two_contexts_take_turns_on_a_device_that_takes_one) {
  if (!has_devices()) return;
  static constexpr std::size_t kCount = 512;
  /// A context with its program, kernel, queue and buffer. Contexts with different devices have different runtimes.
  struct Side {
    explicit Side(const std::vector<cl_device_id>& on, cl_device_id device) : context(make_context(on)) {
      program = make_program(context, "kernel void add(global uint* x) { x[get_global_id(0)] += get_local_size(0); }");
      BOOST_TEST_REQUIRE(build(program) == CL_SUCCESS);
      kernel = make_kernel(program, "add");
      cl_int status = 1;
      queue = OwnedQueue(table().clCreateCommandQueue(context, device, 0, &status));
      x = OwnedMemory(
          table().clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, kCount * sizeof(cl_uint), words.data(), &status));
      set(kernel, 0, x);
    }
    void launch_often() {
      for (std::size_t i = 0; i < 400; ++i) {
        // The driver compiles the kernel again for each size of a work-group, and for launches with an offset.
        const std::size_t local = std::size_t{4} << i % 4;
        const std::size_t offset = i % 3 == 0 ? 0 : local;
        const std::size_t global = kCount - 32;
        failures += launch(queue, kernel, 1, &offset, &global, &local) == CL_SUCCESS ? 0 : 1;
        if (i % 3 == 0) failures += table().clFinish(queue) == CL_SUCCESS ? 0 : 1;
        sum += static_cast<cl_uint>(local);
      }
      failures += table().clEnqueueReadBuffer(queue, x, CL_TRUE, 0, kCount * sizeof(cl_uint), words.data(), 0, nullptr,
                                              nullptr) == CL_SUCCESS
                      ? 0
                      : 1;
    }

    Words words = Words(kCount);
    OwnedContext context;
    OwnedProgram program;
    OwnedKernel kernel;
    OwnedQueue queue;
    OwnedMemory x;
    cl_uint sum = 0;
    int failures = 0;
  };
  Side alone({devices[1]}, devices[1]);
  Side wide(devices, devices[1]);
  std::thread other([&alone] { alone.launch_often(); });
  wide.launch_often();
  other.join();
  for (const Side* side : {&alone, &wide}) {
    BOOST_TEST(side->failures == 0);
    BOOST_TEST(side->words[kCount / 2] == side->sum);
  }
}

BOOST_AUTO_TEST_CASE(a_buffer_may_be_null_or_come_twice) {
  if (!has_devices()) return;
  const OwnedMemory x = make_words({1, 2, 3, 4});
  const OwnedKernel kernel = make_kernel(program, "sum");
  for (const cl_uint index : {0U, 1U, 2U}) set(kernel, index, x);
  const std::size_t global = 4;
  BOOST_TEST(launch(in_order, kernel, 1, nullptr, &global, nullptr) == CL_SUCCESS);
  BOOST_TEST(table().clSetKernelArg(kernel, 1, sizeof(cl_mem), nullptr) == CL_SUCCESS);
  BOOST_TEST(launch(in_order, kernel, 1, nullptr, &global, nullptr) == CL_SUCCESS);
  BOOST_TEST(content(x, 4) == (Words{42, 44, 46, 48}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_launch_says_what_is_wrong) {
  if (!has_devices()) return;
  const OwnedMemory x = make_words(Words(64));
  const OwnedKernel kernel = make_kernel(program, "place");
  const std::size_t global = 8;
  const std::size_t zero = 0;
  const std::size_t three = 3;
  const std::size_t far = SIZE_MAX;
  BOOST_TEST(launch(in_order, kernel, 1, nullptr, &global, nullptr) == CL_INVALID_KERNEL_ARGS);
  set(kernel, 0, x);
  BOOST_TEST(launch(in_order, nullptr, 1, nullptr, &global, nullptr) == CL_INVALID_KERNEL);
  BOOST_TEST(launch(nullptr, kernel, 1, nullptr, &global, nullptr) == CL_INVALID_COMMAND_QUEUE);
  BOOST_TEST(launch(in_order, kernel, 0, nullptr, &global, nullptr) == CL_INVALID_WORK_DIMENSION);
  BOOST_TEST(launch(in_order, kernel, 4, nullptr, &global, nullptr) == CL_INVALID_WORK_DIMENSION);
  BOOST_TEST(launch(in_order, kernel, 1, nullptr, nullptr, nullptr) == CL_INVALID_GLOBAL_WORK_SIZE);
  BOOST_TEST(launch(in_order, kernel, 1, nullptr, &zero, nullptr) == CL_INVALID_GLOBAL_WORK_SIZE);
  BOOST_TEST(launch(in_order, kernel, 1, &far, &global, nullptr) == CL_INVALID_GLOBAL_OFFSET);
  BOOST_TEST(launch(in_order, kernel, 1, nullptr, &global, &three) == CL_INVALID_WORK_GROUP_SIZE);
  BOOST_TEST(launch(in_order, kernel, 1, nullptr, &global, &zero) == CL_INVALID_WORK_GROUP_SIZE);
  const OwnedKernel four = make_kernel(program, "of_four");
  set(four, 0, x);
  BOOST_TEST(launch(in_order, four, 1, nullptr, &global, nullptr) == CL_INVALID_WORK_GROUP_SIZE);
  BOOST_TEST(launch(in_order, four, 1, nullptr, &global, &global) == CL_INVALID_WORK_GROUP_SIZE);
  const OwnedKernel local = make_kernel(program, "uses_local");
  set(local, 0, x);
  BOOST_TEST(table().clSetKernelArg(local, 1, std::size_t{1} << 40U, nullptr) == CL_SUCCESS);
  BOOST_TEST(launch(in_order, local, 1, nullptr, &global, nullptr) == CL_OUT_OF_RESOURCES);
  cl_int status = 1;
  const OwnedQueue foreign(table().clCreateCommandQueue(context, devices.front(), 0, &status));
  BOOST_TEST(launch(foreign, kernel, 1, nullptr, &global, nullptr) == CL_INVALID_CONTEXT);
}

BOOST_AUTO_TEST_CASE(the_memory_of_devices_can_be_limited) {
  if (!has_devices()) return;
  const std::vector<opencl::RealDevice*> real = opencl::Platform::get().devices().front()->real();
  BOOST_TEST((!opencl::memory_limit(real).has_value()));
  for (const char* wrong : {"much", "16", "-1MiB", "0B", "1000TB"}) {
    const EnvironmentVariable variable("TROUPE_OPENCL_MEMORY", wrong);
    BOOST_TEST((!opencl::memory_limit(real).has_value()));
  }
  const EnvironmentVariable variable("TROUPE_OPENCL_MEMORY", "16MiB");
  BOOST_TEST_REQUIRE(opencl::memory_limit(real).has_value());
  BOOST_TEST(opencl::memory_limit(real)->count == 16U << 20U);
  // Devices report the limit, so that no program makes a buffer that it could not use.
  for (cl_device_id device : devices) {
    BOOST_TEST(info_of<cl_ulong>(table().clGetDeviceInfo, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE) == 16U << 20U);
    BOOST_TEST(info_of<cl_ulong>(table().clGetDeviceInfo, device, CL_DEVICE_GLOBAL_MEM_SIZE) == 16U << 20U);
  }
  const OwnedContext limited = make_context({devices.front()});
  cl_int status = 1;
  BOOST_TEST((table().clCreateBuffer(limited, 0, (16U << 20U) + 1, nullptr, &status) == nullptr));
  BOOST_TEST(status == CL_INVALID_BUFFER_SIZE);
  const OwnedMemory fits(table().clCreateBuffer(limited, 0, 16U << 20U, nullptr, &status));
  BOOST_TEST(status == CL_SUCCESS);
}

BOOST_AUTO_TEST_CASE(a_program_with_images_does_not_build_and_says_why) {
  if (!has_devices()) return;
  const OwnedProgram images = make_program(
      wide_context,
      "kernel void k(read_only image2d_t from, global float4* to) { to[0] = read_imagef(from, (int2)(0)); }");
  BOOST_TEST(build(images) == CL_BUILD_PROGRAM_FAILURE);
  const std::string log = text_of(table().clGetProgramBuildInfo, images.get(), devices.front(), CL_PROGRAM_BUILD_LOG);
  BOOST_TEST(log.find("images_are_not_supported") != std::string::npos, log);
  const OwnedProgram both = make_program(
      wide_context, "#ifdef __IMAGE_SUPPORT__\nkernel void k(read_only image2d_t from) {}\n#endif\nkernel void n() {}");
  BOOST_TEST(build(both) == CL_SUCCESS);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
