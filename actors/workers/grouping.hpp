/// Grouping: the clusters that cores form, which can change while tasks run.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "actors/workers/devices/core_team.hpp"
#include "actors/workers/queues/doorbell.hpp"
#include "actors/workers/standing.hpp"
#include "platform/machine/cpu_set.hpp"
#include "proto/mutex.hpp"
#include "troupe/ids.hpp"
#include "troupe/units.hpp"

namespace troupe::workers {

/// Every core has a worker with a thread of its own. In a cluster the first worker leads: the scheduler sees the leader
/// as a worker with all cores of the cluster. The other workers *help*: they take no tasks and lend the leader their
/// threads.
///
/// *Regrouping*: each worker whose cluster changes finishes the kernel that it runs and the tasks that it has begun,
/// sends the tasks in its queue to other workers, and calls `drained`. The last worker that calls `drained` changes the
/// places of all these workers. No other thread does any of this, and no thread is created. Thread-safe.
class Grouping {
 public:
  /// The workers of each cluster, single cores included, the leader first.
  using Groups = std::vector<std::vector<WorkerId>>;

  struct Options {
    /// The processing units that each worker's thread may run on, for the workers that drive a core; these workers have
    /// the lowest ids. A thread with an empty set may run anywhere.
    std::vector<platform::CpuSet> pus;
    /// Returns the doorbell at which the worker's thread sleeps. If this function is empty, workers have no threads of
    /// their own, and clusters have no teams of threads.
    std::function<Doorbell&(WorkerId)> doorbell;
    /// See `CoreTeam::Options::spin`.
    Duration spin{};
    /// Called when a worker stops taking tasks in order to change its role. `cores` describes the new role: the number
    /// of cores of a leader, 1 for a single core, and 0 if the worker helps. Tasks that begin on the worker after this
    /// call run in its new role. Must not throw, and must not call this object.
    std::function<void(WorkerId, int cores)> tell;
    /// Makes the worker read its standing again; a sleeping worker is woken. Must not throw.
    std::function<void(WorkerId)> wake;
  };

  /// `standings` has one entry for each worker; the standings outlive this object. At first all cores are single.
  Grouping(Options options, std::vector<Standing*> standings);

  /// Begins to form these groups, which contain all cores. If a regrouping is in progress, these groups are formed
  /// after its end, in place of the groups of any earlier call that still wait for it. Throws if there is no memory;
  /// then nothing changes.
  void regroup(Groups groups);
  /// Called by a worker's own thread when the worker's kernel has ended and the worker has passed on all tasks that it
  /// may not keep in its new role. `as` is the state in which the worker drained.
  void drained(WorkerId worker, RegroupingState as);

  /// A worker's place among the clusters. A place holds until all workers whose places change have drained.
  struct Place {
    /// The worker that leads the cluster. A worker that leads, or is a single core, is its own leader.
    WorkerId leader;
    int rank = 0;
    /// The number of cores of the cluster.
    int cores = 1;
    /// Null if the cluster has one core, or workers have no threads.
    std::shared_ptr<CoreTeam> team;
  };
  /// Returns the worker's place. A worker that drives no core counts as a single core.
  [[nodiscard]] Place place(WorkerId worker) const;
  /// Returns the workers of the cluster that `leader` leads, with `leader` first; empty if `leader` helps.
  [[nodiscard]] std::vector<WorkerId> members(WorkerId leader) const;
  /// Returns true if some worker is about to change its place.
  [[nodiscard]] bool in_progress() const;
  /// Returns the number of completed regroupings. A helper reads its place again when this number has changed.
  [[nodiscard]] std::uint64_t completed() const { return completed_.load(std::memory_order_acquire); }

 private:
  void begin(const Groups& groups) TROUPE_REQUIRES(mutex_);
  void open() TROUPE_REQUIRES(mutex_);
  [[nodiscard]] std::shared_ptr<CoreTeam> make_team(const std::vector<WorkerId>& members) const;
  [[nodiscard]] bool is_a_cluster(const std::vector<WorkerId>& members) const TROUPE_REQUIRES(mutex_);

  const Options options_;
  const std::vector<Standing*> standings_;
  mutable Mutex mutex_;
  std::vector<Place> places_ TROUPE_GUARDED_BY(mutex_);
  /// The places after the regrouping in progress; equal to `places_` while nothing changes.
  std::vector<Place> coming_ TROUPE_GUARDED_BY(mutex_);
  /// `changing_` lists the workers whose places change. `draining_` has one entry for each worker, which is true while
  /// the worker still drains. `left_` is the number of workers that still drain.
  std::vector<WorkerId> changing_ TROUPE_GUARDED_BY(mutex_);
  std::vector<bool> draining_ TROUPE_GUARDED_BY(mutex_);
  std::size_t left_ TROUPE_GUARDED_BY(mutex_) = 0;
  /// The groups to form after the regrouping in progress.
  std::optional<Groups> next_ TROUPE_GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> completed_{0};
};

}  // namespace troupe::workers
