#include "platform/opencl/opencl_contexts.hpp"

#include <CL/cl_icd.h>

#include <array>
#include <map>

#include "platform/opencl/opencl_error.hpp"
#include "platform/opencl/opencl_unbound.hpp"
#include "proto/mutex.hpp"

namespace troupe::platform {

namespace {

/// Never destroyed.
struct Contexts {
  Mutex mutex;
  std::map<cl_device_id, cl_context> all TROUPE_GUARDED_BY(mutex);
};

}  // namespace

Result<_cl_context*> opencl_context(const OpenClDevice& device) {
  static auto* const contexts = new Contexts;
  const LockGuard lock(contexts->mutex);
  cl_context& context = contexts->all[device.id];
  if (context != nullptr) return context;
  const auto unbound = unbound_for_drivers();
  const std::array<cl_context_properties, 3> properties{CL_CONTEXT_PLATFORM,
                                                        reinterpret_cast<cl_context_properties>(device.platform), 0};
  cl_int status = CL_SUCCESS;
  context = device.api->clCreateContext(properties.data(), 1, &device.id, nullptr, nullptr, &status);
  if (status == CL_SUCCESS) return context;
  context = nullptr;
  return Failure{ErrorCode::platform, "OpenCL device " + std::to_string(device.index) + " (" + device.name +
                                          ") cannot be used: its driver makes no context: " + opencl_error(status)};
}

}  // namespace troupe::platform
