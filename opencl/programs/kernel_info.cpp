/// Answers to queries about kernels.
#include <algorithm>
#include <array>
#include <limits>

#include "opencl/programs/kernel.hpp"

namespace troupe::opencl {
namespace {

template <class T>
T ask_of_work_groups(VendorKernel& kernel, cl_kernel_work_group_info what) {
  T value{};
  accept(kernel.api().clGetKernelWorkGroupInfo(kernel.kernel(), kernel.device(), what, sizeof value, &value, nullptr));
  return value;
}

}  // namespace

void Kernel::info(cl_kernel_info what, const Info& answer) {
  switch (what) {
    case CL_KERNEL_FUNCTION_NAME: return answer.text(name_);
    case CL_KERNEL_NUM_ARGS: return answer.value(static_cast<cl_uint>(parameters_.size()));
    case CL_KERNEL_REFERENCE_COUNT: return answer.value(user_references());
    case CL_KERNEL_CONTEXT: return answer.value(context().handle());
    case CL_KERNEL_PROGRAM: return answer.value(program_->handle());
    case CL_KERNEL_ATTRIBUTES:
      return answer.forward([&](std::size_t size, void* value, std::size_t* size_ret) {
        return asked_->api().clGetKernelInfo(asked_->kernel(), what, size, value, size_ret);
      });
    default: throw Refusal(CL_INVALID_VALUE);
  }
}

void Kernel::argument_info(cl_uint index, cl_kernel_arg_info what, const Info& answer) {
  require(index < parameters_.size(), CL_INVALID_ARG_INDEX);
  require(what >= CL_KERNEL_ARG_ADDRESS_QUALIFIER && what <= CL_KERNEL_ARG_NAME, CL_INVALID_VALUE);
  const Parameter& parameter = parameters_[index];
  require(parameter.described, CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
  switch (what) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER: return answer.value(parameter.address);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER: return answer.value(parameter.access);
    case CL_KERNEL_ARG_TYPE_QUALIFIER: return answer.value(parameter.qualifiers);
    case CL_KERNEL_ARG_TYPE_NAME: return answer.text(parameter.type_name);
    default: return answer.text(parameter.name);
  }
}

void Kernel::work_group_info(Device* device, cl_kernel_work_group_info what, const Info& answer) {
  const auto& of_program = program_->devices();
  if (device == nullptr) {
    require(of_program.size() == 1, CL_INVALID_DEVICE);
    device = of_program.front();
  }
  require(std::ranges::find(of_program, device) != of_program.end(), CL_INVALID_DEVICE);
  std::vector<const OnDevice*> places;
  for (const RealDevice* real : device->real()) {
    const OnDevice& place = devices_[static_cast<std::size_t>(real->number())];
    if (place.kernel) places.push_back(&place);
  }
  require(!places.empty(), CL_INVALID_DEVICE);
  const auto most = [&]<class T>(T, auto&& of_place) {
    T value = 0;
    for (const OnDevice* place : places) value = std::max<T>(value, of_place(*place));
    return value;
  };
  switch (what) {
    case CL_KERNEL_WORK_GROUP_SIZE: {
      auto least = std::numeric_limits<std::size_t>::max();
      for (const OnDevice* place : places) {
        least = std::min(least, ask_of_work_groups<std::size_t>(*place->kernel, what));
      }
      return answer.value(least);
    }
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
      return answer.value(ask_of_work_groups<std::array<std::size_t, 3>>(*places.front()->kernel, what));
    case CL_KERNEL_LOCAL_MEM_SIZE:
      return answer.value(most(cl_ulong{}, [](const OnDevice& place) { return place.local_memory; }) +
                          local_memory_of_arguments());
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
      return answer.value(most(std::size_t{}, [what](const OnDevice& place) {
        return ask_of_work_groups<std::size_t>(*place.kernel, what);
      }));
    case CL_KERNEL_PRIVATE_MEM_SIZE:
      return answer.value(most(
          cl_ulong{}, [what](const OnDevice& place) { return ask_of_work_groups<cl_ulong>(*place.kernel, what); }));
    // CL_KERNEL_GLOBAL_WORK_SIZE is for built-in kernels, which do not exist here.
    default: throw Refusal(CL_INVALID_VALUE);
  }
}

}  // namespace troupe::opencl
