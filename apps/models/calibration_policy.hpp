/// Where tasks run when kernels are to be measured on every kind of device.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "actors/scheduler/policy.hpp"

namespace troupe::apps {

/// How many tasks of each size class have been placed on each kind of device. Thread-safe.
class CalibrationLedger {
 public:
  /// The kind, of those that can run the class, that has had the fewest tasks of it, and the count of one more there.
  /// Of equals the first.
  DeviceKind take(SizeClassId size_class, const std::vector<DeviceKind>& kinds);
  /// Every class that has been seen has had so many on every kind that can run it. False before the first task.
  [[nodiscard]] bool has(std::uint64_t tasks) const;

 private:
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::map<std::pair<SizeClassId, DeviceKind>, std::uint64_t> placed_;
};

/// Spreads the tasks of each size class evenly over the kinds of device that can run them, and within a kind gives each
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
