#include "graph/tasks/failure_log.hpp"

#include <algorithm>
#include <iterator>

namespace troupe::graph {

namespace {
/// The number of failures that a summary lists with their texts.
constexpr std::size_t kSpelledOut = 8;
}  // namespace

void FailureLog::insert(std::uint64_t id, TaskStatus status) {
  auto after = unsuccessful_.upper_bound(id);
  if (after != unsuccessful_.begin()) {
    auto before = std::prev(after);
    if (before->second.last + 1 == id && before->second.status == status) {
      before->second.last = id;
      if (after != unsuccessful_.end() && after->first == id + 1 && after->second.status == status) {
        before->second.last = after->second.last;
        unsuccessful_.erase(after);
      }
      return;
    }
  }
  if (after != unsuccessful_.end() && after->first == id + 1 && after->second.status == status) {
    const Interval interval = after->second;
    unsuccessful_.erase(after);
    unsuccessful_.emplace(id, interval);
    return;
  }
  unsuccessful_.emplace(id, Interval{id, status});
}

void FailureLog::note_ending(TaskId task, TaskStatus status, const Cause& cause, const Cause& origin) {
  insert(task.value(), status);
  if (details_.size() >= kDetails && details_are_old_) {
    details_.clear();
    details_are_old_ = false;
  }
  if (details_.size() < kDetails) details_.emplace(task.value(), Detail{cause, origin});
}

void FailureLog::task_ended_quietly(TaskId task, TaskStatus status, const Cause& cause, const Cause& origin) {
  const LockGuard lock(mutex_);
  note_ending(task, status, cause, origin);
}

void FailureLog::task_ended(TaskId task, TaskStatus status, const Cause& cause, const Cause& origin) {
  const LockGuard lock(mutex_);
  note_ending(task, status, cause, origin);
  if (status == TaskStatus::failed) {
    note_untold(origin);
  } else if (origin != nullptr && origin->code == ErrorCode::cancelled && untold_cancellations_.size() < kDetails) {
    untold_cancellations_.push_back(origin);
  }
  ++(status == TaskStatus::failed ? failed_ : cancelled_);
  // A cancellation is listed only if it comes first, because other cancellations follow from failures.
  if (status == TaskStatus::failed || first_.empty()) {
    if (first_.size() < kSpelledOut) first_.push_back(*cause);
  }
}

void FailureLog::add(Failure failure) {
  const LockGuard lock(mutex_);
  ++other_;
  note_untold(std::make_shared<const Failure>(failure));
  if (first_.size() < kSpelledOut) first_.push_back(std::move(failure));
}

void FailureLog::note_untold(const Cause& origin) {
  // A run of a recording fails for the reason for which one of its tasks failed, so the reason may be in the list.
  if (std::find(untold_.begin(), untold_.end(), origin) != untold_.end()) return;
  if (untold_.size() < kDetails) {
    untold_.push_back(origin);
  } else {
    ++untold_beyond_;
  }
}

void FailureLog::erase_told(const Cause& origin) {
  if (origin != nullptr) {
    std::erase(untold_, origin);
    std::erase(untold_cancellations_, origin);
    return;
  }
  untold_.clear();
  untold_cancellations_.clear();
  untold_beyond_ = 0;
}

void FailureLog::told(const Cause& origin) {
  const LockGuard lock(mutex_);
  erase_told(origin);
}

std::unique_ptr<Failure> FailureLog::untold() const {
  const LockGuard lock(mutex_);
  const std::uint64_t count = untold_.size() + untold_beyond_;
  if (count == 0) return nullptr;
  if (untold_.empty()) {
    return std::make_unique<Failure>(Failure{ErrorCode::kernel_failed, std::to_string(count) + " failures"});
  }
  auto text = std::make_unique<Failure>(*untold_.front());
  if (count > 1) text->message += "; and " + std::to_string(count - 1) + " more";
  return text;
}

TaskStatus FailureLog::status_of(TaskId task) const {
  const LockGuard lock(mutex_);
  const auto after = unsuccessful_.upper_bound(task.value());
  if (after == unsuccessful_.begin()) return TaskStatus::succeeded;
  const auto& [first, interval] = *std::prev(after);
  return task.value() <= interval.last ? interval.status : TaskStatus::succeeded;
}

Failure FailureLog::failure_of(TaskId task) {
  {
    const LockGuard lock(mutex_);
    if (const auto found = details_.find(task.value()); found != details_.end()) erase_told(found->second.origin);
  }
  return look_at(task);
}

Failure FailureLog::look_at(TaskId task) const {
  {
    const LockGuard lock(mutex_);
    if (const auto found = details_.find(task.value()); found != details_.end()) return *found->second.cause;
  }
  const TaskStatus status = status_of(task);
  const auto code = status == TaskStatus::failed ? ErrorCode::kernel_failed : ErrorCode::cancelled;
  return {code, "task " + std::to_string(task.value()) + " " + to_string(status) + " (details are kept for the first " +
                    std::to_string(kDetails) + " tasks only)"};
}

void FailureLog::poison(HandleId handle, const Cause& cause) {
  const LockGuard lock(mutex_);
  poisoned_[handle] = cause;
  // The release store pairs with the acquire load in `any_poison`, for readers that nothing else orders after this
  // call.
  any_poison_.store(true, std::memory_order_release);
}

void FailureLog::cure(HandleId handle) {
  const LockGuard lock(mutex_);
  poisoned_.erase(handle);
  if (poisoned_.empty()) any_poison_.store(false, std::memory_order_relaxed);
}

FailureLog::Cause FailureLog::poison_of(HandleId handle) const {
  const LockGuard lock(mutex_);
  const auto found = poisoned_.find(handle);
  return found == poisoned_.end() ? nullptr : found->second;
}

std::unique_ptr<Failure> FailureLog::take_summary(Summary what) {
  const LockGuard lock(mutex_);
  if (failed_ + cancelled_ + other_ == 0) {
    details_are_old_ = true;  // there may be details of tasks that summaries do not mention
    return nullptr;
  }
  auto summary = std::make_unique<Failure>(first_.front());
  if (failed_ + cancelled_ + other_ > 1) {
    std::string counts;
    const auto count = [&counts](std::uint64_t number, const char* what) {
      if (number == 0) return;
      counts += (counts.empty() ? "" : ", ") + std::to_string(number) + what;
    };
    count(failed_, failed_ == 1 ? " task failed" : " tasks failed");
    count(cancelled_, cancelled_ == 1 ? " task was cancelled" : " tasks were cancelled");
    count(other_, other_ == 1 ? " other failure" : " other failures");  // failures of callbacks, policies and copies
    summary->message = counts + ": ";
    for (std::size_t i = 0; i < first_.size(); ++i) summary->message += (i == 0 ? "" : "; ") + first_[i].message;
    // Cancellations are only counted here. The text of a cancellation is in the list only if no task had failed before
    // it.
    const std::uint64_t failures = failed_ + other_;
    if (failures > first_.size()) summary->message += "; and " + std::to_string(failures - first_.size()) + " more";
  }
  const bool told = failed_ + other_ > 0 && untold_.empty() && untold_beyond_ == 0 && untold_cancellations_.empty();
  failed_ = cancelled_ = other_ = 0;
  erase_told(nullptr);
  details_are_old_ = true;
  first_.clear();
  if (told && what == Summary::untold) return nullptr;
  return summary;
}

}  // namespace troupe::graph
