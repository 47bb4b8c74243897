/// The policy that places tasks so that kernels are measured on every type of device.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "actors/scheduler/policy.hpp"
#include "proto/mutex.hpp"

namespace troupe::apps {

/// Counts the tasks of each size class that have been placed on each type of device (`WorkerState::type`). Thread-safe.
class CalibrationLedger {
 public:
  /// Returns the type with the fewest tasks of the class (among equals the first), and counts one more task for this
  /// type. All `types` can run the class.
  std::uint32_t take(SizeClassId size_class, const std::vector<std::uint32_t>& types);
  /// Returns true if every class so far has had `tasks` tasks on every type that can run it. Returns false before the
  /// first task.
  [[nodiscard]] bool has(std::uint64_t tasks) const;

 private:
  mutable Mutex mutex_;
  std::map<std::pair<SizeClassId, std::uint32_t>, std::uint64_t> placed_ TROUPE_GUARDED_BY(mutex_);
};

/// Spreads the tasks of each size class evenly over the types of device that can run them. Among the workers of a type,
/// it chooses the worker with the fewest tasks in its queue, and among equals the smallest id. It uses no times, so
/// earlier measurements have no influence.
class CalibrationPolicy final : public scheduler::PlacingPolicy {
 public:
  explicit CalibrationPolicy(std::shared_ptr<CalibrationLedger> ledger) : ledger_(std::move(ledger)) {}

  void place(std::span<const scheduler::ReadyTask> tasks, const scheduler::Snapshot& snapshot, Random& random,
             std::span<WorkerId> placement) override;
  [[nodiscard]] scheduler::PolicyTraits policy_traits() const override { return {.uses_times = false}; }

 private:
  const std::shared_ptr<CalibrationLedger> ledger_;
};

}  // namespace troupe::apps
