/// Counts how much of each scarce resource every user has.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "proto/mutex.hpp"
#include "service/budgets/budget_table.hpp"
#include "troupe/errors.hpp"

namespace troupe::service {

/// Counts per user and in total. No user gets more than the limit per user. The last quarter of the total is reserved
/// for users who have at most 1/32 of the total, so that a greedy user leaves some to the others. Thread-safe.
class UserBudgets {
 public:
  /// `per_user` is each user's limit; 0 means half of the total.
  UserBudgets(const ResourceAmounts& total, const ResourceAmounts& per_user);

  /// Takes `count` of the resource. If there is no room, takes nothing and returns `invalid_argument` with a message
  /// for the user.
  [[nodiscard]] Result<void> take(Resource resource, std::uint32_t user, std::uint64_t count = 1);
  void give_back(Resource resource, std::uint32_t user, std::uint64_t count = 1);
  [[nodiscard]] std::uint64_t used(Resource resource, std::uint32_t user) const;
  [[nodiscard]] std::uint64_t most_of_user(Resource resource) const { return entry(resource).per_user; }

 private:
  struct Entry {
    std::uint64_t total = 0;
    std::uint64_t per_user = 0;
    std::uint64_t used = 0;
    /// The amount that each user has. Users who have nothing have no entry.
    std::map<std::uint32_t, std::uint64_t> by_user = {};
  };
  [[nodiscard]] const Entry& entry(Resource resource) const { return entries_[static_cast<std::size_t>(resource)]; }

  mutable Mutex mutex_;
  /// `used` and `by_user` are guarded by the mutex; the other fields do not change.
  std::array<Entry, kResources> entries_;
};

/// An amount taken from the budgets; the destructor gives it back.
class BudgetHold {
 public:
  BudgetHold() = default;
  BudgetHold(std::shared_ptr<UserBudgets> budgets, Resource resource, std::uint32_t user)
      : budgets_(std::move(budgets)), resource_(resource), user_(user) {}
  BudgetHold(BudgetHold&& other) noexcept
      : budgets_(std::move(other.budgets_)),
        resource_(other.resource_),
        user_(other.user_),
        count_(std::exchange(other.count_, 0)) {}
  BudgetHold& operator=(BudgetHold&& other) noexcept {
    std::swap(budgets_, other.budgets_);
    std::swap(resource_, other.resource_);
    std::swap(user_, other.user_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~BudgetHold() {
    if (count_ > 0) budgets_->give_back(resource_, user_, count_);
  }

  /// Takes more or gives some back, so that this object has `count` in all. Fails as `UserBudgets::take` does.
  Result<void> set(std::uint64_t count);
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  std::shared_ptr<UserBudgets> budgets_;
  Resource resource_ = Resource::segments;
  std::uint32_t user_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace troupe::service
