#include "graph/cancellation.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>

namespace troupe::graph {

namespace {

using Clock = std::chrono::steady_clock;

/// Returns a text such as "12 ms".
std::string rounded(Clock::duration duration) {
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
  if (us < 10'000) return std::to_string(us) + " us";
  return us < 10'000'000 ? std::to_string(us / 1'000) + " ms" : std::to_string(us / 1'000'000) + " s";
}

/// Returns why a task with a deadline or a stop token is not wanted any more, or `none`.
Withdrawal passed_limit(const TaskExtras& limits) noexcept {
  if (limits.stop.stop_requested()) return Withdrawal::told_of_stop;
  // The clock is read only if there is a deadline.
  if (limits.deadline == Clock::time_point::max() || Clock::now() < limits.deadline) return Withdrawal::none;
  return Withdrawal::told_of_deadline;
}

/// Asks to stop if one of two tokens does.
struct EitherToken {
  StopToken one;
  StopToken other;
  [[nodiscard]] bool stop_requested() const noexcept { return one.stop_requested() || other.stop_requested(); }
};

/// Returns true if the program has cancelled a run of a recording to which the task, or a nested task around it,
/// belongs. Called while the task runs, so the recording's run cannot end meanwhile.
bool run_was_cancelled(const Task& task) noexcept {
  const Task* const run = run_around(task);
  return run != nullptr && run->withdrawn.load(std::memory_order_relaxed) == Withdrawal::by_program;
}

}  // namespace

Withdrawal why_unwanted(const GraphState& graph, const Task& task) noexcept {
  const Withdrawal withdrawn = task.withdrawn.load(std::memory_order_relaxed);
  if (withdrawn >= Withdrawal::told_of_program) return withdrawn;
  const std::uint64_t below = graph.cancelled.below();
  if (task.id.load(std::memory_order_relaxed) < below) return Withdrawal::told_of_all;
  if (withdrawn == Withdrawal::by_program) return Withdrawal::told_of_program;
  if (task.nesting.is_child && graph.nesting.any_cancelled.load(std::memory_order_relaxed) &&
      parent_gave_up(task, below)) {
    return Withdrawal::told_of_parent;
  }
  return withdrawn == Withdrawal::limited ? passed_limit(*task.extras) : withdrawn;
}

std::string text_of(const GraphState& graph, Withdrawal reason, const Task& task, const char* until) {
  switch (reason) {
    case Withdrawal::told_of_all: return graph.cancelled.why();
    case Withdrawal::told_of_run: return "the program cancelled the run of the recorded graph";
    case Withdrawal::told_of_parent: return "the nested task that it belongs to failed or was cancelled";
    case Withdrawal::told_of_stop: return "a stop was requested of its token";
    case Withdrawal::told_of_deadline:
      // `std::max`: for a deadline far before the clock's zero, the difference would be too large for its type.
      return "its deadline passed " + rounded(Clock::now() - std::max(task.extras->deadline, Clock::time_point{})) +
             " before " + until;
    default: return "the program cancelled it";
  }
}

bool tell_if_cancelled(const GraphState& graph, const Task& task) noexcept {
  Withdrawal reason = why_unwanted(graph, task);
  if (reason == Withdrawal::none && run_was_cancelled(task)) reason = Withdrawal::told_of_run;
  // A device may run the task although a predecessor is about to fail on the same device. `begin_after_running` then
  // ends the task.
  if (reason == Withdrawal::none || reason == Withdrawal::by_predecessor) return false;
  if (task.told()) return true;
  // The cast is allowed because the task belongs to this graph; the task is const only for the code that runs it.
  // Relaxed: the end of the kernel orders these stores before `complete`, which reads the reason if `has_more` is true.
  // Several threads of the kernel may be here at once; the reason of the last thread counts.
  Task& told = const_cast<Task&>(task);
  told.withdrawn.store(reason, std::memory_order_relaxed);
  std::atomic_ref<bool>(told.has_more).store(true, std::memory_order_relaxed);
  return true;
}

FailureLog::Cause why_withdrawn(const GraphState& graph, const Task& task) {
  // The program cannot cancel a combining task, because it combines the results of tasks that have run. If one of the
  // reducing tasks was cancelled, the data are marked as not valid.
  if (graph.own_codelets.combines(task)) return nullptr;
  // These tasks must run: else a coroutine would never end, or a new part would not get the content of former parts.
  if (graph.own_codelets.is_section(task) || graph.own_codelets.divides(task)) {
    return nullptr;
  }
  const Withdrawal reason = why_unwanted(graph, task);
  if (reason == Withdrawal::none) return nullptr;
  if (reason == Withdrawal::by_predecessor) return follows_a_failure(task);
  return std::make_shared<Failure>(Failure{
      ErrorCode::cancelled, describe(task) + " was cancelled: " + text_of(graph, reason, task, "its turn came")});
}

FailureLog::Cause why_cut_short(const GraphState& graph, const Task& task) {
  const Withdrawal reason = task.withdrawn.load(std::memory_order_relaxed);
  return std::make_shared<Failure>(
      Failure{ErrorCode::cancelled, describe(task) + " was cancelled while it ran, and its kernel was told: " +
                                        text_of(graph, reason, task, "the kernel returned")});
}

FailureLog::Cause follows_a_failure(const Task& task) {
  return std::make_shared<Failure>(Failure{
      ErrorCode::cancelled, describe(task) + " was cancelled: a task that it was to run after did not succeed"});
}

Refusal why_cancelled(GraphState& graph, Task& task) {
  if (graph.failures.any_poison()) {
    if (const auto gone = why_abandoned(graph, task)) {
      return {
          std::make_shared<Failure>(Failure{ErrorCode::cancelled, describe(task) + " was cancelled: " + gone->message}),
          gone};
    }
  }
  if (const auto cause = why_withdrawn(graph, task)) return {cause, cause};
  return why_input_missing(graph, task);
}

Refusal why_input_missing(GraphState& graph, const Task& task) {
  if (!graph.failures.any_poison()) return {};
  Refusal refusal = why_invalid(graph, task);
  if (refusal.cause) {
    refusal.cause = std::make_shared<Failure>(
        Failure{ErrorCode::cancelled, describe(task) + " was cancelled: " + refusal.cause->message});
  }
  return refusal;
}

void inherit_limits(Task& task) {
  const TaskExtras* const around = task.outer_domain()->parent.extras.get();
  if (around == nullptr) return;
  const bool stops = around->stop.stop_possible();
  if (!stops && around->deadline == Clock::time_point::max()) return;
  if (!task.extras) task.extras = std::make_unique<TaskExtras>();
  task.has_more = true;
  task.withdrawn.store(Withdrawal::limited, std::memory_order_relaxed);
  TaskExtras& own = *task.extras;
  own.deadline = std::min(own.deadline, around->deadline);
  if (!stops) return;
  own.stop = own.stop.stop_possible() ? StopToken(EitherToken{own.stop, around->stop}) : around->stop;
}

void cancel_children(GraphState& graph, Domain& domain) {
  domain.cancelled.store(true, std::memory_order_relaxed);
  graph.nesting.any_cancelled.store(true, std::memory_order_relaxed);
}

}  // namespace troupe::graph
