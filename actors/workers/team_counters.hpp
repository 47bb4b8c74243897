/// What share of its cores' time a cluster has used so far.
#pragma once

#include <atomic>
#include <cstdint>

#include "proto/team_use.hpp"
#include "proto/units.hpp"

namespace troupe::workers {

/// Written by the worker, read by any thread; what is read may lack a part of the last task. Outlives the worker's
/// actor, as a part of its port.
class TeamCounters {
 public:
  void add(const TeamUse& use) noexcept {
    add(offered_ns_, use.offered);
    add(used_ns_, use.used);
    add(unseen_ns_, use.unseen);
  }

  [[nodiscard]] TeamUse sum() const noexcept {
    // Never more used than offered: what was offered for it has been added before. Acquire: pairs with `add`.
    const Duration used(used_ns_.load(std::memory_order_acquire));
    return {Duration(offered_ns_.load(std::memory_order_relaxed)), used,
            Duration(unseen_ns_.load(std::memory_order_relaxed))};
  }

 private:
  /// It has one writer. Release: see `sum`.
  static void add(std::atomic<std::int64_t>& counter, Duration amount) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + amount.count(), std::memory_order_release);
  }

  std::atomic<std::int64_t> offered_ns_{0};
  std::atomic<std::int64_t> used_ns_{0};
  std::atomic<std::int64_t> unseen_ns_{0};
};

}  // namespace troupe::workers
