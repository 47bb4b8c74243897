#include "platform/opencl/opencl_contexts.hpp"

#include <CL/cl_icd.h>
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <thread>

#include "platform/opencl/opencl_error.hpp"
#include "platform/opencl/opencl_unbound.hpp"
#include "proto/mutex.hpp"

namespace troupe::platform {

namespace {

std::atomic<bool> all_are_kept{false};

Result<OpenClContext> make_context(const OpenClDevice& device) {
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(device.platform), 0};
  cl_int status = CL_SUCCESS;
  cl_context context = nullptr;
  std::thread([&] {
    const auto unbound = unbind_for_drivers();
    context = device.api->clCreateContext(properties, 1, &device.id, nullptr, nullptr, &status);
  }).join();
  if (status == CL_SUCCESS && context != nullptr) {
    // `keep_opencl_contexts` is registered after the driver was loaded. So at the end of the process it is called
    // before the functions that the driver has registered.
    static const int at_end = std::atexit(keep_opencl_contexts);
    (void)at_end;
    return OpenClContext(context, [api = device.api](cl_context last) {
      if (!all_are_kept.load() && api->clReleaseContext != nullptr) (void)api->clReleaseContext(last);
    });
  }
  return Failure{ErrorCode::platform, fmt::format("OpenCL device {} ({}): making a context failed: {}", device.index,
                                                  device.name, opencl_error(status))};
}

struct Contexts {
  Mutex mutex;
  // The map is used for look-ups only. Nothing depends on the order of its keys, which are addresses.
  std::map<const _cl_device_id*, std::weak_ptr<_cl_context>> made TROUPE_GUARDED_BY(mutex);
};

}  // namespace

Result<OpenClContext> opencl_context(const OpenClDevice& device) {
  // The object is never destroyed: threads may ask for a context while the process ends, and drivers may be gone then.
  static Contexts& all = *new Contexts;
  const LockGuard lock(all.mutex);
  std::weak_ptr<_cl_context>& known = all.made[device.id];
  if (OpenClContext there = known.lock()) return there;
  Result<OpenClContext> made = make_context(device);
  if (made) known = made.value();
  return made;
}

void keep_opencl_contexts() { all_are_kept = true; }

}  // namespace troupe::platform
