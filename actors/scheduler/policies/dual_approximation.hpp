/// One round of DADA: spreads independent tasks over cores and GPUs by dual approximation, after a phase of affinity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "troupe/units.hpp"

namespace troupe::scheduler {

/// The input of a round: plain vectors, filled anew for each round; their memory is kept to spare allocations. All
/// times count from now.
struct DualApproximationRound {
  /// The value of `execution` for a worker that cannot run the task.
  static constexpr Duration kNever = Duration::max();

  struct Worker {
    bool accelerator = false;
    /// The loads from which the worker starts: `affinity_load` in the affinity phase, `load` in the global balance.
    Duration affinity_load{};
    Duration load{};
    /// The time at which the worker is really free. If a task would end at the same time on two workers, the worker
    /// that is free first gets it.
    Duration free{};
  };

  std::vector<Worker> workers;
  /// True if a task's end is computed from `free` instead of from the load: the loads then only limit how much may be
  /// placed.
  bool choose_by_free = false;
  std::size_t tasks = 0;
  // These tables have one entry for each task and worker, at `task * workers.size() + worker`.
  std::vector<Duration> execution;
  /// The time at which the task's data will have arrived. The task does not begin before.
  std::vector<Duration> data_at;
  /// The affinity of the task to the worker; 0 if there is none.
  std::vector<double> affinity;

  /// Makes room for this many tasks; the caller then fills their rows.
  void resize(std::size_t task_count) {
    tasks = task_count;
    execution.resize(tasks * workers.size());
    data_at.resize(tasks * workers.size());
    affinity.resize(tasks * workers.size());
  }
};

/// Finds a schedule for each guess of its length, and the smallest guess for which the schedule fits (Bleuse et al.,
/// Euro-Par 2014, algorithm 2):
///
/// - The guess, lambda, is found by halving an interval. It begins at the longest present load, or 0 if that is
///   negative, and ends at a length for which every schedule fits. The search stops when the interval is at most
///   `kPrecision` of its upper end, or one nanosecond. The upper end is tried first: its schedule always fits.
/// - Affinity phase: takes the tasks with a score, by decreasing score (the highest over all workers). Each task goes
///   to a worker with that score whose load in this phase is still below alpha * lambda and that runs the task within
///   lambda. If there are several such workers, the task goes to the worker where it ends first; if there is none, the
///   next phase places the task.
/// - Global balance: lambda is rejected if a task takes longer than lambda on both kinds. Tasks that take longer than
///   lambda on cores go to the GPUs, and vice versa. The other tasks are sorted by decreasing ratio of their time on a
///   core to their time on a GPU. They go to the GPUs while a GPU has a load below lambda; the rest goes to the cores.
///   Among workers of a kind, a task goes where it ends first; among clusters of mixed sizes, only those that run it
///   within lambda count.
/// - The schedule fits if no load is above (2 + alpha) * lambda.
///
/// With alpha = 0 and equal workers of a kind, lambda is rejected only if no schedule of length lambda exists, so the
/// result is at most 2 * (1 + kPrecision) times as long as the best schedule. With alpha > 0 the length is at most (2 +
/// alpha) * lambda, but lambda may be rejected although a schedule of length lambda exists: affinity can fill workers
/// with tasks that other workers would run better. This can also happen if workers of a kind differ (clusters of mixed
/// sizes): a kind counts as being as fast as its fastest worker, and a small task may end first on a worker that a
/// large task needs. An accepted schedule still has no load above (2 + alpha) * lambda.
///
/// Ties: if a task ends equally early on several workers, it goes to the worker that is really free first; if these
/// times are equal, too, to the worker with the smallest number. Among tasks with equal scores or ratios, the first
/// comes first. O(tasks * workers) for each lambda. Not thread-safe.
class DualApproximation {
 public:
  static constexpr double kPrecision = 1.0 / 128;
  static constexpr std::uint32_t kNowhere = ~0U;

  explicit DualApproximation(double alpha) : alpha_(alpha) {}

  /// Places the tasks of the round. For a task that no worker can run, `placement` has `kNowhere`.
  void solve(const DualApproximationRound& round);
  /// Tries one more guess for the round that was last solved; returns true if its schedule fits.
  bool fits(const DualApproximationRound& round, Duration lambda);

  /// Returns, for each task, the worker that the last `solve` chose.
  [[nodiscard]] const std::vector<std::uint32_t>& placement() const { return best_; }
  /// Returns, for each task, its worker in the last guess, accepted or not; incomplete if the guess was rejected.
  [[nodiscard]] const std::vector<std::uint32_t>& last_guess() const { return where_; }
  /// Returns the smallest guess that the last `solve` accepted.
  [[nodiscard]] Duration lambda() const { return lambda_; }

 private:
  struct Task {
    /// The task's least time on each kind of worker.
    Duration cpu{};
    Duration gpu{};
    double speedup = 1;
    double affinity = 0;
  };

  void prepare(const DualApproximationRound& round);
  [[nodiscard]] Duration upper_bound(const DualApproximationRound& round) const;
  void affinity_phase(const DualApproximationRound& round, Duration lambda);
  /// Returns false if lambda is rejected.
  bool global_balance(const DualApproximationRound& round, Duration lambda);
  /// Puts the task on the worker where it ends first, among those for which `may(worker)` is true. Returns false if
  /// there is no such worker.
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
