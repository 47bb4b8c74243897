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
#include "graph/codelets/codelet_definition.hpp"
#include "graph/task_graph.hpp"
#include "platform/machine/clock.hpp"
#include "troupe/devices.hpp"

namespace troupe::workers {

class CoreDevice final : public Device {
 public:
  struct Options {
    const graph::TaskGraph* graph = nullptr;
    WorkerId worker;
    std::string name;
    /// The kind of device whose implementations are called: normally cores, unless the cores stand in for devices of
    /// another kind.
    DeviceKind kind = DeviceKind::cpu_core;
    /// Receives every task; null if there is no trace.
    WorkerTrace* trace = nullptr;
    /// The clock of the trace; used only if there is a trace. Outlives the device.
    const platform::Clock* clock = nullptr;
    /// Counts how much of a cluster's core time is used; null if nothing is counted.
    TeamCounters* team_use = nullptr;
    /// Finds the data for kernels. If empty, kernels work on host memory.
    FindReplica find_replica = nullptr;
    /// The board for tasks of pieces, where other workers can join these tasks. If null, all pieces run here, one after
    /// the other. Outlives the device.
    PieceBoard* board = nullptr;
    /// Called for a task of pieces before its first piece runs, so that other workers can be woken to help. Used only
    /// with a board. Must not throw.
    std::function<void(const SharedPieces&)> opened = nullptr;
    /// Called once for each task of pieces, when no other worker can join the task any more, before the task's last
    /// pieces run. The caller is the thread that runs these pieces, which may be any thread of a team. Must not throw.
    /// May be null.
    std::function<void(const graph::Task&)> all_taken = nullptr;
  };

  /// `team` is the team of a cluster, whose master is the thread that calls `start`; null for a single core.
  explicit CoreDevice(Options options, std::shared_ptr<CoreTeam> team = nullptr)
      : options_(std::move(options)),
        team_(std::move(team)),
        views_(options_.worker, options_.find_replica, options_.graph),
        watches_(watches()) {}

  [[nodiscard]] std::string name() const override { return options_.name; }
  using Device::start;
  Started start(graph::Task& task, std::span<graph::Task* const> behind) noexcept override;
  void use_team(std::shared_ptr<CoreTeam> team) noexcept override;
  /// Returns false while a prologue is in effect, because the prologue would also affect kernels that run during the
  /// wait.
  [[nodiscard]] bool allows_on_top() const noexcept override { return prologue_ == nullptr; }
  [[nodiscard]] std::unique_ptr<Device> make_twin() const override {
    return std::make_unique<CoreDevice>(options_, team_);
  }
  void end_prologue() noexcept override;
  void note_wait(Duration waited) noexcept override { waited_ += waited; }
  PiecesDone take_pieces_done() noexcept override { return std::exchange(pieces_done_, {}); }
  PiecesDone help(SharedPieces& shared, PieceRange first, const std::function<bool()>& leave) noexcept override;
  /// Runs some pieces of a task of `all` pieces inside this call, for a caller that divides the pieces among workers.
  /// Returns the reason if a piece failed, otherwise null.
  graph::FailureLog::Cause run_pieces(const graph::Task& task, PieceRange range, std::uint32_t all) noexcept;

 private:
  class PieceWork;
  /// Does `start` for a task of pieces, which other workers can join.
  Started start_pieces(graph::Task& task) noexcept;
  /// Opens the task on the board. Returns null if nothing is left for other workers: then all pieces have run in this
  /// call, and `cause` says why the task failed, if it did.
  SharedPieces* open_pieces(graph::Task& task, graph::FailureLog::Cause& cause) noexcept;
  /// Returns the failure for the exception that was caught while a task ran.
  [[nodiscard]] graph::FailureLog::Cause caught(const graph::Task& task) noexcept;
  /// Runs a kernel that is traced, that runs on a cluster, that needs another prologue than the last kernel, or whose
  /// time is learned.
  void run_watched(const CodeletDefinition& codelet, KernelContext context);
  void make_ready(TeamPrologue prologue, Team& team);
  [[nodiscard]] bool watches() const {
    const bool learns = options_.graph != nullptr && options_.graph->subtree_times() != nullptr;
    return options_.trace != nullptr || team_ != nullptr || learns;
  }
  void note(const graph::Task& task, bool failed) noexcept;

  /// Measures how much of the cores' time a cluster uses for one task.
  class TeamWatch;

  Options options_;
  std::shared_ptr<CoreTeam> team_;
  TaskViews views_;
  /// True if `run_watched` runs all kernels, because there is a trace or a team, or some kernel times are learned.
  bool watches_;
  /// The prologue (`Codelet::prologue`) that is in effect for kernels, and the team size for which it was called.
  TeamPrologue prologue_ = nullptr;
  int prologue_size_ = 0;
  std::shared_ptr<void> readiness_;
  /// The failure that is reported if there is no memory for a better message.
  const graph::FailureLog::Cause bare_failure_ =
      std::make_shared<Failure>(Failure{ErrorCode::kernel_failed, "a kernel failed"});
  /// The start of the current task's kernel; used only with a trace.
  TimeStamp kernel_start_{};
  /// The time in which the current task's kernel has waited for other tasks.
  Duration waited_{};
  /// The core time of a cluster that the last task's kernel used.
  TeamUse last_use_;
  /// If the last task was a task of pieces: the pieces that this device did.
  PiecesDone pieces_done_;
};

}  // namespace troupe::workers
