/// Runs tasks of pieces on a core or a cluster.
#include <optional>

#include "actors/workers/devices/core_device.hpp"
#include "actors/workers/devices/core_device_watch.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "troupe/codelet.hpp"

namespace troupe::workers {

/// The pieces of one task that one worker runs.
class CoreDevice::PieceWork {
 public:
  /// `first` is empty if the worker has taken no pieces yet. `leave` is null for the worker that began the task.
  PieceWork(CoreDevice& device, SharedPieces& shared, PieceRange first, const std::function<bool()>* leave)
      : device_(device), shared_(shared), pieces_(*shared.task().codelet->pieces), first_(first), leave_(leave) {}

  /// Returns the pieces that were done. A failure of a piece is a failure of the task.
  PiecesDone run() noexcept {
    const graph::Task& task = shared_.task();
    const TimeStamp begin = platform::SteadyClock().now();
    try {
      device_.views_.prepare(task);
      const graph::ExecutionScope scope(device_.options_.graph, device_.options_.worker, &task);
      if (device_.team_ != nullptr) {
        run_with_team(device_.views_.context_of(task));
      } else {
        device_.make_ready(task.codelet->prologue, device_.views_.context_of(task).team());
        run_some(device_.views_.context_of(task), first_);
      }
    } catch (...) {
      shared_.fail(device_.caught(task));
      // The first pieces were taken and no member ran them, so they count as done here.
      if (!begun_.load(std::memory_order_relaxed)) done_ += first_.number;
    }
    const int cores = device_.team_ != nullptr ? device_.team_->members() : 1;
    const Duration took = (platform::SteadyClock().now() - begin) * cores;
    return {&shared_, done_.load(std::memory_order_relaxed), took, leave_ == nullptr};
  }

 private:
  void run_with_team(const KernelContext& context) {
    const TeamPrologue prologue = shared_.task().codelet->prologue;
    const TeamWatch watch(device_, prologue == nullptr);
    device_.team_->limit(device_.team_->members());
    // Each member runs its pieces on one core, so the prologue is called for one core. If the prologue made threads for
    // the whole team, these threads would use the other members' cores.
    device_.make_ready(prologue, context.team());
    // The call throws nothing: `run_some` keeps the exceptions of pieces.
    device_.team_->run([&](int rank, int) { run_some(context, rank == 0 ? first_ : PieceRange{}); });
  }

  /// Runs pieces in the thread of one member, or in the worker's thread if there is no team.
  void run_some(const KernelContext& context, PieceRange range) noexcept {
    begun_.store(true, std::memory_order_relaxed);
    std::uint32_t done = 0;
    if (range.empty()) range = shared_.take();
    const std::uint32_t all = shared_.pieces();
    while (!range.empty()) {
      if (range.first + range.number == all && device_.options_.all_taken) device_.options_.all_taken(shared_.task());
      done += range.number;
      try {
        pieces_.run(range.first, range.number, all, context);
      } catch (...) {
        shared_.fail(device_.caught(shared_.task()));
        break;
      }
      if (leave_ != nullptr && (*leave_)()) break;
      range = shared_.take();
    }
    // Relaxed: `run` waits for all members, so their additions happen before the sum is read.
    done_.fetch_add(done, std::memory_order_relaxed);
  }

  CoreDevice& device_;
  SharedPieces& shared_;
  const Pieces& pieces_;
  const PieceRange first_;
  const std::function<bool()>* const leave_;
  std::atomic<std::uint32_t> done_{0};
  std::atomic<bool> begun_{false};
};

SharedPieces* CoreDevice::open_pieces(graph::Task& task, graph::FailureLog::Cause& cause) noexcept {
  try {
    views_.prepare(task);
    const KernelContext context = views_.context_of(task);
    const Pieces& pieces = *task.codelet->pieces;
    const graph::ExecutionScope scope(options_.graph, options_.worker, &task);
    const std::uint32_t all = pieces.count_of(context);
    if (options_.trace != nullptr) kernel_start_ = options_.clock->now();
    if (all > pieces.grain) {
      const int cores = team_ != nullptr ? team_->members() : 1;
      return &options_.board->open(task, options_.worker, cores, all, pieces.grain);
    }
    if (options_.all_taken) options_.all_taken(task);
    make_ready(task.codelet->prologue, context.team());
    pieces.run(0, all, all, context);
  } catch (...) {
    cause = caught(task);
  }
  return nullptr;
}

Started CoreDevice::start_pieces(graph::Task& task) noexcept {
  Started started{true, nullptr};
  kernel_start_ = {};
  last_use_ = {};
  SharedPieces* const shared = open_pieces(task, started.cause);
  if (shared != nullptr) {
    options_.opened(*shared);
    pieces_done_ = PieceWork(*this, *shared, {}, nullptr).run();
    options_.board->close();
    started.finished = false;
  }
  if (kernel_start_ != TimeStamp{}) note(task, shared != nullptr ? shared->failed() : started.cause != nullptr);
  return started;
}

PiecesDone CoreDevice::help(SharedPieces& shared, PieceRange first, const std::function<bool()>& leave) noexcept {
  return PieceWork(*this, shared, first, &leave).run();
}

graph::FailureLog::Cause CoreDevice::run_pieces(const graph::Task& task, PieceRange range, std::uint32_t all) noexcept {
  try {
    views_.prepare(task);
    const graph::ExecutionScope scope(options_.graph, options_.worker, &task);
    const KernelContext context = views_.context_of(task);
    make_ready(task.codelet->prologue, context.team());
    task.codelet->pieces->run(range.first, range.number, all, context);
    return nullptr;
  } catch (...) {
    return caught(task);
  }
}

}  // namespace troupe::workers
