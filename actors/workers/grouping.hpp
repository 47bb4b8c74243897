/// Grouping: the clusters that cores form, where these can change while tasks run.
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

/// Every core has a worker with a thread of its own. In a cluster the first worker leads: the scheduler sees it as a
/// worker of so many cores. The others *help*: they take no tasks and lend the leader their threads.
///
/// *Regrouping*: each worker whose cluster changes ends the kernel that it runs and the tasks that it has begun, passes
/// on the tasks that lie with it, and says so (`drained`). The last worker to do so changes the places of all of them.
/// Nobody else takes part, and no thread is made. Thread-safe.
class Grouping {
 public:
  /// The workers of each cluster, single cores included, the leader first.
  using Groups = std::vector<std::vector<WorkerId>>;

  struct Options {
    /// The PUs that each worker's thread runs on, for the workers that drive a core, which have the lowest ids. An
    /// empty set: anywhere.
    std::vector<platform::CpuSet> pus;
    /// Returns the doorbell at which the worker's thread sleeps. Null: workers have no threads of their own, and
    /// leaders have no helpers to call in.
    std::function<Doorbell&(WorkerId)> doorbell;
    /// See `CoreTeam::Options::spin`.
    Duration spin{};
    /// Called when a worker is closed, with its coming role: a leader or a single core with so many cores; 0: it helps.
    /// Tasks that begin from here on begin in that role. Must not throw, and must not call back.
    std::function<void(WorkerId, int cores)> tell;
    /// Has the worker look at its standing, asleep or not. Must not throw.
    std::function<void(WorkerId)> wake;
  };

  /// `standings`: one for each worker; they outlive this. At first all cores are single.
  Grouping(Options options, std::vector<Standing*> standings);

  /// Begins to make these groups of all the cores. If a regrouping is in progress, these groups are made after it, in
  /// place of any that were to be next. Throws if there is no memory; then nothing changes.
  void regroup(Groups groups);
  /// The worker's kernel has ended, and the worker holds nothing that it must not keep for its coming role. `as`: the
  /// state in which it drained. Called by the worker's own thread while it drains.
  void drained(WorkerId worker, Part as);

  /// A worker's place among the clusters. It holds until all workers that change have drained.
  struct Place {
    /// The worker itself if it leads or is alone.
    WorkerId leader;
    int rank = 0;
    /// The number of cores of the cluster.
    int cores = 1;
    /// Null if the cluster has one core, or workers have no threads.
    std::shared_ptr<CoreTeam> team;
  };
  /// A worker that drives no core is alone.
  [[nodiscard]] Place place(WorkerId worker) const;
  /// Returns the workers that the worker leads, itself first; empty if it helps.
  [[nodiscard]] std::vector<WorkerId> members(WorkerId leader) const;
  /// Returns true if some worker is about to change its place.
  [[nodiscard]] bool in_progress() const;
  /// The number of completed regroupings. A helper looks at its place again when this number has changed.
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
  /// Workers whose places change; for each worker, true while it still drains; and the number of those that drain.
  std::vector<WorkerId> changing_ TROUPE_GUARDED_BY(mutex_);
  std::vector<bool> draining_ TROUPE_GUARDED_BY(mutex_);
  std::size_t left_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::optional<Groups> next_ TROUPE_GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> completed_{0};
};

}  // namespace troupe::workers
