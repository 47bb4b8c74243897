/// A CPU core, or a cluster of cores: kernels run inside `start`.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "actors/workers/devices/core_team.hpp"
#include "actors/workers/devices/device.hpp"
#include "actors/workers/devices/task_views.hpp"
#include "actors/workers/team_counters.hpp"
#include "actors/workers/worker_trace.hpp"
#include "graph/task_graph.hpp"
#include "platform/machine/clock.hpp"
#include "proto/device_kinds.hpp"

namespace troupe::workers {

class CoreDevice final : public Device {
 public:
  struct Options {
    const graph::TaskGraph* graph = nullptr;
    WorkerId worker;
    std::string name;
    /// Whose implementations to call: those for cores, but where they stand for another kind of device.
    DeviceKind kind = DeviceKind::cpu_core;
    /// Where to note every task, or null.
    WorkerTrace* trace = nullptr;
    /// Outlives the device; only used with a trace.
    const platform::Clock* clock = nullptr;
    /// Of a cluster: where to count how much of its cores' time is used, or null.
    TeamCounters* team_use = nullptr;
    /// Empty: kernels work on host memory.
    FindReplica find_replica = nullptr;
    /// Where tasks of pieces are put so that others can take part in them; null: nobody does, all pieces run here, one
    /// after the other. Outlives the device.
    PieceBoard* board = nullptr;
    /// Told of such a task before its first piece runs, to call others in. With a board; must not throw.
    std::function<void(const SharedPieces&)> opened = nullptr;
    /// Told once of a task of pieces that nobody can join, before its last ones run: by whoever has taken these, or of
    /// one that is not put on the board. Any thread of a team; must not throw. Null: nobody wants to know.
    std::function<void(const graph::Task&)> all_taken = nullptr;
  };

  /// `team`: of a cluster, whose master is the thread that calls `start`; null: a single core.
  explicit CoreDevice(Options options, std::shared_ptr<CoreTeam> team = nullptr)
      : options_(std::move(options)), team_(std::move(team)), views_(options_.worker, options_.find_replica) {}

  [[nodiscard]] std::string name() const override { return options_.name; }
  using Device::start;
  Started start(graph::Task& task, std::span<graph::Task* const> behind) noexcept override;
  void use_team(std::shared_ptr<CoreTeam> team) noexcept override;
  PartOfTask take_part() noexcept override { return std::exchange(part_, {}); }
  PartOfTask help(SharedPieces& shared, PieceRange first, const std::function<bool()>& leave) noexcept override;
  /// Runs some pieces of a task of `all`, here and now, for whoever shares them out. Why they failed, or null.
  graph::FailureLog::Cause run_pieces(const graph::Task& task, PieceRange range, std::uint32_t all) noexcept;

 private:
  class PieceWork;
  /// `start` of a task of pieces that others can take part in.
  Started start_pieces(graph::Task& task) noexcept;
  /// Null where there is nothing to share: the task has ended, with `cause` if it failed.
  SharedPieces* open_pieces(graph::Task& task, graph::FailureLog::Cause& cause) noexcept;
  /// What was caught while a task ran.
  [[nodiscard]] graph::FailureLog::Cause caught(const graph::Task& task) noexcept;
  /// Where something is noted of the kernel, made ready for it, or given up.
  void run_watched(const CodeletDefinition& codelet, KernelContext context);
  void make_ready(TeamPrologue prologue, Team& team);
  void note(const graph::Task& task, bool failed) noexcept;

  /// How much of its cores' time one task of a cluster uses.
  class TeamWatch;

  Options options_;
  std::shared_ptr<CoreTeam> team_;
  TaskViews views_;
  /// What holds for the kernels that run, see `Codelet::prologue`, and the team's size that it was made for.
  TeamPrologue prologue_ = nullptr;
  int prologue_size_ = 0;
  std::shared_ptr<void> readiness_;
  /// For when there is no memory to say more.
  const graph::FailureLog::Cause bare_failure_ =
      std::make_shared<Failure>(Failure{ErrorCode::kernel_failed, "a kernel failed"});
  /// Of the current task's kernel, with a trace.
  TimeStamp kernel_start_{};
  /// Of the last task's kernel, in a cluster.
  TeamUse last_use_;
  /// Of the last task, if it was made of pieces.
  PartOfTask part_;
};

}  // namespace troupe::workers
