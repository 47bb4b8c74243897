/// Completion: a task's way from ready to ended, and the release of its successors.
#include "graph/cancellation.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "graph/data/domain.hpp"
#include "graph/nesting/domains.hpp"
#include "graph/task_graph.hpp"
#include "graph/validity.hpp"

namespace troupe::graph {

Begin TaskGraph::end_cancelled(Task& task, const Refusal& refusal, WorkerId worker, TaskList& ready) {
  if (Domain* const own = task.own_domain()) {
    own->note({TaskStatus::cancelled, refusal.cause, refusal.origin, true});
    kernel_returned(task, worker, ready);
    return Begin::ended;
  }
  finish(task, {TaskStatus::cancelled, refusal.cause, refusal.origin, worker.index(), worker}, ready);
  return Begin::ended;
}

Begin TaskGraph::begin_special(Task& task, WorkerId worker, TaskList& ready) {
  if (task.role == TaskRole::host) {
    // A host task that a worker gets belongs to a submission that was given up.
    finish(task, {TaskStatus::succeeded, nullptr, nullptr, worker.index(), worker}, ready);
    return Begin::ended;
  }
  if (task.role == TaskRole::replay) return begin_replay(task, worker, ready);
  if (task.role == TaskRole::recorded_nested) {
    return begin_recorded_nested(static_cast<RecordedTask&>(task), ready);
  }
  if (const Refusal refusal = why_cancelled(state_, task); refusal.cause) {
    if (task.commute.wants) renounce_commute(task, ready);
    return end_cancelled(task, refusal, worker, ready);
  }
  if (task.own_domain() != nullptr) cure_written(state_, task);
  // The task already holds its locks if a worker began the task and then died.
  if (!task.commute.wants || task.commute.holds) return Begin::run;
  if (!acquire_commute(task, ready)) return Begin::parked;
  // A task of the same epoch may have failed, and left the data invalid, before this task got the locks.
  if (const Refusal refusal = why_cancelled(state_, task); refusal.cause)
    return end_cancelled(task, refusal, worker, ready);
  return Begin::run;
}

Begin TaskGraph::begin_after_running(Task& task, WorkerId worker, TaskList& ready) {
  if (task.withdrawn.load(std::memory_order_relaxed) == Withdrawal::by_predecessor) {
    const auto cause = follows_a_failure(task);
    return end_cancelled(task, {cause, cause}, worker, ready);
  }
  if (const Refusal refusal = why_input_missing(state_, task); refusal.cause) {
    return end_cancelled(task, refusal, worker, ready);
  }
  return Begin::run;
}

bool TaskGraph::has_end_of_call(const Task& task) { return task.codelet != nullptr && task.codelet->ended != nullptr; }

void TaskGraph::call_back(Task& task, const Completion& completion) {
  const ExecutionScope scope(this, completion.worker, &task);
  // Without a callback, only `CodeletDefinition::ended` is called, which is too short to be shown. So the clock is not
  // read.
  const bool lasts = task.extras && task.extras->callback;
  state_.workers.callbacks.begin(completion.slot, task, lasts ? WaitingThreads::now() : TimeStamp{});
  try {
    if (task.extras && task.extras->callback) {
      TaskOutcome outcome{task.task_id(), completion.status, {}};
      if (completion.cause) {
        outcome.message = completion.cause->message;
        outcome.code = completion.cause->code;
        if (task.extras->callback_tells) state_.failures.told(completion.poison);
      }
      task.extras->callback(outcome);
    }
  } catch (const std::exception& error) {
    state_.failures.add({ErrorCode::callback_failed, "the callback of " + describe(task) + " threw: " + error.what()});
  } catch (...) {
    state_.failures.add({ErrorCode::callback_failed, "the callback of " + describe(task) + " threw"});
  }
  // The callback is destroyed here, because the destruction of objects that it has captured may end registrations. A
  // recorded task keeps its callback and its object for the next run.
  if (!task.is_recorded() && task.extras) {
    task.extras->callback = nullptr;
    task.extras->kept = nullptr;
  }
  if (has_end_of_call(task)) task.codelet->ended(task.arguments());
  state_.workers.callbacks.end(completion.slot);
}

void TaskGraph::release_successors(const Task& task, Edge* newest, TaskStatus status, std::size_t slot,
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
      if (state_.options.dependency_trace != nullptr) [[unlikely]] {
        // If the kernel of a nested task has just returned, the tasks that are released have not waited for all
        // children.
        const Domain* const own = task.own_domain();
        const bool whole = own != nullptr && own->open.load(std::memory_order_relaxed) == 0;
        state_.options.dependency_trace->released(slot, task.task_id(), successor->task_id(), whole);
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
          end_discard(*successor, slot, ready);
        } else if (may_wait) {
          end_unused(*successor, slot, ready);
        } else {
          ready.push_back(successor);
        }
      }
    }
    edge = next;
  }
}

void TaskGraph::end_unused(Task& hold, std::size_t slot, TaskList& ready) {
  for (const Handle& handle : hold.extras->without_content) {
    // A kernel may have replaced parts of a nested task meanwhile.
    DataRecord* const part = handle.record();
    if (!DataRegistry::exists(handle) || part->abandoned.load(std::memory_order_relaxed)) continue;
    poison(state_, *part,
           std::make_shared<Failure>(Failure{ErrorCode::cancelled,
                                             "a call of acquire that was to write it ended without the data, "
                                             "and nothing had written it before"}));
  }
  // Nobody has used the data, so a hold in mode write does not make them valid, either: they count as settled.
  finish(hold, {TaskStatus::succeeded, nullptr, nullptr, slot, WorkerId{}, true}, ready);
}

[[gnu::always_inline]] inline void TaskGraph::free(Task& task, TaskStatus status, std::size_t slot, TaskList& ready) {
  task.status.store(status, std::memory_order_release);
  // Release publishes the task's effects to a thread that finds the list closed. Acquire makes the edges in the list
  // visible.
  Edge* const newest = task.successors.exchange(Task::closed(), std::memory_order_acq_rel);
  if (newest != nullptr) release_successors(task, newest, status, slot, ready);
  TaskCaches& caches = state_.workers.caches[slot];
  if (task.has_more) [[unlikely]]
    state_.memory.free_more(task, caches);
  state_.memory.tasks.free(caches.tasks, &task);
}

inline void TaskGraph::end_recorded(RecordedTask& task, const FailureLog::Cause& cause, std::size_t slot,
                                    WorkerId worker, TaskList& ready) {
  Recording& recording = *task.recording;
  if (!recording.task_ended(task, {cause, slot, state_.options.dependency_trace}, ready)) [[likely]]
    return;
  end_replay(recording, slot, worker, ready);
}

inline void TaskGraph::count_ending(std::size_t slot) {
  if ((state_.workers.completed.count(slot) & (state_.waiting.notify_stride - 1)) != 0) [[likely]]
    return;
  state_.workers.completed.publish(slot);
  state_.waiting.notify(state_.window);
}

void TaskGraph::note_failure(const Task& task, const Completion& completion) {
  if (task.codelet != nullptr && task.codelet->reported_by_futures) {
    state_.failures.task_ended_quietly(task.task_id(), completion.status, completion.cause, completion.poison);
  } else {
    state_.failures.task_ended(task.task_id(), completion.status, completion.cause, completion.poison);
  }
}

void TaskGraph::finish(Task& task, const Completion& completion, TaskList& ready) {
  Domain* const left = finish_alone(task, completion, ready);
  if (left != nullptr) {
    child_ended(state_);
    leave(*left, completion.slot, completion.worker, ready);
  }
  if (state_.nesting.any.load(std::memory_order_relaxed)) end_parents(completion.slot, completion.worker, ready);
}

Domain* TaskGraph::finish_alone(Task& task, const Completion& completion, TaskList& ready) {
  Domain* const outer = task.outer_domain();
  const bool poisons = completion.status != TaskStatus::succeeded;
  if (poisons) note_failure(task, completion);
  if (poisons && outer != nullptr) outer->note({completion.status, completion.cause, completion.poison, false});
  if ((poisons || state_.failures.any_poison()) && !completion.settled)
    settle_data(state_, task, !poisons, completion.poison);
  if (task.commute.holds) release_commute(task, ready);
  const bool calls_back = task.has_more && task.extras && (task.extras->callback || task.extras->kept != nullptr);
  if (calls_back || has_end_of_call(task)) call_back(task, completion);
  end(task, completion, ready);
  return outer;
}

void TaskGraph::end(Task& task, const Completion& completion, TaskList& ready) {
  const bool counted = task.role != TaskRole::host;
  const std::uint64_t tag = state_.options.endings == nullptr ? 0
                            : task.nesting.is_child           ? TaskEndings::kChild
                                                              : task.client.tag;
  const std::size_t slot = completion.slot;
  RecordedTask* recorded = task.role == TaskRole::stand_in ? task.extras->stands_for : nullptr;
  if (task.is_recorded()) {
    recorded = static_cast<RecordedTask*>(&task);
  } else {
    free(task, completion.status, slot, ready);
  }
  if (recorded != nullptr) end_recorded(*recorded, completion.cause, slot, completion.worker, ready);
  // This call comes before the task is counted, so that after a wait for everything all endings have been reported.
  if (counted && state_.options.endings != nullptr)
    state_.options.endings->ended(tag, completion.status, completion.cause);
  if (counted) count_ending(slot);
}

void TaskGraph::complete(Task& task, const FailureLog::Cause& cause, WorkerId worker, TaskList& ready) {
  const std::size_t slot = worker.index();
  const bool special = task.has_more || task.commute.holds || task.nesting.is_child || task.role == TaskRole::host;
  if (cause || special || state_.failures.any_poison() || state_.options.endings != nullptr) [[unlikely]] {
    // The kernel of a division does nothing, so the loss of the worker that ran it does no harm.
    const bool harmless = cause && cause->code == ErrorCode::kernel_failed && state_.own_codelets.divides(task);
    FailureLog::Cause why = cause && !harmless ? cause : take_accusation(task);
    // A kernel that was told so may end by the exception of a wait for its children, which were cancelled with it.
    const bool told = task.told() && (!why || why->code == ErrorCode::cancelled);
    if (told) why = why_cut_short(state_, task);
    const TaskStatus status = told ? TaskStatus::cancelled : why ? TaskStatus::failed : TaskStatus::succeeded;
    if (Domain* const own = task.own_domain()) {
      if (why) own->note({status, why, why, true});
      return kernel_returned(task, worker, ready);
    }
    return finish(task, {status, why, why, slot, worker}, ready);
  }
  if (task.role == TaskRole::recorded) {
    end_recorded(static_cast<RecordedTask&>(task), kNoCause, slot, worker, ready);
  } else {
    free(task, TaskStatus::succeeded, slot, ready);
  }
  count_ending(slot);
  if (state_.nesting.any.load(std::memory_order_relaxed)) [[unlikely]]
    end_parents(slot, worker, ready);
}

void TaskGraph::worker_is_idle(WorkerId worker) {
  state_.workers.completed.publish(worker.index());
  state_.waiting.notify(state_.window);
}

}  // namespace troupe::graph
