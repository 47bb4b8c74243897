/// Counts what the kernels of one client's nested tasks take, against the limits of the client and its user.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "graph/tasks/nesting_budget.hpp"
#include "proto/mutex.hpp"
#include "service/budgets/user_budgets.hpp"
#include "service/memory/memory_account.hpp"
#include "troupe/data.hpp"
#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::service {

/// Children, which kernels of nested tasks submit, are counted apart from the tasks that the client submits. The
/// reasons are that the client cannot know how many children there are, and that a nested task could not end if its
/// client's own tasks took all the room. Any thread may use this class.
class KernelBudget final : public graph::NestingBudget {
 public:
  struct Limits {
    /// The limits for children in flight (`tasks`) and for registered handles (`handles`), including the client's own
    /// handles.
    std::uint64_t tasks = 0;
    std::uint64_t handles = 0;
    /// The estimated cost in bytes of a child and of a handle.
    std::uint64_t bytes_of_child = 0;
    std::uint64_t bytes_of_handle = 0;
  };
  /// `account` is the user's account of memory.
  KernelBudget(const Limits& limits, std::shared_ptr<MemoryAccount> account, std::shared_ptr<UserBudgets> budgets,
               std::uint32_t user);

  Result<void> check_child() override;
  void child_added() noexcept override { children_.fetch_add(1, std::memory_order_relaxed); }
  void child_ended() noexcept override { children_.fetch_sub(1, std::memory_order_relaxed); }
  Result<void> begin_wait() override;
  void end_wait() noexcept override;

  /// Checks that the client may have `more` handles besides the `present` ones, and charges the user for all handles
  /// that kernels have made.
  Result<void> check_handles(std::uint64_t present, std::uint64_t more);
  /// Charges the user for memory that a kernel allocates, until the last owner of the memory gives it back.
  Result<client::Memory> charged(client::Memory memory) const;
  /// Returns true if the user may be charged for something that `settle` could give back. The result is only a hint.
  [[nodiscard]] bool used() const { return used_.load(std::memory_order_relaxed); }
  /// Charges the user for the present children, and for the handles that kernels have made: all `present` handles
  /// except those `of_client`, which the client itself has registered.
  void settle(std::uint64_t present, std::uint64_t of_client);

 private:
  [[nodiscard]] std::uint64_t bytes() const TROUPE_REQUIRES(mutex_);

  const Limits limits_;
  const std::shared_ptr<MemoryAccount> account_;
  /// All accesses are relaxed, because the count orders no other data.
  std::atomic<std::uint64_t> children_{0};
  std::atomic<bool> used_{false};
  Mutex mutex_;
  MemoryCharge charge_ TROUPE_GUARDED_BY(mutex_);
  /// The handles that the client has registered, the handles that kernels have made, and the kernels that wait for
  /// children now.
  std::uint64_t of_client_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::uint64_t of_kernels_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::uint64_t waiting_ TROUPE_GUARDED_BY(mutex_) = 0;
  /// The threads that these waiting kernels may keep, counted against the user's budget.
  BudgetHold threads_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::service
