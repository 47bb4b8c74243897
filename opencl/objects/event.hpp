/// Events: what a program holds of a command, and events that it completes itself.
#pragma once

#include <array>
#include <atomic>

#include "opencl/objects/context.hpp"
#include "opencl/objects/queue.hpp"

namespace troupe::opencl {

/// How far a command is, and when it got there. Whoever runs the command moves it on.
class Event : public Counted<Event, _cl_event, ObjectType::event, CL_INVALID_EVENT> {
 public:
  /// Of a command.
  Event(Queue& queue, cl_command_type type) : context_(&queue.context()), queue_(&queue), type_(type) {}
  /// A user event: submitted until the program sets its status.
  explicit Event(Context& context) : context_(&context), type_(CL_COMMAND_USER), status_(CL_SUBMITTED) {}

  [[nodiscard]] Context& context() const { return *context_; }
  /// Null for a user event.
  [[nodiscard]] Queue* queue() const { return queue_.get(); }
  [[nodiscard]] cl_command_type type() const { return type_; }
  /// CL_QUEUED, CL_SUBMITTED, CL_RUNNING, CL_COMPLETE, or an error's code, which is negative.
  [[nodiscard]] cl_int status() const { return status_.load(std::memory_order_acquire); }

  void info(cl_event_info what, const Info& answer);

 private:
  const Ref<Context> context_;
  const Ref<Queue> queue_;
  const cl_command_type type_;
  std::atomic<cl_int> status_{CL_QUEUED};
};

}  // namespace troupe::opencl
