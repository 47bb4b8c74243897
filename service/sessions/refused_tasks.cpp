#include "service/sessions/refused_tasks.hpp"

#include <utility>

namespace troupe::service {

Failure RefusedTasks::take(Entries& entries, std::uint64_t number) {
  const LockGuard lock(entries.mutex);
  const auto found = entries.by_number.find(number);
  if (found == entries.by_number.end()) return {ErrorCode::cancelled, "the task was refused"};
  if (found->second.keep) return found->second.failure;
  Failure failure = std::move(found->second.failure);
  entries.by_number.erase(found);
  return failure;
}

Codelet RefusedTasks::codelet(const std::string& name) {
  const LockGuard lock(codelets_mutex_);
  const auto found = codelets_.find(name);
  if (found != codelets_.end()) return found->second;
  const Kernel fail = [entries = entries_](const KernelContext& context) {
    throw Error(take(*entries, context.argument<std::uint64_t>(0)));
  };
  Codelet codelet = Codelet::variadic(name);
  codelet.implement(DeviceKind::cpu_core, fail);
  codelets_.emplace(name, codelet);
  return codelet;
}

std::uint64_t RefusedTasks::add(Failure failure, bool keep) {
  const LockGuard lock(entries_->mutex);
  const std::uint64_t number = entries_->next++;
  entries_->by_number.emplace(number, Entry{std::move(failure), keep});
  return number;
}

void RefusedTasks::forget(std::uint64_t number) {
  const LockGuard lock(entries_->mutex);
  entries_->by_number.erase(number);
}

}  // namespace troupe::service
