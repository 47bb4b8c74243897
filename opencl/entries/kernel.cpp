#include "opencl/programs/kernel.hpp"

#include <algorithm>

#include "opencl/entries/entries.hpp"
#include "opencl/entries/guard.hpp"

namespace troupe::opencl {

cl_kernel create_kernel(cl_program program, const char* name, cl_int* errcode_ret) {
  return guarded_result(errcode_ret, [&] {
    Program& owner = need<Program>(program);
    require(name != nullptr, CL_INVALID_VALUE);
    return (new Kernel(owner, name))->handle();
  });
}

cl_int create_kernels_in_program(cl_program program, cl_uint num_kernels, cl_kernel* kernels,
                                 cl_uint* num_kernels_ret) {
  return guarded([&] {
    Program& owner = need<Program>(program);
    const auto names = owner.kernel_names();
    require(kernels == nullptr || num_kernels >= names.size(), CL_INVALID_VALUE);
    std::vector<std::unique_ptr<Kernel>> made;
    if (kernels != nullptr) {
      for (const std::string& name : names) made.push_back(std::make_unique<Kernel>(owner, name));
    }
    std::ranges::transform(made, kernels, [](std::unique_ptr<Kernel>& kernel) { return kernel.release()->handle(); });
    if (num_kernels_ret != nullptr) *num_kernels_ret = static_cast<cl_uint>(names.size());
  });
}

cl_int retain_kernel(cl_kernel kernel) {
  return guarded([&] { need<Kernel>(kernel).retain(); });
}

cl_int release_kernel(cl_kernel kernel) {
  return guarded([&] { need<Kernel>(kernel).release(); });
}

cl_kernel clone_kernel(cl_kernel kernel, cl_int* errcode_ret) {
  return guarded_result(errcode_ret, [&] { return need<Kernel>(kernel).clone()->handle(); });
}

cl_int set_kernel_arg(cl_kernel kernel, cl_uint index, std::size_t size, const void* value) {
  return guarded([&] { need<Kernel>(kernel).set_argument(index, size, value); });
}

cl_int get_kernel_info(cl_kernel kernel, cl_kernel_info what, std::size_t size, void* value, std::size_t* size_ret) {
  return guarded([&] { need<Kernel>(kernel).info(what, Info(size, value, size_ret)); });
}

cl_int get_kernel_arg_info(cl_kernel kernel, cl_uint index, cl_kernel_arg_info what, std::size_t size, void* value,
                           std::size_t* size_ret) {
  return guarded([&] { need<Kernel>(kernel).argument_info(index, what, Info(size, value, size_ret)); });
}

cl_int get_kernel_work_group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what,
                                  std::size_t size, void* value, std::size_t* size_ret) {
  return guarded([&] {
    Kernel& target = need<Kernel>(kernel);
    Device* chosen = device == nullptr ? nullptr : &need<Device>(device);
    target.work_group_info(chosen, what, Info(size, value, size_ret));
  });
}

}  // namespace troupe::opencl
