/// One round of DADA: independent tasks, spread over cores and GPUs by dual approximation after a phase of affinity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "troupe/units.hpp"

namespace troupe::scheduler {

/// The input of a round: plain vectors, filled anew for each and kept for the next. All times count from now.
struct DualApproximationRound {
  /// `execution` of a worker that cannot run the task.
  static constexpr Duration kNever = Duration::max();

  struct Worker {
    bool accelerator = false;
    /// The load from which the worker starts, in the affinity phase and in the global balance.
    Duration affinity_load{};
    Duration load{};
    /// When it is really free: of two workers where a task would end at the same time the one that is free first gets
    /// it.
    Duration free{};
  };

  std::vector<Worker> workers;
  /// Where a task would end counts from `free` instead of from the load: the loads only say how much may be placed.
  bool choose_by_free = false;
  std::size_t tasks = 0;
  // The times by task and worker, at `task * workers.size() + worker`.
  std::vector<Duration> execution;
  /// When the task's data would be there; not before that it begins.
  std::vector<Duration> data_at;
  /// 0: no affinity.
  std::vector<double> affinity;

  /// Makes room for so many tasks, whose rows are to be filled.
  void resize(std::size_t task_count) {
    tasks = task_count;
    execution.resize(tasks * workers.size());
    data_at.resize(tasks * workers.size());
    affinity.resize(tasks * workers.size());
  }
};

/// Finds a schedule for each guess of its length, and the smallest guess that it can keep (`000`, algorithm 2):
///
/// - The guess, lambda, is searched for by halving, from the longest load that there is, 0 at least, to a length that
///   holds every schedule, until the interval is at most `kPrecision` of its upper end, or one nanosecond. The upper
///   end is tried first: it always fits.
/// - Affinity phase: tasks by decreasing score (the highest over the workers), those without score left out. Each goes
///   to a worker of its highest score whose load in this phase is still below alpha * lambda and that runs it within
///   lambda: of several to where it ends first. With none it stays for the next phase.
/// - Global balance: reject lambda where a task takes longer on both kinds; tasks that take longer on cores go to the
///   GPUs and the other way round; then, by decreasing ratio of the time on a core to that on a GPU, to the GPUs while
///   any has a load below lambda, the rest to the cores. Among workers of a kind a task goes where it ends first; of
///   clusters of cores of mixed sizes those count that run it within lambda.
/// - The schedule fits where no load is above (2 + alpha) * lambda.
///
/// With alpha = 0 and equal workers of a kind a rejected lambda has no schedule, so that the result is at most
/// 2 * (1 + kPrecision) times as long as the best one. With alpha > 0 it is at most (2 + alpha) * lambda, but a lambda
/// may be rejected that has a schedule: affinity can fill workers with tasks that others would do better. Where workers
/// of a kind differ (clusters of mixed sizes), too: a kind counts as fast as its fastest worker, and a small task may
/// end first where a large one would have had to go. What is kept holds all the same: no load is above (2 + alpha) *
/// lambda.
///
/// Ties: where a task ends equally early on several workers, the one that is really free first, then the smallest; of
/// tasks with equal scores or ratios the first. O(tasks * workers) for each lambda. Not thread-safe.
class DualApproximation {
 public:
  static constexpr double kPrecision = 1.0 / 128;
  static constexpr std::uint32_t kNowhere = ~0U;

  explicit DualApproximation(double alpha) : alpha_(alpha) {}

  /// Decides about the round. A task that no worker runs stays nowhere.
  void solve(const DualApproximationRound& round);
  /// Tries one more guess for the round that was last solved. Whether it can be kept.
  bool fits(const DualApproximationRound& round, Duration lambda);

  /// Returns the workers of the last `solve`, by task.
  [[nodiscard]] const std::vector<std::uint32_t>& placement() const { return best_; }
  /// Returns the workers of the last guess, kept or not; incomplete if it was rejected.
  [[nodiscard]] const std::vector<std::uint32_t>& last_guess() const { return where_; }
  /// Returns the smallest guess that the last `solve` kept.
  [[nodiscard]] Duration lambda() const { return lambda_; }

 private:
  struct Task {
    /// The least on each kind.
    Duration cpu{};
    Duration gpu{};
    double speedup = 1;
    double affinity = 0;
  };

  void prepare(const DualApproximationRound& round);
  [[nodiscard]] Duration upper_bound(const DualApproximationRound& round) const;
  void affinity_phase(const DualApproximationRound& round, Duration lambda);
  /// False: lambda is rejected.
  bool global_balance(const DualApproximationRound& round, Duration lambda);
  /// Puts the task on that worker of those that `may(worker)` where it ends first. False where none may.
  template <class May>
  bool put(const DualApproximationRound& round, std::uint32_t task, const std::vector<std::uint32_t>& workers,
           May&& may);

  const double alpha_;
  Duration lambda_{};
  std::vector<std::uint32_t> best_;
  // State of one round, kept to spare allocations.
  std::vector<std::uint32_t> all_;
  std::vector<std::uint32_t> cores_;
  std::vector<std::uint32_t> gpus_;
  std::vector<Task> tasks_;
  std::vector<std::uint32_t> by_affinity_;
  std::vector<std::uint32_t> by_speedup_;
  // State of one guess.
  std::vector<Duration> affinity_load_;
  std::vector<Duration> load_;
  std::vector<Duration> free_;
  std::vector<std::uint32_t> where_;
};

}  // namespace troupe::scheduler
