#include "platform/opencl/opencl_contexts.hpp"

#include <CL/cl_icd.h>
#include <fmt/format.h>

#include <map>
#include <thread>

#include "platform/opencl/opencl_error.hpp"
#include "platform/opencl/opencl_unbound.hpp"
#include "proto/mutex.hpp"

namespace troupe::platform {

namespace {

Result<cl_context> make_context(const OpenClDevice& device) {
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(device.platform), 0};
  cl_int status = CL_SUCCESS;
  cl_context context = nullptr;
  std::thread([&] {
    const auto unbound = unbind_for_drivers();
    context = device.api->clCreateContext(properties, 1, &device.id, nullptr, nullptr, &status);
  }).join();
  if (status == CL_SUCCESS && context != nullptr) return context;
  return Failure{ErrorCode::platform, fmt::format("OpenCL device {} ({}): making a context failed: {}", device.index,
                                                  device.name, opencl_error(status))};
}

struct Contexts {
  Mutex mutex;
  // Looked up only.
  std::map<const _cl_device_id*, cl_context> made TROUPE_GUARDED_BY(mutex);
};

}  // namespace

Result<_cl_context*> opencl_context(const OpenClDevice& device) {
  // Never destroyed: threads may ask while the process ends, and drivers may be gone then.
  static Contexts& all = *new Contexts;
  const LockGuard lock(all.mutex);
  const auto found = all.made.find(device.id);
  if (found != all.made.end()) return found->second;
  Result<cl_context> made = make_context(device);
  if (made) all.made.emplace(device.id, made.value());
  return made;
}

}  // namespace troupe::platform
