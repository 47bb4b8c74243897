#include "opencl/objects/context.hpp"

#include <algorithm>
#include <utility>

#include "opencl/commands/worker_scope.hpp"

namespace troupe::opencl {
namespace {

std::vector<Device*> each_once(const std::vector<Device*>& devices) {
  std::vector<Device*> kept;
  for (Device* device : devices) {
    if (std::ranges::find(kept, device) == kept.end()) kept.push_back(device);
  }
  return kept;
}

std::vector<RealDevice*> behind(const std::vector<Device*>& devices) {
  std::vector<RealDevice*> real;
  for (const Device* device : devices) real.insert(real.end(), device->real().begin(), device->real().end());
  std::ranges::sort(real, {}, &Device::number);
  real.erase(std::unique(real.begin(), real.end()), real.end());
  return real;
}

}  // namespace

Context::Context(ContextProperties properties, std::vector<Device*> devices, ErrorNotification notification)
    : properties_(std::move(properties)),
      devices_(each_once(devices)),
      real_devices_(behind(devices_)),
      notification_(notification) {
  for (const Device* device : devices_) largest_buffer_ = std::max(largest_buffer_, device->largest_buffer());
}

Context::~Context() {
  if (callbacks_.empty()) return;
  run_program_functions([self = handle(), callbacks = std::move(callbacks_)] {
    for (auto callback = callbacks.rbegin(); callback != callbacks.rend(); ++callback) {
      callback->function(self, callback->user_data);
    }
  });
}

bool Context::has(const Device& device) const { return std::ranges::find(devices_, &device) != devices_.end(); }

void Context::notify(const std::string& message) const {
  if (notification_.function == nullptr) return;
  notification_.function(message.c_str(), nullptr, 0, notification_.user_data);
}

void Context::on_destruction(Callback function, void* user_data) {
  const LockGuard lock(mutex_);
  callbacks_.push_back({function, user_data});
}

void Context::info(cl_context_info what, const Info& answer) {
  switch (what) {
    case CL_CONTEXT_REFERENCE_COUNT: return answer.value(user_references());
    case CL_CONTEXT_NUM_DEVICES: return answer.value(static_cast<cl_uint>(devices_.size()));
    case CL_CONTEXT_DEVICES: {
      std::vector<cl_device_id> handles;
      for (Device* device : devices_) handles.push_back(device->handle());
      return answer.list(std::span<const cl_device_id>(handles));
    }
    case CL_CONTEXT_PROPERTIES: return answer.list(std::span(properties_.list));
    default: throw Refusal(CL_INVALID_VALUE);
  }
}

}  // namespace troupe::opencl
