#include "service/memory/memory_account.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace troupe::service {

const MemoryAccount* MemoryAccount::take(Bytes size) {
  std::uint64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (size.count > most_.count || used > most_.count - size.count) return this;
  } while (!used_.compare_exchange_weak(used, used + size.count, std::memory_order_relaxed));
  if (!above_) return nullptr;
  const MemoryAccount* const full = above_->take(size);
  if (full != nullptr) used_.fetch_sub(size.count, std::memory_order_relaxed);
  return full;
}

void MemoryAccount::give_back(Bytes size) {
  used_.fetch_sub(size.count, std::memory_order_relaxed);
  if (above_) above_->give_back(size);
}

MemoryAccounts::MemoryAccounts(const Limits& limits)
    : limits_(limits), service_(std::make_shared<MemoryAccount>("all its clients together", limits.service)) {}

std::shared_ptr<MemoryAccount> MemoryAccounts::open(std::uint32_t user) {
  const LockGuard lock(mutex_);
  std::erase_if(users_, [](const auto& entry) { return entry.second.expired(); });
  std::shared_ptr<MemoryAccount> of_user = users_[user].lock();
  if (!of_user) {
    of_user = std::make_shared<MemoryAccount>(fmt::format("user {}", user), limits_.user, service_);
    users_[user] = of_user;
  }
  return std::make_shared<MemoryAccount>("a client", limits_.client, std::move(of_user));
}

Result<void> MemoryCharge::set(std::uint64_t bytes) {
  // Bytes are charged in units of 64 KiB: smaller changes are not worth the atomic operations.
  constexpr std::uint64_t kGrain = 64 << 10U;
  const std::uint64_t wanted = (bytes + kGrain - 1) / kGrain * kGrain;
  if (wanted > taken_) {
    if (const MemoryAccount* const full = account_->take({wanted - taken_})) {
      return Failure{ErrorCode::out_of_memory,
                     fmt::format("the service would need {} more for what this client has there, its tasks in flight, "
                                 "recordings, handles, codelets and partial results of reductions; {} of {} are in "
                                 "use, and it lets {} have no more (limits.memory_per_user)",
                                 in_mebibytes({wanted - taken_}), in_mebibytes(full->used()),
                                 in_mebibytes(full->most()), full->whose())};
    }
  } else if (wanted < taken_) {
    account_->give_back({taken_ - wanted});
  }
  taken_ = wanted;
  highest_ = std::max(highest_, taken_);
  return {};
}

std::string in_mebibytes(Bytes size) { return fmt::format("{:.1f} MiB", static_cast<double>(size.count) / 1048576.0); }

MemoryAccounts::Limits possible_limits(Bytes host, Bytes user, Bytes client) {
  constexpr std::uint64_t kLeast = 16ULL << 20U;
  const Bytes service{std::max(host.count / 8 * 7, kLeast)};
  const Bytes wanted{user.count == 0 ? std::max(host.count / 4 * 3, kLeast) : user.count};
  const Bytes of_user = std::min(wanted, service);
  return {service, of_user, std::min(client, of_user)};
}

}  // namespace troupe::service
