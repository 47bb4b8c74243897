#include "tests/opencl/random/random_machine.hpp"

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX

#include <algorithm>
#include <array>

#include "opencl/objects/context_properties.hpp"
#include "tests/support/environment_variable.hpp"

namespace troupe::tests {

namespace {

constexpr const char* kKernels = R"(
kernel void add(global uint* out, global const uint* a, global const uint* b) {
  size_t i = get_global_id(0);
  out[i] = a[i] + (b ? b[i] : 7u);
}
kernel void scale(global uint* x, uint k) {
  size_t i = get_global_id(0);
  x[i] = x[i] * k + (uint)i;
}
kernel void write_half(global uint* x, uint lane, uint k) {
  size_t i = get_global_id(0);
  if ((i & 1) == lane) x[i] = k + (uint)i;
}
kernel void reverse(global uint* out, global const uint* in, uint n) {
  size_t i = get_global_id(0);
  out[n - 1 - i] = in[i];
}
kernel void turn_groups(global uint* x, local uint* group) {
  size_t i = get_global_id(0);
  size_t l = get_local_id(0);
  group[l] = x[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[i] = group[get_local_size(0) - 1 - l];
}
)";

OwnedContext make_context(const std::vector<cl_device_id>& devices, const std::string& policy) {
  const std::array<cl_context_properties, 3> list{opencl::kContextPolicy,
                                                  reinterpret_cast<cl_context_properties>(policy.c_str()), 0};
  cl_int status = 1;
  OwnedContext made(table().clCreateContext(policy.empty() ? nullptr : list.data(),
                                            static_cast<cl_uint>(devices.size()), devices.data(), nullptr, nullptr,
                                            &status));
  BOOST_TEST_REQUIRE(status == CL_SUCCESS);
  return made;
}

std::size_t alignment_of(const std::vector<cl_device_id>& devices) {
  std::size_t most = 1;
  for (cl_device_id device : devices) {
    const auto bits = info_of<cl_uint>(table().clGetDeviceInfo, device, CL_DEVICE_MEM_BASE_ADDR_ALIGN);
    most = std::max<std::size_t>(most, bits / 8);
  }
  return most;
}

/// Runs a command, because the first command starts the runtime.
void run_something(const RandomContext& on) {
  cl_int status = 1;
  const OwnedQueue queue(table().clCreateCommandQueue(on.context, on.devices.front(), 0, &status));
  BOOST_TEST_REQUIRE(status == CL_SUCCESS);
  const OwnedMemory buffer(table().clCreateBuffer(on.context, 0, 64, nullptr, &status));
  BOOST_TEST_REQUIRE(status == CL_SUCCESS);
  const cl_uint pattern = 1;
  BOOST_TEST(table().clEnqueueFillBuffer(queue, buffer, &pattern, sizeof pattern, 0, 64, 0, nullptr, nullptr) ==
             CL_SUCCESS);
  BOOST_TEST(table().clFinish(queue) == CL_SUCCESS);
}

}  // namespace

void use_two_pocl_devices() {
  static constexpr int kKeep = 0;
  ::setenv("POCL_DEVICES", "basic basic", kKeep);
  if (has_pocl()) ::setenv("OCL_ICD_VENDORS", kPoclFile, kKeep);
}

RandomMachine RandomMachine::with_memory(const std::string& amount) {
  const EnvironmentVariable variable("TROUPE_OPENCL_MEMORY", amount);
  // No other test uses this policy, so this context gets a new runtime.
  return RandomMachine("mct");
}

RandomMachine::RandomMachine(const std::string& policy) {
  std::vector<cl_device_id> all;
  for (opencl::Device* device : opencl::Platform::get().devices()) all.push_back(device->handle());
  const std::vector<cl_device_id> real(all.begin() + 1, all.end());
  for (const std::vector<cl_device_id>& devices :
       {std::vector<cl_device_id>{all.front()}, all, real, std::vector<cl_device_id>{real.back()}}) {
    RandomContext& made = contexts_.emplace_back();
    made.devices = devices;
    made.context = make_context(devices, policy);
    made.program = OpenClFixture::make_program(made.context, kKernels);
    BOOST_TEST_REQUIRE(OpenClFixture::build(made.program) == CL_SUCCESS);
    made.alignment = alignment_of(devices);
    run_something(made);
  }
}

}  // namespace troupe::tests
