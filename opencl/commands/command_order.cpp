#include "opencl/commands/command_order.hpp"

#include <CL/cl.h>

#include <algorithm>
#include <new>
#include <utility>

namespace troupe::opencl {

bool Command::awaited_failure() const {
  return std::ranges::any_of(awaited_, [](const Awaited& one) {
    return one.command ? one.command->outcome() < 0 : one.user_event->status() < 0;
  });
}

int CommandOrder::enqueue(const std::shared_ptr<Command>& command, const std::shared_ptr<QueueOrder>& queue,
                          std::vector<Awaited> awaited, Before before) {
  const LockGuard lock(mutex_);
  command->number_ = ++last_number_;
  command->queue_ = queue;
  command->awaited_ = std::move(awaited);
  wait_for_queue(*command, *queue, before);
  for (const Awaited& one : command->awaited_) hold(command, one);
  for (const std::shared_ptr<Command>& one : command->behind_) hold(command, {one, nullptr});
  // The command may run before the last command of the queue has ended. But while the last command is held back, this
  // command is held back, too.
  if (const std::shared_ptr<Command> last = queue->in_order() ? queue->last() : nullptr) hold(command, {last, nullptr});
  queue->add(command);
  if (command->holds_ == 0) return submit(command);
  command->held_ = true;
  ++held_;
  return CL_SUCCESS;
}

void CommandOrder::wait_for_queue(Command& command, QueueOrder& queue, Before before) {
  // In an in-order queue, the event of a command waits for all earlier commands in any case.
  if (queue.in_order()) return;
  if (before == Before::all || before == Before::all_and_hold_later) {
    command.behind_ = queue.outstanding();
  } else if (const std::shared_ptr<Command> barrier = queue.barrier_.lock(); barrier != nullptr && !barrier->ended()) {
    command.behind_ = {barrier};
  }
  if (before == Before::hold_later || before == Before::all_and_hold_later) queue.barrier_ = command.weak_from_this();
}

void CommandOrder::hold(const std::shared_ptr<Command>& command, const Awaited& awaited) {
  if (awaited.user_event != nullptr) {
    if (awaited.user_event->ended()) return;
    by_user_event_[awaited.user_event.get()].push_back(command);
  } else {
    if (!awaited.command->held_) return;
    awaited.command->dependents_.push_back(command);
  }
  ++command->holds_;
}

bool CommandOrder::set(EventState& user_event, int status) {
  const LockGuard lock(mutex_);
  if (!user_event.end(status)) return false;
  Ordered free;
  const auto waiting = by_user_event_.extract(&user_event);
  if (!waiting.empty()) {
    for (const std::shared_ptr<Command>& command : waiting.mapped()) let_go(command, free);
  }
  // Each submission may allow the submission of later commands.
  while (!free.empty()) {
    const std::shared_ptr<Command> first = free.extract(free.begin()).mapped();
    (void)submit(first);
    for (const std::shared_ptr<Command>& command : std::exchange(first->dependents_, {})) let_go(command, free);
  }
  return true;
}

void CommandOrder::let_go(const std::shared_ptr<Command>& command, Ordered& free) {
  if (--command->holds_ > 0) return;
  command->held_ = false;
  --held_;
  free.emplace(command->number_, command);
}

int CommandOrder::submit(const std::shared_ptr<Command>& command) {
  std::vector<std::shared_ptr<Command>> running;
  int why = CL_OUT_OF_RESOURCES;
  try {
    for (const Awaited& one : command->awaited_) {
      if (one.command != nullptr && !one.command->ended()) running.push_back(one.command);
    }
    for (const std::shared_ptr<Command>& one : command->behind_) {
      if (!one->ended()) running.push_back(one);
    }
    command->event()->advance(CL_SUBMITTED);
    command->submit(running);
    return CL_SUCCESS;
  } catch (const std::bad_alloc&) {
    why = CL_OUT_OF_HOST_MEMORY;
  } catch (...) {  // `why` keeps its first value.
  }
  // `end` clears the command's pointer to the queue, so the pointer is copied first.
  const std::shared_ptr<QueueOrder> queue = command->queue_;
  queue->end(*command, why);
  return why;
}

std::size_t CommandOrder::held() const {
  const LockGuard lock(mutex_);
  return held_;
}

}  // namespace troupe::opencl
