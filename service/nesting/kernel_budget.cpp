#include "service/nesting/kernel_budget.hpp"

#include <fmt/format.h>

#include <utility>

namespace troupe::service {
namespace {

/// Threads are counted in steps, so that kernels which wait seldom take the lock that all sessions share.
constexpr std::uint64_t kThreadsAtOnce = 8;

std::uint64_t in_steps(std::uint64_t threads) {
  return (threads + kThreadsAtOnce - 1) / kThreadsAtOnce * kThreadsAtOnce;
}

}  // namespace

KernelBudget::KernelBudget(const Limits& limits, std::shared_ptr<MemoryAccount> account,
                           std::shared_ptr<UserBudgets> budgets, std::uint32_t user)
    : limits_(limits),
      account_(std::move(account)),
      charge_(account_),
      threads_(std::move(budgets), Resource::threads, user) {}

std::uint64_t KernelBudget::bytes() const {
  return children_.load(std::memory_order_relaxed) * limits_.bytes_of_child + of_kernels_ * limits_.bytes_of_handle;
}

Result<void> KernelBudget::check_child() {
  const LockGuard lock(mutex_);
  const std::uint64_t present = children_.load(std::memory_order_relaxed);
  if (present >= limits_.tasks) {
    return Failure{
        ErrorCode::out_of_memory,
        fmt::format("{} tasks that belong to nested tasks are in flight, and the service lets a program have "
                    "no more (limits.tasks): let the nested task wait for its children now and then, or "
                    "divide its work into fewer",
                    present)};
  }
  auto charged = charge_.set(bytes() + limits_.bytes_of_child);
  used_.store(true, std::memory_order_relaxed);
  return charged;
}

Result<void> KernelBudget::begin_wait() {
  const LockGuard lock(mutex_);
  auto room = threads_.set(in_steps(waiting_ + 1));
  if (!room) {
    return Failure{
        ErrorCode::out_of_memory,
        "too many kernels of this user wait for their children, as each may keep a thread: " + room.failure().message};
  }
  ++waiting_;
  return {};
}

void KernelBudget::end_wait() noexcept {
  const LockGuard lock(mutex_);
  --waiting_;
  // Here threads are only given back, which cannot fail.
  [[maybe_unused]] const auto given_back = threads_.set(in_steps(waiting_));
}

Result<void> KernelBudget::check_handles(std::uint64_t present, std::uint64_t more) {
  if (more > limits_.handles || present > limits_.handles - more) {
    return Failure{ErrorCode::out_of_memory,
                   fmt::format("{} registered handles and {} more of a kernel: the service lets a program have {} "
                               "(limits.handles)",
                               present, more, limits_.handles)};
  }
  const LockGuard lock(mutex_);
  const std::uint64_t before = of_kernels_;
  of_kernels_ = present + more > of_client_ ? present + more - of_client_ : 0;
  auto charged = charge_.set(bytes());
  if (!charged) of_kernels_ = before;
  used_.store(true, std::memory_order_relaxed);
  return charged;
}

Result<client::Memory> KernelBudget::charged(client::Memory memory) const {
  if (const MemoryAccount* const full = account_->take(memory.size)) {
    return Failure{
        ErrorCode::out_of_memory,
        fmt::format("a kernel asked for {} of memory; {} of {} are in use, and the service lets {} have no "
                    "more (limits.memory_per_user)",
                    in_mebibytes(memory.size), in_mebibytes(full->used()), in_mebibytes(full->most()), full->whose())};
  }
  std::byte* const data = memory.data.get();
  const Bytes size = memory.size;
  // The deleter frees the memory first, and then gives its bytes back to the account.
  auto give_back = [account = account_, owner = std::move(memory.data), size](std::byte*) mutable {
    owner.reset();
    account->give_back(size);
  };
  return client::Memory{std::shared_ptr<std::byte>(data, std::move(give_back)), size};
}

void KernelBudget::settle(std::uint64_t present, std::uint64_t of_client) {
  const LockGuard lock(mutex_);
  of_client_ = of_client;
  of_kernels_ = present > of_client ? present - of_client : 0;
  // If the user's memory is used up, the charge stays as it is, and the next child is refused.
  [[maybe_unused]] const auto charged = charge_.set(bytes());
  used_.store(bytes() > 0, std::memory_order_relaxed);
}

}  // namespace troupe::service
