/// Counters of the core time that a cluster was offered and used.
#pragma once

#include <atomic>
#include <cstdint>

#include "troupe/team.hpp"
#include "troupe/units.hpp"

namespace troupe::workers {

/// The worker adds to the counters, and any thread may read the counters. A reader may miss some of the time of the
/// last task. The counters are in the worker's port, which outlives the worker's actor.
class TeamCounters {
 public:
  void add(const TeamUse& use) noexcept {
    add(offered_ns_, use.offered);
    add(used_ns_, use.used);
    add(unseen_ns_, use.unseen);
  }

  [[nodiscard]] TeamUse sum() const noexcept {
    // The used time is added after the offered time and read before it, so it never exceeds the offered time. Acquire:
    // pairs with the release in `add`.
    const Duration used(used_ns_.load(std::memory_order_acquire));
    return {Duration(offered_ns_.load(std::memory_order_relaxed)), used,
            Duration(unseen_ns_.load(std::memory_order_relaxed))};
  }

 private:
  /// Only one thread writes. Release: pairs with the acquire in `sum`.
  static void add(std::atomic<std::int64_t>& counter, Duration amount) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + amount.count(), std::memory_order_release);
  }

  std::atomic<std::int64_t> offered_ns_{0};
  std::atomic<std::int64_t> used_ns_{0};
  std::atomic<std::int64_t> unseen_ns_{0};
};

}  // namespace troupe::workers
