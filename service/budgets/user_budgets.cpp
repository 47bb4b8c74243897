#include "service/budgets/user_budgets.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace troupe::service {
namespace {

Failure too_many(Resource resource, std::uint32_t user, std::uint64_t has, std::uint64_t more, std::uint64_t most) {
  const BudgetTraits& traits = traits_of(resource);
  return {ErrorCode::invalid_argument, fmt::format("user {} has {} {}, wants {} more, and may have {} ({}): {}", user,
                                                   has, traits.what, more, most, traits.key, traits.advice)};
}

Failure none_left(Resource resource, std::uint32_t user, std::uint64_t has, std::uint64_t used) {
  const BudgetTraits& traits = traits_of(resource);
  return {ErrorCode::invalid_argument,
          fmt::format("all users together have {} {}, user {} has {} of them, and what the system has left, {}, is for "
                      "users who have next to none: {}, or try again later",
                      used, traits.what, user, has, traits.total, traits.advice)};
}

}  // namespace

UserBudgets::UserBudgets(const ResourceAmounts& total, const ResourceAmounts& per_user) {
  for (std::size_t i = 0; i < kResources; ++i) {
    entries_[i].total = total[i];
    const std::uint64_t half = std::max<std::uint64_t>(total[i] / 2, 1);
    entries_[i].per_user = per_user[i] == 0 ? half : std::min(per_user[i], total[i]);
  }
}

Result<void> UserBudgets::take(Resource resource, std::uint32_t user, std::uint64_t count) {
  const LockGuard lock(mutex_);
  Entry& of = entries_[static_cast<std::size_t>(resource)];
  const auto found = of.by_user.find(user);
  const std::uint64_t has = found == of.by_user.end() ? 0 : found->second;
  if (count > of.per_user - std::min(of.per_user, has)) return too_many(resource, user, has, count, of.per_user);
  const bool has_little = count <= of.total / 32 && has <= of.total / 32 - count;
  const std::uint64_t most = has_little ? of.total : of.total - of.total / 4;
  if (count > most - std::min(most, of.used)) return none_left(resource, user, has, of.used);
  if (count == 0) return {};
  of.by_user[user] = has + count;
  of.used += count;
  return {};
}

void UserBudgets::give_back(Resource resource, std::uint32_t user, std::uint64_t count) {
  const LockGuard lock(mutex_);
  Entry& of = entries_[static_cast<std::size_t>(resource)];
  of.used -= count;
  const auto found = of.by_user.find(user);
  found->second -= count;
  if (found->second == 0) of.by_user.erase(found);
}

std::uint64_t UserBudgets::used(Resource resource, std::uint32_t user) const {
  const LockGuard lock(mutex_);
  const auto& by_user = entry(resource).by_user;
  const auto found = by_user.find(user);
  return found == by_user.end() ? 0 : found->second;
}

Result<void> BudgetHold::set(std::uint64_t count) {
  if (count > count_) {
    if (auto taken = budgets_->take(resource_, user_, count - count_); !taken) return taken;
  } else if (count < count_) {
    budgets_->give_back(resource_, user_, count_ - count);
  }
  count_ = count;
  return {};
}

}  // namespace troupe::service
