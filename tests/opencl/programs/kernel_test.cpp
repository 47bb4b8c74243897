#include "opencl/programs/kernel.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstring>

#include "tests/opencl/opencl_fixture.hpp"

namespace troupe::tests {

struct KernelFixture : OpenClFixture {
  KernelFixture() {
    if (devices.empty()) return;
    program = make_program(context, R"(
      kernel void work(global float* x, constant int* table, local int* scratch, float4 by, const global int* only_read) {
        local int own[16];
        own[get_local_id(0) % 16] = table[0];
        x[0] = by.x + own[0] + scratch[0] + only_read[0];
      }
      kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(global int* x) { x[0] = 1; }
    )");
    BOOST_TEST_REQUIRE(build(program) == CL_SUCCESS);
    kernel = make_kernel(program, "work");
  }

  [[nodiscard]] cl_int set(cl_uint index, std::size_t size, const void* value) const {
    return table().clSetKernelArg(kernel, index, size, value);
  }
  [[nodiscard]] std::shared_ptr<const opencl::KernelArguments> arguments() const {
    return opencl::need<opencl::Kernel>(kernel).arguments();
  }
  template <class T>
  T work_group(cl_kernel of, cl_device_id device, cl_kernel_work_group_info what) const {
    return info_of<T>(table().clGetKernelWorkGroupInfo, of, device, what);
  }

  OwnedProgram program;
  OwnedKernel kernel;
  static constexpr std::array<float, 4> kFour{1, 2, 3, 4};
};

BOOST_FIXTURE_TEST_SUITE(kernels, KernelFixture)

BOOST_AUTO_TEST_CASE(a_kernel_says_what_it_is) {
  if (!has_devices()) return;
  const auto info = table().clGetKernelInfo;
  BOOST_TEST(text_of(info, kernel.get(), CL_KERNEL_FUNCTION_NAME) == "work");
  BOOST_TEST(info_of<cl_uint>(info, kernel.get(), CL_KERNEL_NUM_ARGS) == 5U);
  BOOST_TEST(info_of<cl_context>(info, kernel.get(), CL_KERNEL_CONTEXT) == context.get());
  BOOST_TEST(info_of<cl_program>(info, kernel.get(), CL_KERNEL_PROGRAM) == program.get());
  BOOST_TEST(info_of<cl_uint>(info, kernel.get(), CL_KERNEL_REFERENCE_COUNT) == 1U);
  (void)text_of(info, kernel.get(), CL_KERNEL_ATTRIBUTES);
  BOOST_TEST(table().clGetKernelInfo(kernel, 0x7777, 0, nullptr, nullptr) == CL_INVALID_VALUE);
}

BOOST_AUTO_TEST_CASE(names_that_are_not_there_are_refused) {
  if (!has_devices()) return;
  cl_int status = 1;
  BOOST_TEST((table().clCreateKernel(program, "wrok", &status) == nullptr));
  BOOST_TEST(status == CL_INVALID_KERNEL_NAME);
  BOOST_TEST((table().clCreateKernel(program, nullptr, &status) == nullptr));
  BOOST_TEST(status == CL_INVALID_VALUE);
}

BOOST_AUTO_TEST_CASE(all_kernels_of_a_program_come_at_once) {
  if (!has_devices()) return;
  cl_uint count = 0;
  BOOST_TEST(table().clCreateKernelsInProgram(program, 0, nullptr, &count) == CL_SUCCESS);
  BOOST_TEST_REQUIRE(count == 2U);
  std::array<cl_kernel, 2> handles{};
  BOOST_TEST(table().clCreateKernelsInProgram(program, 1, handles.data(), nullptr) == CL_INVALID_VALUE);
  BOOST_TEST(table().clCreateKernelsInProgram(program, 2, handles.data(), nullptr) == CL_SUCCESS);
  const OwnedKernel first(handles[0]);
  const OwnedKernel second(handles[1]);
  BOOST_TEST(text_of(table().clGetKernelInfo, first.get(), CL_KERNEL_FUNCTION_NAME) !=
             text_of(table().clGetKernelInfo, second.get(), CL_KERNEL_FUNCTION_NAME));
}

BOOST_AUTO_TEST_CASE(parameters_are_described_without_an_option_of_the_programs) {
  if (!has_devices()) return;
  const auto address = [&](cl_uint index) {
    return info_of<cl_kernel_arg_address_qualifier>(table().clGetKernelArgInfo, kernel.get(), index,
                                                    CL_KERNEL_ARG_ADDRESS_QUALIFIER);
  };
  BOOST_TEST(address(0) == cl_kernel_arg_address_qualifier{CL_KERNEL_ARG_ADDRESS_GLOBAL});
  BOOST_TEST(address(1) == cl_kernel_arg_address_qualifier{CL_KERNEL_ARG_ADDRESS_CONSTANT});
  BOOST_TEST(address(2) == cl_kernel_arg_address_qualifier{CL_KERNEL_ARG_ADDRESS_LOCAL});
  BOOST_TEST(address(3) == cl_kernel_arg_address_qualifier{CL_KERNEL_ARG_ADDRESS_PRIVATE});
  const auto qualifiers = info_of<cl_kernel_arg_type_qualifier>(table().clGetKernelArgInfo, kernel.get(), cl_uint{4},
                                                                CL_KERNEL_ARG_TYPE_QUALIFIER);
  BOOST_TEST((qualifiers & CL_KERNEL_ARG_TYPE_CONST) != 0U);
  BOOST_TEST(text_of(table().clGetKernelArgInfo, kernel.get(), cl_uint{3}, CL_KERNEL_ARG_TYPE_NAME) == "float4");
  BOOST_TEST(text_of(table().clGetKernelArgInfo, kernel.get(), cl_uint{2}, CL_KERNEL_ARG_NAME) == "scratch");
  BOOST_TEST(table().clGetKernelArgInfo(kernel, 5, CL_KERNEL_ARG_NAME, 0, nullptr, nullptr) == CL_INVALID_ARG_INDEX);
  BOOST_TEST(table().clGetKernelArgInfo(kernel, 0, 0x7777, 0, nullptr, nullptr) == CL_INVALID_VALUE);
}

BOOST_AUTO_TEST_CASE(arguments_that_do_not_fit_are_refused) {
  if (!has_devices()) return;
  const OwnedMemory buffer = make_buffer(64);
  const cl_mem handle = buffer;
  const cl_kernel no_memory = kernel;
  BOOST_TEST(set(5, sizeof handle, &handle) == CL_INVALID_ARG_INDEX);
  BOOST_TEST(set(0, 4, &handle) == CL_INVALID_ARG_SIZE);
  BOOST_TEST(set(0, sizeof no_memory, &no_memory) == CL_INVALID_MEM_OBJECT);
  BOOST_TEST(set(2, 64, &handle) == CL_INVALID_ARG_VALUE);
  BOOST_TEST(set(2, 0, nullptr) == CL_INVALID_ARG_SIZE);
  BOOST_TEST(set(3, sizeof kFour, nullptr) == CL_INVALID_ARG_VALUE);
  BOOST_TEST(set(3, 4, kFour.data()) == CL_INVALID_ARG_SIZE);
  BOOST_TEST(set(3, 0, kFour.data()) == CL_INVALID_ARG_SIZE);
  BOOST_TEST(!opencl::need<opencl::Kernel>(kernel).all_arguments_set());
  cl_int status = 1;
  const OwnedMemory elsewhere(table().clCreateBuffer(wide_context, 0, 64, nullptr, &status));
  const cl_mem of_another_context = elsewhere;
  BOOST_TEST(set(0, sizeof of_another_context, &of_another_context) == CL_INVALID_MEM_OBJECT);
}

BOOST_AUTO_TEST_CASE(arguments_are_kept_as_they_were_set) {
  if (!has_devices()) return;
  const OwnedMemory buffer = make_buffer(64);
  const cl_mem handle = buffer;
  const cl_mem none = nullptr;
  BOOST_TEST(set(0, sizeof handle, &handle) == CL_SUCCESS);
  BOOST_TEST(set(1, sizeof none, &none) == CL_SUCCESS);
  BOOST_TEST(set(2, 256, nullptr) == CL_SUCCESS);
  BOOST_TEST(set(3, sizeof kFour, kFour.data()) == CL_SUCCESS);
  BOOST_TEST(!opencl::need<opencl::Kernel>(kernel).all_arguments_set());
  BOOST_TEST(set(4, sizeof none, nullptr) == CL_SUCCESS);
  BOOST_TEST(opencl::need<opencl::Kernel>(kernel).all_arguments_set());
  const auto all = arguments();
  BOOST_TEST(all->list[0].memory->handle() == handle);
  BOOST_TEST(!all->list[1].memory);
  BOOST_TEST(all->list[2].size == 256U);
  BOOST_TEST(std::memcmp(all->value(all->list[3]), kFour.data(), sizeof kFour) == 0);
  BOOST_TEST(!all->list[4].memory);
}

BOOST_AUTO_TEST_CASE(arguments_that_a_launch_took_do_not_change_any_more) {
  if (!has_devices()) return;
  BOOST_TEST(set(3, sizeof kFour, kFour.data()) == CL_SUCCESS);
  const auto taken = arguments();
  const std::array<float, 4> others{5, 6, 7, 8};
  BOOST_TEST(set(3, sizeof others, others.data()) == CL_SUCCESS);
  BOOST_TEST(std::memcmp(taken->value(taken->list[3]), kFour.data(), sizeof kFour) == 0);
  BOOST_TEST(std::memcmp(arguments()->value(arguments()->list[3]), others.data(), sizeof others) == 0);
}

BOOST_AUTO_TEST_CASE(a_launch_keeps_buffers_and_a_kernel_does_not) {
  if (!has_devices()) return;
  static int destroyed;
  destroyed = 0;
  const auto count = [](cl_mem, void*) { ++destroyed; };
  OwnedMemory first = make_buffer(64);
  const cl_mem handle = first;
  BOOST_TEST(table().clSetMemObjectDestructorCallback(first, count, nullptr) == CL_SUCCESS);
  BOOST_TEST(set(0, sizeof handle, &handle) == CL_SUCCESS);
  auto taken = arguments();
  first = OwnedMemory();
  BOOST_TEST(destroyed == 0);
  taken.reset();
  BOOST_TEST(destroyed == 1);
  BOOST_TEST(table().clRetainMemObject(handle) == CL_INVALID_MEM_OBJECT);
  BOOST_CHECK_EXCEPTION((void)arguments(), opencl::Refusal,
                        [](const opencl::Refusal& refusal) { return refusal.status() == CL_INVALID_KERNEL_ARGS; });
  const OwnedMemory second = make_buffer(64);
  const cl_mem another = second;
  BOOST_TEST(set(0, sizeof another, &another) == CL_SUCCESS);
  BOOST_TEST(arguments()->list[0].memory->handle() == another);
}

BOOST_AUTO_TEST_CASE(a_clone_has_the_same_arguments_and_goes_its_own_way) {
  if (!has_devices()) return;
  BOOST_TEST(set(3, sizeof kFour, kFour.data()) == CL_SUCCESS);
  cl_int status = 1;
  const OwnedKernel clone(table().clCloneKernel(kernel, &status));
  BOOST_TEST_REQUIRE(status == CL_SUCCESS);
  const auto& object = opencl::need<opencl::Kernel>(clone);
  const std::array<float, 4> others{5, 6, 7, 8};
  BOOST_TEST(set(3, sizeof others, others.data()) == CL_SUCCESS);
  BOOST_TEST(std::memcmp(object.arguments()->value(object.arguments()->list[3]), kFour.data(), sizeof kFour) == 0);
}

BOOST_AUTO_TEST_CASE(work_groups_are_as_every_device_takes_them) {
  if (!has_devices()) return;
  const auto size = work_group<std::size_t>(kernel, devices.front(), CL_KERNEL_WORK_GROUP_SIZE);
  BOOST_TEST(size > 0U);
  BOOST_TEST(size <= info_of<std::size_t>(table().clGetDeviceInfo, devices.front(), CL_DEVICE_MAX_WORK_GROUP_SIZE));
  BOOST_TEST(work_group<std::size_t>(kernel, devices.front(), CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE) > 0U);
  (void)work_group<cl_ulong>(kernel, devices.front(), CL_KERNEL_PRIVATE_MEM_SIZE);
  const OwnedKernel fixed = make_kernel(program, "fixed");
  const std::array<std::size_t, 3> required{4, 2, 1};
  BOOST_TEST(
      (work_group<std::array<std::size_t, 3>>(fixed, devices.front(), CL_KERNEL_COMPILE_WORK_GROUP_SIZE) == required));
  // The program has only one device, so the call need not name the device.
  BOOST_TEST(work_group<std::size_t>(kernel, nullptr, CL_KERNEL_WORK_GROUP_SIZE) == size);
  BOOST_TEST(table().clGetKernelWorkGroupInfo(kernel, devices.back(), CL_KERNEL_WORK_GROUP_SIZE, 0, nullptr, nullptr) ==
             CL_INVALID_DEVICE);
  BOOST_TEST(table().clGetKernelWorkGroupInfo(kernel, devices.front(), CL_KERNEL_GLOBAL_WORK_SIZE, 0, nullptr,
                                              nullptr) == CL_INVALID_VALUE);
}

BOOST_AUTO_TEST_CASE(local_memory_counts_what_arguments_ask_for) {
  if (!has_devices()) return;
  const auto before = work_group<cl_ulong>(kernel, devices.front(), CL_KERNEL_LOCAL_MEM_SIZE);
  BOOST_TEST(set(2, 1000, nullptr) == CL_SUCCESS);
  BOOST_TEST(work_group<cl_ulong>(kernel, devices.front(), CL_KERNEL_LOCAL_MEM_SIZE) == before + 1000);
  BOOST_TEST(set(2, 24, nullptr) == CL_SUCCESS);
  BOOST_TEST(work_group<cl_ulong>(kernel, devices.front(), CL_KERNEL_LOCAL_MEM_SIZE) == before + 24);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
