#include "opencl/objects/queue.hpp"

#include <algorithm>

#include "opencl/objects/environment.hpp"

namespace troupe::opencl {
namespace {

constexpr cl_command_queue_properties kOffered = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
/// Flags for queues on devices. They are in the standard, but Troupe does not offer such queues.
constexpr cl_command_queue_properties kOfLaterVersions = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;

}  // namespace

QueueProperties QueueProperties::of_bits(cl_command_queue_properties bits) {
  require((bits & ~(kOffered | kOfLaterVersions)) == 0, CL_INVALID_VALUE);
  require((bits & kOfLaterVersions) == 0, CL_INVALID_QUEUE_PROPERTIES);
  return {bits, {}};
}

QueueProperties QueueProperties::of_list(const cl_queue_properties* list) {
  QueueProperties properties;
  if (list == nullptr) return properties;
  std::vector<cl_queue_properties> seen;
  const auto* entry = list;
  for (; *entry != 0; entry += 2) {
    require(std::ranges::find(seen, entry[0]) == seen.end(), CL_INVALID_VALUE);
    seen.push_back(entry[0]);
    // CL_QUEUE_SIZE is for queues on devices only.
    require(entry[0] != CL_QUEUE_SIZE, CL_INVALID_QUEUE_PROPERTIES);
    require(entry[0] == CL_QUEUE_PROPERTIES, CL_INVALID_VALUE);
    properties.bits = of_bits(entry[1]).bits;
  }
  properties.list.assign(list, entry + 1);
  return properties;
}

Queue::Queue(Context& context, Device* device, QueueProperties properties)
    : context_(&context),
      device_(device),
      anywhere_(device == nullptr || wants_context_queues()),
      properties_(std::move(properties)) {
  require(device == nullptr || context.has(*device), CL_INVALID_DEVICE);
}

const std::vector<RealDevice*>& Queue::real_devices() const {
  return anywhere_ ? context_->real_devices() : device_->real();
}

void Queue::info(cl_command_queue_info what, const Info& answer) {
  switch (what) {
    case CL_QUEUE_CONTEXT: return answer.value(context_->handle());
    case CL_QUEUE_DEVICE: return answer.value(device_ != nullptr ? device_->handle() : nullptr);
    case CL_QUEUE_REFERENCE_COUNT: return answer.value(user_references());
    case CL_QUEUE_PROPERTIES: return answer.value(properties_.bits);
    case CL_QUEUE_PROPERTIES_ARRAY: return answer.list(std::span(properties_.list));
    case CL_QUEUE_DEVICE_DEFAULT: return answer.value(cl_command_queue{nullptr});
    // CL_QUEUE_SIZE is for queues on devices only.
    case CL_QUEUE_SIZE: throw Refusal(CL_INVALID_COMMAND_QUEUE);
    default: throw Refusal(CL_INVALID_VALUE);
  }
}

}  // namespace troupe::opencl
