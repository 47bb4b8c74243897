#include "opencl/commands/queue_order.hpp"

#include <algorithm>
#include <utility>

namespace troupe::opencl {

void QueueOrder::add(std::shared_ptr<Command> command) {
  const LockGuard lock(mutex_);
  command->position_ = gone_ + entries_.size();
  entries_.push_back({std::move(command)});
}

void QueueOrder::end(Command& command, int outcome, std::uint64_t started) {
  // From here on the command and its queue no longer own each other. These variables are declared before the lock, so
  // that the queue, the commands and all that they waited for are destroyed after the lock is released.
  const std::shared_ptr<QueueOrder> self = std::move(command.queue_);
  std::vector<std::shared_ptr<Command>> gone;
  const std::vector<Awaited> awaited = std::exchange(command.awaited_, {});
  const std::vector<std::shared_ptr<Command>> behind = std::exchange(command.behind_, {});
  const LockGuard lock(mutex_);
  entries_[command.position_ - gone_].started = started;
  command.outcome_.store(std::min(outcome, 0), std::memory_order_release);
  gone = complete(command);
}

std::vector<std::shared_ptr<Command>> QueueOrder::complete(Command& command) {
  std::vector<std::shared_ptr<Command>> gone;
  // Events end under the lock, so that no thread sees a later event complete before an earlier event.
  const auto end_event = [&gone](Entry& entry) {
    entry.command->event()->end(entry.command->outcome(), entry.started);
    gone.push_back(std::move(entry.command));
  };
  if (!in_order_) end_event(entries_[command.position_ - gone_]);
  while (!entries_.empty()) {
    Entry& first = entries_.front();
    if (first.command != nullptr) {
      if (!in_order_ || !first.command->ended()) break;
      end_event(first);
    }
    entries_.pop_front();
    ++gone_;
  }
  return gone;
}

std::shared_ptr<Command> QueueOrder::last() const {
  const LockGuard lock(mutex_);
  return entries_.empty() ? nullptr : entries_.back().command;
}

std::vector<std::shared_ptr<Command>> QueueOrder::outstanding() const {
  std::vector<std::shared_ptr<Command>> all;
  const LockGuard lock(mutex_);
  for (const Entry& entry : entries_) {
    if (entry.command != nullptr) all.push_back(entry.command);
  }
  return all;
}

void QueueOrder::finish() const {
  if (in_order_) {
    if (const std::shared_ptr<Command> before = last()) before->event()->wait();
    return;
  }
  for (const std::shared_ptr<Command>& command : outstanding()) command->event()->wait();
}

}  // namespace troupe::opencl
