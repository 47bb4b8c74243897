/// Answers to queries about programs.
#include <algorithm>
#include <cstring>

#include "opencl/programs/program.hpp"

namespace troupe::opencl {
namespace {

/// Returns a rank, to merge the statuses of several devices. A worse status has a higher rank.
int badness(cl_build_status status) {
  switch (status) {
    case CL_BUILD_SUCCESS: return 0;
    case CL_BUILD_NONE: return 1;
    case CL_BUILD_IN_PROGRESS: return 2;
    default: return 3;
  }
}

cl_build_status worst_status(const std::vector<ProgramBuild>& builds) {
  cl_build_status worst = CL_BUILD_SUCCESS;
  for (const ProgramBuild& build : builds) {
    if (badness(build.status) > badness(worst)) worst = build.status;
  }
  return worst;
}

/// Returns the logs of several devices, each below the name of its device.
std::string joined_log(const std::vector<ProgramBuild>& builds) {
  if (builds.size() == 1) return builds.front().log;
  std::string joined;
  for (const ProgramBuild& build : builds) {
    if (build.log.find_first_not_of(" \n\t") == std::string::npos) continue;
    joined += "[device " + std::to_string(build.device->number()) + ": " + build.device->vendor().name + "]\n";
    joined += build.log;
    if (joined.back() != '\n') joined += '\n';
  }
  return joined;
}

/// Returns the type of the first build; CL_PROGRAM_BINARY_TYPE_NONE if at least one build has no type.
cl_program_binary_type least_type(const std::vector<ProgramBuild>& builds) {
  cl_program_binary_type least = builds.front().type;
  for (const ProgramBuild& build : builds) {
    if (build.type == CL_PROGRAM_BINARY_TYPE_NONE) least = CL_PROGRAM_BINARY_TYPE_NONE;
  }
  return least;
}

std::string joined_names(const std::vector<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : ";") + name;
  return joined;
}

}  // namespace

/// Writes each device's binary to the address that the program gave for it; skips null addresses.
void Program::answer_binaries(const Info& answer) const {
  auto* places = static_cast<unsigned char**>(answer.place(devices_.size() * sizeof(unsigned char*)));
  if (places == nullptr) return;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (places[i] == nullptr) continue;
    const auto bytes = container(*devices_[i]);
    std::ranges::copy(bytes, places[i]);
  }
}

void Program::info(cl_program_info what, const Info& answer) {
  switch (what) {
    case CL_PROGRAM_REFERENCE_COUNT: return answer.value(user_references());
    case CL_PROGRAM_CONTEXT: return answer.value(context_->handle());
    case CL_PROGRAM_NUM_DEVICES: return answer.value(static_cast<cl_uint>(devices_.size()));
    case CL_PROGRAM_DEVICES: {
      std::vector<cl_device_id> handles;
      for (Device* device : devices_) handles.push_back(device->handle());
      return answer.list(std::span(handles));
    }
    case CL_PROGRAM_SOURCE: return answer.text(source_);
    case CL_PROGRAM_IL: return answer.bytes(nullptr, 0);
    case CL_PROGRAM_BINARY_SIZES: {
      std::vector<std::size_t> sizes;
      for (const Device* device : devices_) sizes.push_back(container(*device).size());
      return answer.list(std::span(sizes));
    }
    case CL_PROGRAM_BINARIES: return answer_binaries(answer);
    case CL_PROGRAM_NUM_KERNELS: return answer.value(kernel_names().size());
    case CL_PROGRAM_KERNEL_NAMES: return answer.text(joined_names(kernel_names()));
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT: return answer.value(cl_bool{CL_FALSE});
    default: throw Refusal(CL_INVALID_VALUE);
  }
}

void Program::build_info(Device& device, cl_program_build_info what, const Info& answer) {
  require(std::ranges::find(devices_, &device) != devices_.end(), CL_INVALID_DEVICE);
  const auto builds = builds_of(device);
  switch (what) {
    case CL_PROGRAM_BUILD_STATUS: return answer.value(worst_status(builds));
    case CL_PROGRAM_BUILD_OPTIONS: return answer.text(builds.front().options);
    case CL_PROGRAM_BUILD_LOG: return answer.text(joined_log(builds));
    case CL_PROGRAM_BINARY_TYPE: return answer.value(least_type(builds));
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE: return answer.value(std::size_t{0});
    default: throw Refusal(CL_INVALID_VALUE);
  }
}

}  // namespace troupe::opencl
