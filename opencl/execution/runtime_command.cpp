#include "opencl/execution/runtime_command.hpp"

#include <CL/cl.h>

#include <algorithm>
#include <utility>

#include "opencl/commands/worker_scope.hpp"
#include "opencl/objects/report.hpp"

namespace troupe::opencl {

RuntimeCommand::RuntimeCommand(Queue& queue, std::shared_ptr<EventState> event)
    : Command(std::move(event)), queue_(&queue) {}

void RuntimeCommand::use(Memory& memory, AccessMode mode) {
  Memory& whole = memory.whole();
  const auto known = std::ranges::find(uses_, &whole, [](const Use& one) { return one.memory.get(); });
  if (known == uses_.end()) {
    uses_.push_back({Ref(&whole), mode});
  } else if (known->mode != mode) {
    known->mode = AccessMode::read_write;
  }
}

void RuntimeCommand::submit(const std::vector<std::shared_ptr<Command>>& awaited) {
  std::vector<std::shared_ptr<Command>> before = awaited;
  Context& context = queue_->context();
  for (const HostRange& range : ranges_) context.host_ranges().add(shared_from_this(), range, before);
  std::vector<Future> after;
  for (const std::shared_ptr<Command>& one : before) {
    after.push_back(static_cast<RuntimeCommand&>(*one).future_);
  }
  submit_tasks(after);
}

void RuntimeCommand::submit_task(const std::vector<Future>& after, std::span<const Use> uses,
                                 std::vector<Access> more) {
  TaskOptions options;
  options.devices = devices();
  options.after = after;
  std::vector<Access> accesses;
  for (const Use& one : uses) {
    accesses.push_back(one.memory->storage().access(one.mode));
    accessed_.push_back(one.memory.get());
  }
  accesses.insert(accesses.end(), more.begin(), more.end());
  options.callback = [self = std::static_pointer_cast<RuntimeCommand>(shared_from_this())](const TaskOutcome& outcome) {
    self->ended(outcome);
  };
  RuntimeCommand* const self = this;
  future_ = queue_->context().execution()->runtime().submit(codelet(), accesses, args(self), options);
}

Codelet RuntimeCommand::command_codelet(const std::string& name, KindSet kinds) {
  return codelet_with<RuntimeCommand*>(name, kinds, run_task).footprint([](const KernelContext& context) {
    return context.argument<RuntimeCommand*>(0)->footprint();
  });
}

void RuntimeCommand::run_task(const KernelContext& context) {
  RuntimeCommand& command = *context.argument<RuntimeCommand*>(0);
  command.started_ = EventState::now();
  if (command.awaited_failure()) {
    command.status_ = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return;
  }
  command.event()->advance(CL_RUNNING);
  command.status_ = command.run(context);
}

void RuntimeCommand::ended(const TaskOutcome& outcome) {
  int status = status_;
  if (outcome.status != TaskStatus::succeeded) {
    status = CL_OUT_OF_RESOURCES;
    // If the task did not fail itself, an earlier failure is the cause, which has usually been reported already.
    if (outcome.status == TaskStatus::failed || !has_reported()) {
      report_once(codelet().name(), "a command has failed: " + outcome.message);
    }
  }
  const WorkerScope scope;
  const std::uint64_t started = note_end(status, started_);
  const std::shared_ptr<QueueOrder> order = queue_->order();
  drop();
  uses_.clear();
  queue_ = {};
  order->end(*this, status, started);
}

std::byte* RuntimeCommand::begin_of(const KernelContext& context, Memory& memory) const {
  const auto at = std::ranges::find(accessed_, &memory.whole());
  return context.data(static_cast<std::size_t>(at - accessed_.begin())).data + memory.offset();
}

}  // namespace troupe::opencl
