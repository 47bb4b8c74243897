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

/// Children are counted apart from the tasks that the client submits: the client cannot know how many there are, and a
/// nested task could not end if its client's own tasks took all the room. Any thread may use this class.
class KernelBudget final : public graph::NestingBudget {
 public:
  struct Limits {
    /// The most children in flight, and the most registered handles, those of the client included.
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

  /// Checks that the client may have `more` handles besides the `present` ones, and charges those that kernels have
  /// made.
  Result<void> check_handles(std::uint64_t present, std::uint64_t more);
  /// Charges the user for memory that a kernel allocates, until the last owner of the memory gives it back.
  Result<client::Memory> charged(client::Memory memory) const;
  /// Returns true if something may be charged, so that `settle` may have to give it back. Only a hint.
  [[nodiscard]] bool used() const { return used_.load(std::memory_order_relaxed); }
  /// Charges what there is now: of the `present` handles, `of_client` are those that the client itself has registered.
  void settle(std::uint64_t present, std::uint64_t of_client);

 private:
  [[nodiscard]] std::uint64_t bytes() const TROUPE_REQUIRES(mutex_);

  const Limits limits_;
  const std::shared_ptr<MemoryAccount> account_;
  /// Relaxed: the count orders nothing else.
  std::atomic<std::uint64_t> children_{0};
  std::atomic<bool> used_{false};
  Mutex mutex_;
  MemoryCharge charge_ TROUPE_GUARDED_BY(mutex_);
  /// The handles of the client, and those that kernels have made.
  std::uint64_t of_client_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::uint64_t of_kernels_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::uint64_t waiting_ TROUPE_GUARDED_BY(mutex_) = 0;
  /// The threads that kernels which wait may keep.
  BudgetHold threads_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::service
