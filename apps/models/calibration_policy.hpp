/// Where tasks run when kernels are to be measured on every type of device.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "actors/scheduler/policy.hpp"
#include "proto/mutex.hpp"

namespace troupe::apps {

/// How many tasks of each size class have been placed on each type of device (`WorkerState::type`). Thread-safe.
class CalibrationLedger {
 public:
  /// The type, of those that can run the class, that has had the fewest tasks of it, and the count of one more there.
  /// Of equals the first.
  std::uint32_t take(SizeClassId size_class, const std::vector<std::uint32_t>& types);
  /// Every class that has been seen has had so many on every type that can run it. False before the first task.
  [[nodiscard]] bool has(std::uint64_t tasks) const;

 private:
  mutable Mutex mutex_;
  std::map<std::pair<SizeClassId, std::uint32_t>, std::uint64_t> placed_ TROUPE_GUARDED_BY(mutex_);
};

/// Spreads the tasks of each size class evenly over the types of device that can run them, and within a type gives each
/// to the worker with the fewest tasks in its queue; of equals to the one with the smallest id. Decides by no times, so
/// that nothing that was learned before has an influence.
class CalibrationPolicy final : public scheduler::PlacingPolicy {
 public:
  explicit CalibrationPolicy(std::shared_ptr<CalibrationLedger> ledger) : ledger_(std::move(ledger)) {}

  void place(std::span<const scheduler::ReadyTask> tasks, const scheduler::Snapshot& snapshot, Random& random,
             std::span<WorkerId> placement) override;
  [[nodiscard]] bool uses_times() const override { return false; }

 private:
  const std::shared_ptr<CalibrationLedger> ledger_;
};

}  // namespace troupe::apps
