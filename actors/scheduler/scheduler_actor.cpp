#include "actors/scheduler/scheduler_actor.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <new>
#include <string>
#include <utility>

#include "actors/scheduler/models/execution_history.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/data/working_set.hpp"
#include "troupe/codelet.hpp"
#include "troupe/devices.hpp"

namespace troupe::scheduler {

namespace {
/// The longest time that `predictions` waits for the lock, while a policy decides.
constexpr std::chrono::milliseconds kPatience(100);
}  // namespace

ReadyTask SchedulerState::described(const graph::Task& task, std::span<const memory::Use> uses) const {
  ReadyTask ready{task.task_id(), task.codelet, task.priority};
  if (submitted) ready.size_class = submitted->classify(task);
  ready.data = uses;
  return ready;
}

ReadyTask SchedulerState::take(graph::Task* task) {
  Undecided& kept = undecided[task->task_id()];
  kept.task = task;
  if (submitted) graph::append_working_set(*task, kept.uses);
  return described(*task, kept.uses);
}

void SchedulerState::take_events() {
  events.clear();
  queues->take_events(events);
  for (const TaskEvent& event : events) {
    core.happened(event);
    made_room_ = made_room_ || event.makes_room();
  }
}

SchedulerCore::Decision SchedulerState::look() {
  if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
  std::vector<ReadyTask> tasks;
  while (graph::Task* task = queues->next_activated()) tasks.push_back(take(task));
  undecided_count_.store(undecided.size(), std::memory_order_relaxed);
  // Events are taken after the tasks, so that they include the ends of the tasks that made these tasks ready.
  take_events();
  if (clusters) choose_clusters(tasks);
  const bool made_room = std::exchange(made_room_, false);
  if (tasks.empty() && made_room) return core.ended(queues->now());
  return core.activated(tasks, queues->now());
}

void SchedulerState::choose_clusters_by(ClusterChooser::Options options) {
  const LockGuard lock(mutex);
  clusters.emplace(std::move(options));
}

void SchedulerState::choose_clusters(std::span<const ReadyTask> tasks) {
  if (queues->regroups()) return;
  try {
    const std::optional<std::size_t> chosen = clusters->look(core, tasks, queues->now());
    if (!chosen) return;
    queues->regroup(*chosen);
  } catch (const std::bad_alloc&) {
    // The grouping stays as it is: a change only makes the run faster.
    return;
  }
  // These events tell the core which workers exist after the regrouping.
  take_events();
}

bool SchedulerState::perform(const SchedulerCore::Decision& decision) {
  // The failure is reported first, so that a thread that has waited for the tasks finds it in the report.
  if (!decision.failure.empty()) queues->policy_failed(decision.failure);
  for (const Placed& placed : decision.tried) perform(placed, true);
  for (const Placed& placed : decision.placed) perform(placed, false);
  for (const Placed& taken : decision.taken_back) queues->take_back(taken.task, taken.worker);
  undecided_count_.store(undecided.size(), std::memory_order_relaxed);
  under_way_.store(core.under_way(), std::memory_order_relaxed);
  if (ends_count == nullptr) return false;
  // Sequentially consistent: a thread that ends a task first posts its event and then loads this flag
  // (`SchedulerNews`). Here the flag is set first, and then the caller looks for events.
  const bool holds = core.holds();
  if (ends_count->load(std::memory_order_relaxed) == holds) return false;
  ends_count->store(holds, std::memory_order_seq_cst);
  return holds;
}

bool SchedulerState::decide() {
  SchedulerCore::Decision decision = look();
  bool ask = decision.ask_to_decide;
  if (perform(decision)) {
    decision = look();
    ask = ask || decision.ask_to_decide;
    (void)perform(decision);
  }
  return ask;
}

void SchedulerState::perform(const Placed& placed, bool first) {
  const auto found = undecided.find(placed.task);
  // The copies are requested before the worker itself requests the data.
  if (!found->second.uses.empty()) {
    queues->prefetch(core.node_of(placed.worker), *found->second.task, found->second.uses);
  }
  // The push comes before the erase, so that the task is always in the worker's deque or in `undecided`.
  queues->push(found->second.task, placed.worker, first);
  if (core.taken_away(placed.task)) taken_away.push_back(std::move(found->second.uses));
  undecided.erase(found);
}

SchedulerState::Left SchedulerState::decide_here() noexcept {
  try {
    return decide() ? Left::decide : Left::nothing;
  } catch (...) {
    failed_ = std::current_exception();
    return Left::activated;
  }
}

SchedulerState::Left SchedulerState::try_to_decide() noexcept {
  if (!mutex.try_lock()) return Left::activated;
  const LockGuard lock(mutex, std::adopt_lock);
  return decide_here();
}

SchedulerState::Left SchedulerState::try_to_decide_alone() noexcept {
  // Relaxed: with an old value, this thread at worst tries the lock in vain, or leaves the decision to the actor. One
  // task is allowed here, because it may be the previous task, whose end the core has not seen yet.
  if (under_way_.load(std::memory_order_relaxed) > 1 || !mutex.try_lock()) return Left::activated;
  const LockGuard lock(mutex, std::adopt_lock);
  try {
    take_events();
  } catch (...) {
    failed_ = std::current_exception();
    return Left::activated;
  }
  if (core.under_way() + undecided.size() > 0) return Left::activated;
  return decide_here();
}

std::optional<bool> SchedulerState::may_issue(WorkerId worker, const graph::Task& task) noexcept {
  if (!mutex.try_lock()) return std::nullopt;
  const LockGuard lock(mutex, std::adopt_lock);
  try {
    if (failed_) return false;
    take_events();
    std::vector<memory::Use> uses;
    if (submitted) graph::append_working_set(task, uses);
    return core.may_issue(worker, described(task, uses), queues->now());
  } catch (...) {
    // The scheduler asks about the task again when it is ready; the error is reported then.
    return false;
  }
}

void SchedulerState::rescue(const std::string& reason) {
  const LockGuard lock(mutex);
  failed_ = nullptr;
  take_events();
  while (graph::Task* task = queues->next_activated()) (void)take(task);
  std::vector<ReadyTask> tasks;
  for (const auto& [id, kept] : undecided) tasks.push_back(described(*kept.task, kept.uses));
  std::sort(tasks.begin(), tasks.end(), [](const ReadyTask& a, const ReadyTask& b) { return a.id < b.id; });
  (void)perform(core.abandon(tasks, "lost its scheduler, whose actor died: " + reason, queues->now()));
}

std::vector<PredictionReport> SchedulerState::predictions() {
  if (!mutex.try_lock_for(kPatience)) return {};
  const LockGuard lock(mutex, std::adopt_lock);
  if (!submitted) return {};
  take_events();
  std::map<std::pair<std::string, DeviceKind>, PredictionErrors> sums;
  const auto& errors = core.prediction_errors();
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const CodeletDefinition& codelet = *submitted->size_class(SizeClassId(static_cast<std::uint32_t>(i))).codelet;
    for (const DeviceTraits& row : kDeviceTraits) {
      const PredictionErrors& of_kind = errors[i][static_cast<std::size_t>(row.kind)];
      if (of_kind.tasks + of_kind.unpredicted > 0) sums[{learned_name(codelet), row.kind}] += of_kind;
    }
  }
  std::vector<PredictionReport> reports;
  for (const auto& [of, sum] : sums) reports.push_back({of.first, of.second, sum});
  return reports;
}

caf::behavior scheduler_behavior(caf::event_based_actor* self, std::shared_ptr<SchedulerState> state) {
  return {
      [=](const TasksActivated&) {
        const LockGuard lock(state->mutex);
        if (state->decide()) self->send(self, Decide{});
      },
      [=](const Decide&) {
        const LockGuard lock(state->mutex);
        if (state->perform(state->core.decide(state->queues->now())) && state->decide()) self->send(self, Decide{});
      },
      [=](const Stop&) { self->quit(caf::exit_reason::normal); },
  };
}

}  // namespace troupe::scheduler
