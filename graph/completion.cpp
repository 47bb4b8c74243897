#include "graph/completion.hpp"

#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "graph/cancellation.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "graph/data/commute_lock.hpp"
#include "graph/nesting/domains.hpp"
#include "graph/nesting/endings.hpp"
#include "graph/recordings.hpp"
#include "graph/task_graph.hpp"
#include "graph/validity.hpp"

namespace troupe::graph {

namespace {

const FailureLog::Cause kNoCause;

/// Records in the log that the task did not succeed.
void note_failure(GraphState& graph, const Task& task, const Completion& completion) {
  if (task.codelet != nullptr && task.codelet->reported_by_futures) {
    graph.failures.task_ended_quietly(task.task_id(), completion.status, completion.cause, completion.poison);
  } else {
    graph.failures.task_ended(task.task_id(), completion.status, completion.cause, completion.poison);
  }
}

/// Returns true if a function has to be called when the task has ended (`CodeletDefinition::ended`).
bool has_end_of_call(const Task& task) { return task.codelet != nullptr && task.codelet->ended != nullptr; }

/// Calls the task's callback, if there is one. Then destroys the callback and the object of
/// `TaskSpecification::kept`.
void call_back(GraphState& graph, Task& task, const Completion& completion) {
  const ExecutionScope scope(&graph.self, completion.worker, &task);
  // Without a callback, only `CodeletDefinition::ended` is called, which is too short to be shown. So the clock is not
  // read.
  const bool lasts = task.extras && task.extras->callback;
  graph.workers.callbacks.begin(completion.slot, task, lasts ? WaitingThreads::now() : TimeStamp{});
  try {
    if (task.extras && task.extras->callback) {
      TaskOutcome outcome{task.task_id(), completion.status, {}};
      if (completion.cause) {
        outcome.message = completion.cause->message;
        outcome.code = completion.cause->code;
        if (task.extras->callback_tells) graph.failures.told(completion.poison);
      }
      task.extras->callback(outcome);
    }
  } catch (const std::exception& error) {
    graph.failures.add({ErrorCode::callback_failed, "the callback of " + describe(task) + " threw: " + error.what()});
  } catch (...) {
    graph.failures.add({ErrorCode::callback_failed, "the callback of " + describe(task) + " threw"});
  }
  // The callback is destroyed here, because the destruction of objects that it has captured may end registrations. A
  // recorded task keeps its callback and its object for the next run.
  if (!task.is_recorded() && task.extras) {
    task.extras->callback = nullptr;
    task.extras->kept = nullptr;
  }
  if (has_end_of_call(task)) task.codelet->ended(task.arguments());
  graph.workers.callbacks.end(completion.slot);
}

/// Does the work of `end_task` for a task outside recordings, but does not count the task.
[[gnu::always_inline]] inline void free_task(GraphState& graph, Task& task, TaskStatus status, std::size_t slot,
                                             TaskList& ready) {
  task.status.store(status, std::memory_order_release);
  // Release publishes the task's effects to a thread that finds the list closed. Acquire makes the edges in the list
  // visible.
  Edge* const newest = task.successors.exchange(Task::closed(), std::memory_order_acq_rel);
  if (newest != nullptr) release_successors(graph, task, newest, status, slot, ready);
  TaskCaches& caches = graph.workers.caches[slot];
  if (task.has_more) [[unlikely]]
    graph.memory.free_more(task, caches);
  graph.memory.tasks.free(caches.tasks, &task);
}

/// Does the work of `end_task` for a task of a recording.
inline void end_recorded(GraphState& graph, RecordedTask& task, const FailureLog::Cause& cause, std::size_t slot,
                         WorkerId worker, TaskList& ready) {
  Recording& recording = *task.recording;
  if (!recording.task_ended(task, {cause, slot, graph.options.dependency_trace}, ready)) [[likely]]
    return;
  end_replay(graph, recording, slot, worker, ready);
}

inline void count_ending(GraphState& graph, std::size_t slot) {
  if ((graph.workers.completed.count(slot) & (graph.waiting.notify_stride - 1)) != 0) [[likely]]
    return;
  graph.workers.completed.publish(slot);
  graph.waiting.notify(graph.window);
}

/// Does the part of `finish_task` that every task needs. The task must not be used afterwards.
void end_task(GraphState& graph, Task& task, const Completion& completion, TaskList& ready) {
  const bool counted = task.role != TaskRole::host;
  const std::uint64_t tag = graph.options.endings == nullptr ? 0
                            : task.nesting.is_child          ? TaskEndings::kChild
                                                             : task.client.tag;
  const std::size_t slot = completion.slot;
  RecordedTask* recorded = task.role == TaskRole::stand_in ? task.extras->stands_for : nullptr;
  if (task.is_recorded()) {
    recorded = static_cast<RecordedTask*>(&task);
  } else {
    free_task(graph, task, completion.status, slot, ready);
  }
  if (recorded != nullptr) end_recorded(graph, *recorded, completion.cause, slot, completion.worker, ready);
  // This call comes before the task is counted, so that after a wait for everything all endings have been reported.
  if (counted && graph.options.endings != nullptr)
    graph.options.endings->ended(tag, completion.status, completion.cause);
  if (counted) count_ending(graph, slot);
}

/// Ends a task that must not run.
Begin end_cancelled(GraphState& graph, Task& task, const Refusal& refusal, WorkerId worker, TaskList& ready) {
  if (Domain* const own = task.own_domain()) {
    own->note({TaskStatus::cancelled, refusal.cause, refusal.origin, true});
    kernel_returned(graph, task, worker, ready);
    return Begin::ended;
  }
  finish_task(graph, task, {TaskStatus::cancelled, refusal.cause, refusal.origin, worker.index(), worker}, ready);
  return Begin::ended;
}

/// Returns and forgets the failure that `accuse` blamed on the task; null if there is none.
FailureLog::Cause take_accusation(Task& task) {
  return task.has_more && task.extras ? std::exchange(task.extras->accusation, nullptr) : nullptr;
}

}  // namespace

Begin begin_special(GraphState& graph, Task& task, WorkerId worker, TaskList& ready) {
  if (task.role == TaskRole::host) {
    // A host task that a worker gets belongs to a submission that was given up.
    finish_task(graph, task, {TaskStatus::succeeded, nullptr, nullptr, worker.index(), worker}, ready);
    return Begin::ended;
  }
  if (task.role == TaskRole::replay) return begin_replay(graph, task, worker, ready);
  if (task.role == TaskRole::recorded_nested) {
    return begin_recorded_nested(graph, static_cast<RecordedTask&>(task), ready);
  }
  if (const Refusal refusal = why_cancelled(graph, task); refusal.cause) {
    if (task.commute.wants) renounce_commute(task, ready);
    return end_cancelled(graph, task, refusal, worker, ready);
  }
  if (task.own_domain() != nullptr) cure_written(graph, task);
  // The task already holds its locks if a worker began the task and then died.
  if (!task.commute.wants || task.commute.holds) return Begin::run;
  if (!acquire_commute(task, ready)) return Begin::parked;
  // A task of the same epoch may have failed, and left the data invalid, before this task got the locks.
  if (const Refusal refusal = why_cancelled(graph, task); refusal.cause)
    return end_cancelled(graph, task, refusal, worker, ready);
  return Begin::run;
}

Begin begin_after_running(GraphState& graph, Task& task, WorkerId worker, TaskList& ready) {
  if (task.withdrawn.load(std::memory_order_relaxed) == Withdrawal::by_predecessor) {
    const auto cause = follows_a_failure(task);
    return end_cancelled(graph, task, {cause, cause}, worker, ready);
  }
  if (const Refusal refusal = why_input_missing(graph, task); refusal.cause) {
    return end_cancelled(graph, task, refusal, worker, ready);
  }
  return Begin::run;
}

void complete_task(GraphState& graph, Task& task, const FailureLog::Cause& cause, WorkerId worker, TaskList& ready) {
  const std::size_t slot = worker.index();
  const bool special = task.has_more || task.commute.holds || task.nesting.is_child || task.role == TaskRole::host;
  if (cause || special || graph.failures.any_poison() || graph.options.endings != nullptr) [[unlikely]] {
    // The kernel of a division does nothing, so the loss of the worker that ran it does no harm.
    const bool harmless = cause && cause->code == ErrorCode::kernel_failed && graph.own_codelets.divides(task);
    FailureLog::Cause why = cause && !harmless ? cause : take_accusation(task);
    // A kernel that was told so may end by the exception of a wait for its children, which were cancelled with it.
    const bool told = task.told() && (!why || why->code == ErrorCode::cancelled);
    if (told) why = why_cut_short(graph, task);
    const TaskStatus status = told ? TaskStatus::cancelled : why ? TaskStatus::failed : TaskStatus::succeeded;
    if (Domain* const own = task.own_domain()) {
      if (why) own->note({status, why, why, true});
      return kernel_returned(graph, task, worker, ready);
    }
    return finish_task(graph, task, {status, why, why, slot, worker}, ready);
  }
  if (task.role == TaskRole::recorded) {
    end_recorded(graph, static_cast<RecordedTask&>(task), kNoCause, slot, worker, ready);
  } else {
    free_task(graph, task, TaskStatus::succeeded, slot, ready);
  }
  count_ending(graph, slot);
  if (graph.nesting.any.load(std::memory_order_relaxed)) [[unlikely]]
    end_parents(graph, slot, worker, ready);
}

void finish_task(GraphState& graph, Task& task, const Completion& completion, TaskList& ready) {
  Domain* const left = finish_alone(graph, task, completion, ready);
  if (left != nullptr) {
    child_ended(graph);
    leave_domain(graph, *left, completion.slot, completion.worker, ready);
  }
  if (graph.nesting.any.load(std::memory_order_relaxed)) end_parents(graph, completion.slot, completion.worker, ready);
}

Domain* finish_alone(GraphState& graph, Task& task, const Completion& completion, TaskList& ready) {
  Domain* const outer = task.outer_domain();
  const bool poisons = completion.status != TaskStatus::succeeded;
  if (poisons) note_failure(graph, task, completion);
  if (poisons && outer != nullptr) outer->note({completion.status, completion.cause, completion.poison, false});
  if ((poisons || graph.failures.any_poison()) && !completion.settled)
    settle_data(graph, task, !poisons, completion.poison);
  if (task.commute.holds) release_commute(task, ready);
  const bool calls_back = task.has_more && task.extras && (task.extras->callback || task.extras->kept != nullptr);
  if (calls_back || has_end_of_call(task)) call_back(graph, task, completion);
  end_task(graph, task, completion, ready);
  return outer;
}

void release_successors(GraphState& graph, const Task& task, Edge* newest, TaskStatus status, std::size_t slot,
                        TaskList& ready) {
  // Successors come in the order of their submission.
  Edge* edge = reversed(newest);
  while (edge != nullptr) {
    // Read now, because the edge's memory may be used again after the decrement below.
    Edge* const next = edge->next_edge();
    if (edge->kind() == Edge::waiter) {
      edge->thread()->signal();
    } else {
      Task* const successor = edge->task();
      if (graph.options.dependency_trace != nullptr) [[unlikely]] {
        // If the kernel of a nested task has just returned, the tasks that are released have not waited for all
        // children.
        const Domain* const own = task.own_domain();
        const bool whole = own != nullptr && own->open.load(std::memory_order_relaxed) == 0;
        graph.options.dependency_trace->released(slot, task.task_id(), successor->task_id(), whole);
      }
      if (edge->kind() == Edge::explicit_dependency && status != TaskStatus::succeeded) {
        successor->withdrawn.store(Withdrawal::by_predecessor, std::memory_order_relaxed);
      }
      // Release publishes this task's effects. Acquire makes the last predecessor see the effects of all predecessors.
      if (successor->pending.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        const bool may_wait = successor->role == TaskRole::host && successor->extras;
        TaskWaiter* const waiter =
            may_wait ? successor->extras->ready_waiter.exchange(nullptr, std::memory_order_acq_rel) : nullptr;
        if (waiter != nullptr) {
          waiter->signal();
        } else if (may_wait && successor->extras->discards) {
          end_discard(graph, *successor, slot, ready);
        } else if (may_wait) {
          end_unused(graph, *successor, slot, ready);
        } else {
          ready.push_back(successor);
        }
      }
    }
    edge = next;
  }
}

void end_unused(GraphState& graph, Task& hold, std::size_t slot, TaskList& ready) {
  for (const Handle& handle : hold.extras->without_content) {
    // A kernel may have replaced parts of a nested task meanwhile.
    DataRecord* const part = handle.record();
    if (!DataRegistry::exists(handle) || part->abandoned.load(std::memory_order_relaxed)) continue;
    poison(graph, *part,
           std::make_shared<Failure>(Failure{ErrorCode::cancelled,
                                             "a call of acquire that was to write it ended without the data, "
                                             "and nothing had written it before"}));
  }
  // Nobody has used the data, so a hold in mode write does not make them valid, either: they count as settled.
  finish_task(graph, hold, {TaskStatus::succeeded, nullptr, nullptr, slot, WorkerId{}, true}, ready);
}

void end_discard(GraphState& graph, Task& hold, std::size_t slot, TaskList& ready) {
  // The tree of parts does not change meanwhile, because the hold counts as a task that uses the tree. A hold whose
  // submission was given up has no data.
  for (const TaskAccess& access : hold.data()) {
    access.data()->visit_data([&graph](const DataRecord& part) { graph.host.discard(part); });
  }
  // The hold writes the data, so its success also ends the effect of failures of earlier tasks.
  finish_task(graph, hold, {TaskStatus::succeeded, nullptr, nullptr, slot, WorkerId{}}, ready);
}

}  // namespace troupe::graph
