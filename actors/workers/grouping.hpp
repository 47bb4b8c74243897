/// Which cores work together, where that can change while tasks run.
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
#include "proto/ids.hpp"
#include "proto/mutex.hpp"
#include "proto/units.hpp"

namespace troupe::workers {

/// Every core has a worker, with a thread of its own. In a cluster the first leads: to the scheduler it is a worker of
/// so many cores. The others *help*: they take no tasks and lend the leader their threads.
///
/// *Regrouping*: each worker whose cluster changes ends the kernel that it runs and what it has begun, passes on what
/// lies with it, and says so (`drained`). The last to do so changes what all of them are. Nobody else takes part, and
/// no thread is made. Thread-safe.
class Grouping {
 public:
  /// By cluster, single cores included, the leader first.
  using Groups = std::vector<std::vector<WorkerId>>;

  struct Options {
    /// By worker that drives a core, which come first: where its thread runs; an empty set: anywhere.
    std::vector<platform::CpuSet> pus;
    /// Where its thread sleeps; null: workers have no threads of their own, and leaders have nobody to call in.
    std::function<Doorbell&(WorkerId)> doorbell;
    /// As `CoreTeam::Options::spin`.
    Duration spin{};
    /// Told, when it is closed, of what a worker will be: a leader, or alone, with so many cores; 0: it helps. What
    /// begins from here on begins as that. Must not throw, nor call back.
    std::function<void(WorkerId, int cores)> tell;
    /// Has the worker look at its standing, asleep or not. Must not throw.
    std::function<void(WorkerId)> wake;
  };

  /// `standings`: by worker; outlives this. All cores are single.
  Grouping(Options options, std::vector<Standing*> standings);

  /// Begins to make these groups of all the cores, or, where a regrouping is in progress, has that done next, in place
  /// of whatever was to be next. Throws where there is no memory; then nothing changes.
  void regroup(Groups groups);
  /// What the worker ran has ended, and it holds nothing that it is not to keep `as` what it drains for: called by its
  /// own thread as long as it drains.
  void drained(WorkerId worker, Part as);

  /// What a worker is, until all that will be something else have drained.
  struct Place {
    /// Itself, where it leads or is alone.
    WorkerId leader;
    int rank = 0;
    /// Of the cluster.
    int cores = 1;
    /// Null where it has one core, or there are no threads.
    std::shared_ptr<CoreTeam> team;
  };
  /// A worker that drives no core is alone.
  [[nodiscard]] Place place(WorkerId worker) const;
  /// Those that the worker leads, itself first; empty where it helps.
  [[nodiscard]] std::vector<WorkerId> members(WorkerId leader) const;
  /// Some worker will be something else.
  [[nodiscard]] bool in_progress() const;
  /// Regroupings that have been completed. Whoever helps looks at its place again when this has changed.
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
  /// As they will be; the same while nothing changes.
  std::vector<Place> coming_ TROUPE_GUARDED_BY(mutex_);
  /// Workers that will be something else, and those of them that still run something.
  std::vector<WorkerId> changing_ TROUPE_GUARDED_BY(mutex_);
  std::vector<bool> draining_ TROUPE_GUARDED_BY(mutex_);
  std::size_t left_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::optional<Groups> next_ TROUPE_GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> completed_{0};
};

}  // namespace troupe::workers
