/// Command queues: on one device, on the unified one, or on all of a context's.
#pragma once

#include <memory>
#include <vector>

#include "opencl/commands/queue_order.hpp"
#include "opencl/objects/context.hpp"

namespace troupe::opencl {

/// What a program asks of a queue.
struct QueueProperties {
  cl_command_queue_properties bits = 0;
  /// The list of clCreateCommandQueueWithProperties as given, with its terminating zero; empty if none was.
  std::vector<cl_queue_properties> list;

  /// Refuse with CL_INVALID_VALUE what is not known, and with CL_INVALID_QUEUE_PROPERTIES what is not offered.
  [[nodiscard]] static QueueProperties of_bits(cl_command_queue_properties bits);
  [[nodiscard]] static QueueProperties of_list(const cl_queue_properties* list);
};

class Queue : public Counted<Queue, _cl_command_queue, ObjectType::queue, CL_INVALID_COMMAND_QUEUE> {
 public:
  /// `device` null: a context queue, whose commands may run on every device of the context. So may those of all queues
  /// where the user has set SOCL_FORCE_DYNAMIC, whatever device the program names.
  Queue(Context& context, Device* device, QueueProperties properties);

  [[nodiscard]] Context& context() const { return *context_; }
  [[nodiscard]] Device* device() const { return device_; }
  /// The real devices that its commands may run on.
  [[nodiscard]] const std::vector<RealDevice*>& real_devices() const;
  [[nodiscard]] bool in_order() const { return (properties_.bits & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0; }
  [[nodiscard]] bool profiling() const { return (properties_.bits & CL_QUEUE_PROFILING_ENABLE) != 0; }

  /// Its commands.
  [[nodiscard]] const std::shared_ptr<QueueOrder>& order() const { return order_; }

  void info(cl_command_queue_info what, const Info& answer);

 private:
  const Ref<Context> context_;
  Device* const device_;
  const bool anywhere_;
  const QueueProperties properties_;
  const std::shared_ptr<QueueOrder> order_ = std::make_shared<QueueOrder>(in_order());
};

}  // namespace troupe::opencl
