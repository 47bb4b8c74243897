/// Command queues on one device, on a unified device, or on all devices of a context.
#pragma once

#include <memory>
#include <vector>

#include "opencl/commands/queue_order.hpp"
#include "opencl/objects/context.hpp"

namespace troupe::opencl {

/// The properties that a program requests for a queue.
struct QueueProperties {
  cl_command_queue_properties bits = 0;
  /// The program's list for clCreateCommandQueueWithProperties, with its terminating zero; empty if there was none.
  std::vector<cl_queue_properties> list;

  /// Both functions refuse unknown properties with CL_INVALID_VALUE, and properties that are not offered with
  /// CL_INVALID_QUEUE_PROPERTIES.
  [[nodiscard]] static QueueProperties of_bits(cl_command_queue_properties bits);
  [[nodiscard]] static QueueProperties of_list(const cl_queue_properties* list);
};

class Queue : public Counted<Queue, _cl_command_queue, ObjectType::queue, CL_INVALID_COMMAND_QUEUE> {
 public:
  /// Makes a queue. A null `device` makes a context queue, whose commands may run on every device of the context. If
  /// the user has set SOCL_FORCE_DYNAMIC, every queue is a context queue, even if the program names a device.
  Queue(Context& context, Device* device, QueueProperties properties);

  [[nodiscard]] Context& context() const { return *context_; }
  [[nodiscard]] Device* device() const { return device_; }
  /// Returns the real devices on which the queue's commands may run.
  [[nodiscard]] const std::vector<RealDevice*>& real_devices() const;
  [[nodiscard]] bool in_order() const { return (properties_.bits & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0; }
  [[nodiscard]] bool profiling() const { return (properties_.bits & CL_QUEUE_PROFILING_ENABLE) != 0; }

  /// Returns the order of the queue's commands.
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
