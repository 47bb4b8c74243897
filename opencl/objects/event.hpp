/// Events: the program's view of commands, and events that the program completes itself.
#pragma once

#include <memory>

#include "opencl/commands/command.hpp"
#include "opencl/objects/context.hpp"
#include "opencl/objects/queue.hpp"

namespace troupe::opencl {

class Event : public Counted<Event, _cl_event, ObjectType::event, CL_INVALID_EVENT> {
 public:
  /// Makes the event of a command.
  Event(Queue& queue, cl_command_type type, std::shared_ptr<Command> command)
      : context_(&queue.context()),
        queue_(&queue),
        type_(type),
        command_(std::move(command)),
        state_(command_->event()) {}
  /// Makes a user event. Its status is CL_SUBMITTED until the program sets another status.
  explicit Event(Context& context)
      : context_(&context), type_(CL_COMMAND_USER), state_(std::make_shared<EventState>(CL_SUBMITTED)) {}

  [[nodiscard]] Context& context() const { return *context_; }
  /// Returns the queue of the command; null for a user event.
  [[nodiscard]] Queue* queue() const { return queue_.get(); }
  [[nodiscard]] cl_command_type type() const { return type_; }
  [[nodiscard]] EventState& state() const { return *state_; }
  [[nodiscard]] const std::shared_ptr<EventState>& shared_state() const { return state_; }
  /// Returns an entry for this event, for the list of events that a command waits for.
  [[nodiscard]] Awaited awaited() const {
    return command_ != nullptr ? Awaited{command_, nullptr} : Awaited{nullptr, state_};
  }

  void info(cl_event_info what, const Info& answer);
  /// Answers a query about times. Refuses with CL_PROFILING_INFO_NOT_AVAILABLE if the queue does not measure times, or
  /// if the command has not ended successfully.
  void profiling_info(cl_profiling_info what, const Info& answer);

 private:
  const Ref<Context> context_;
  const Ref<Queue> queue_;
  const cl_command_type type_;
  const std::shared_ptr<Command> command_;
  const std::shared_ptr<EventState> state_;
};

}  // namespace troupe::opencl
