#include "actors/workers/devices/core_device.hpp"

#include <optional>

#include "actors/workers/devices/core_device_watch.hpp"
#include "actors/workers/devices/task_failure.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "graph/data/measured_kernel.hpp"
#include "troupe/codelet.hpp"

namespace troupe::workers {

void CoreDevice::note(const graph::Task& task, bool failed) noexcept {
  failed = failed || task.told();
  TaskSpan span{task.codelet, task.task_id(), kernel_start_, options_.clock->now(), 0, task.priority, failed};
  span.waited = waited_;
  if (team_ != nullptr) {
    span.cores = static_cast<std::uint16_t>(team_->members());
    if (last_use_.unseen == Duration{}) span.used = last_use_.used;
  }
  try {
    if (task.codelet->flops && !failed) span.flops = task.codelet->flops(views_.context_of(task));
  } catch (...) {
    // `flops` is the program's function and may throw: a trace must not change the task's outcome.
  }
  options_.trace->ran(span, task);
  kernel_start_ = {};
}

void CoreDevice::run_watched(const CodeletDefinition& codelet, KernelContext context) {
  last_use_ = {};
  waited_ = {};
  if (options_.trace != nullptr) kernel_start_ = options_.clock->now();
  const bool together = team_ != nullptr && codelet.team.kernel;
  std::optional<TeamWatch> watch;
  if (team_ != nullptr) watch.emplace(*this, !together || codelet.prologue == nullptr);
  if (together) {
    team_->limit(codelet.team.most_cores);
    context.cores = team_.get();
  }
  make_ready(codelet.prologue, context.team());
  std::optional<graph::MeasuredKernel> measured;
  if (context.record->learns_time() && team_ == nullptr) {
    const graph::TaskGraph& graph = *options_.graph;
    measured.emplace(*graph.subtree_times(), *context.record, graph.options().cutoff, graph.calls_at_once());
  }
  (together ? codelet.team.kernel : codelet.kernel_for(options_.kind))(context);
  if (measured) measured->returned(waited_);
}

void CoreDevice::use_team(std::shared_ptr<CoreTeam> team) noexcept {
  // The prologue that is in effect was called for the old cores, so it is no longer valid.
  end_prologue();
  team_ = std::move(team);
  watches_ = watches();
}

void CoreDevice::end_prologue() noexcept {
  prologue_ = nullptr;
  readiness_.reset();
}

void CoreDevice::make_ready(TeamPrologue prologue, Team& team) {
  if (prologue == prologue_ && (prologue == nullptr || team.size() == prologue_size_)) return;
  // The effect of the old prologue ends first. If the new prologue throws, no prologue is in effect.
  end_prologue();
  if (prologue == nullptr) return;
  readiness_ = prologue(team);
  prologue_ = prologue;
  prologue_size_ = team.size();
}

graph::FailureLog::Cause CoreDevice::caught(const graph::Task& task) noexcept {
  try {
    return task_failure_of_exception(task, options_.worker, options_.name);
  } catch (...) {
    // No memory is left to say what happened.
    return bare_failure_;
  }
}

Started CoreDevice::start(graph::Task& task, std::span<graph::Task* const> /*behind*/) noexcept {
  if (task.codelet->pieces != nullptr && options_.board != nullptr) [[unlikely]]
    return start_pieces(task);
  Started started{true, nullptr};
  const CodeletDefinition& codelet = *task.codelet;
  try {
    views_.prepare(task);
    const graph::ExecutionScope scope(options_.graph, options_.worker, &task);
    // The kernel is called directly if there is no trace, no team, and no prologue to begin or to end.
    if (watches_ || codelet.prologue != prologue_) [[unlikely]] {
      run_watched(codelet, views_.context_of(task));
    } else {
      codelet.kernel_for(options_.kind)(views_.context_of(task));
    }
  } catch (...) {
    started.cause = caught(task);
  }
  // The time is set only if the kernel was called. A task whose kernel was not called has not run, and is not noted.
  if (kernel_start_ != TimeStamp{}) [[unlikely]]
    note(task, started.cause != nullptr);
  return started;
}

}  // namespace troupe::workers
