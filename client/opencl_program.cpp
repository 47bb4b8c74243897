#include "troupe/opencl.hpp"

#include <CL/cl_icd.h>
#include <fmt/format.h>

#include <map>
#include <tuple>
#include <utility>

#include "platform/opencl/opencl_error.hpp"
#include "platform/opencl/opencl_objects.hpp"
#include "platform/opencl/opencl_quirks.hpp"
#include "proto/mutex.hpp"
#include "troupe/errors.hpp"

namespace troupe {

namespace {

using platform::opencl_error;
using OwnedProgram = platform::OpenClObject<cl_program, &_cl_icd_dispatch::clReleaseProgram>;
using OwnedKernel = platform::OpenClObject<cl_kernel, &_cl_icd_dispatch::clReleaseKernel>;

std::string build_log(const _cl_icd_dispatch& api, cl_program program, cl_device_id device) {
  std::size_t size = 0;
  if (api.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS) return {};
  std::string log(size, '\0');
  if (size == 0) return {};
  if (api.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr) != CL_SUCCESS) {
    return {};
  }
  log.resize(std::min(log.size(), log.find('\0')));
  return log;
}

[[noreturn]] void fail(const std::string& what, cl_int status) {
  throw Error(ErrorCode::kernel_failed, fmt::format("{}: {}", what, opencl_error(status)));
}

}  // namespace

struct OpenClProgram::State {
  /// The program on one device.
  struct Built {
    Mutex mutex;
    /// Null until the program is built.
    OwnedProgram program TROUPE_GUARDED_BY(mutex);
    /// The reason why the program could not be built.
    std::string failure TROUPE_GUARDED_BY(mutex);
    /// The program's kernels by queue and name: one per queue is enough, because a queue runs one task at a time. The
    /// kernels are released before the program.
    std::map<std::pair<const _cl_command_queue*, std::string>, OwnedKernel> kernels TROUPE_GUARDED_BY(mutex);
  };

  std::string source;
  std::string options;
  Mutex mutex;
  // The program on each device, by the device's context, which lives as long as the process. The map is never iterated
  // over, so its order by address has no effect.
  std::map<const _cl_context*, Built> built TROUPE_GUARDED_BY(mutex);

  void build(const OpenClLaunch& launch, Built& here) const TROUPE_REQUIRES(here.mutex) {
    const _cl_icd_dispatch& api = launch.api();
    const char* text = source.c_str();
    const std::size_t length = source.size();
    cl_int status = CL_SUCCESS;
    OwnedProgram program(api, api.clCreateProgramWithSource(launch.context(), 1, &text, &length, &status));
    if (status != CL_SUCCESS) fail("making a program for OpenCL failed", status);
    const cl_device_id device = launch.device();
    const std::string all_options = options + platform::opencl_twin_option(device);
    status = api.clBuildProgram(program.get(), 1, &device, all_options.c_str(), nullptr, nullptr);
    if (status == CL_SUCCESS) {
      here.program = std::move(program);
      return;
    }
    // A second attempt would fail too, so the failure is kept.
    here.failure = fmt::format("building a program for OpenCL failed: {}\n{}", opencl_error(status),
                               build_log(api, program.get(), device));
  }
};

OpenClProgram::OpenClProgram(std::string source, std::string options) : state_(std::make_shared<State>()) {
  state_->source = std::move(source);
  state_->options = std::move(options);
}

_cl_kernel* OpenClProgram::kernel(const OpenClLaunch& launch, const std::string& name) const {
  State::Built* here = nullptr;
  {
    const LockGuard lock(state_->mutex);
    here = &state_->built[launch.context()];
  }
  // Each device has a lock of its own, so the program can be built for several devices at the same time.
  const LockGuard lock(here->mutex);
  if (here->program.get() == nullptr && here->failure.empty()) state_->build(launch, *here);
  if (!here->failure.empty()) throw Error(ErrorCode::kernel_failed, here->failure);
  OwnedKernel& made = here->kernels[{launch.queue(), name}];
  if (made.get() == nullptr) {
    cl_int status = CL_SUCCESS;
    const cl_kernel kernel = launch.api().clCreateKernel(here->program.get(), name.c_str(), &status);
    if (status != CL_SUCCESS) fail(fmt::format("the program for OpenCL has no kernel '{}'", name), status);
    made = OwnedKernel(launch.api(), kernel);
  }
  return made.get();
}

}  // namespace troupe
