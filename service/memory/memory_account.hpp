/// The memory that clients have and may have: of one client, of all clients of a user, of the whole service.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "proto/mutex.hpp"
#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::service {

/// An account of memory. Bytes that are taken from an account are taken from those above it as well. Thread-safe.
class MemoryAccount {
 public:
  /// `whose`: "a client", as messages say it.
  MemoryAccount(std::string whose, Bytes most, std::shared_ptr<MemoryAccount> above = nullptr)
      : whose_(std::move(whose)), most_(most), above_(std::move(above)) {}

  /// Null where it was taken. Else nothing was, and the account that has no room for it is returned.
  [[nodiscard]] const MemoryAccount* take(Bytes size);
  void give_back(Bytes size);

  [[nodiscard]] Bytes used() const { return {used_.load(std::memory_order_relaxed)}; }
  [[nodiscard]] Bytes most() const { return most_; }
  [[nodiscard]] const std::string& whose() const { return whose_; }
  /// Null for the service's.
  [[nodiscard]] const std::shared_ptr<MemoryAccount>& above() const { return above_; }

 private:
  const std::string whose_;
  const Bytes most_;
  const std::shared_ptr<MemoryAccount> above_;
  std::atomic<std::uint64_t> used_{0};
};

/// The accounts of a service. Thread-safe.
class MemoryAccounts {
 public:
  struct Limits {
    /// The limit of all clients together.
    Bytes service;
    Bytes user;
    /// Shared memory alone; the rest is its user's.
    Bytes client;
  };
  explicit MemoryAccounts(const Limits& limits);

  /// For a new client of a user.
  [[nodiscard]] std::shared_ptr<MemoryAccount> open(std::uint32_t user);

 private:
  const Limits limits_;
  const std::shared_ptr<MemoryAccount> service_;
  Mutex mutex_;
  std::map<std::uint32_t, std::weak_ptr<MemoryAccount>> users_ TROUPE_GUARDED_BY(mutex_);
};

/// The bytes that a session has taken of an account for the service's own objects. They go back at the end. One thread.
class MemoryCharge {
 public:
  explicit MemoryCharge(std::shared_ptr<MemoryAccount> account) : account_(std::move(account)) {}
  ~MemoryCharge() { account_->give_back({taken_}); }
  MemoryCharge(const MemoryCharge&) = delete;
  MemoryCharge& operator=(const MemoryCharge&) = delete;

  /// So much in all from now on. Fails with `out_of_memory`, and changes nothing.
  Result<void> set(std::uint64_t bytes);
  [[nodiscard]] std::uint64_t highest() const { return highest_; }
  [[nodiscard]] const MemoryAccount& account() const { return *account_; }

 private:
  const std::shared_ptr<MemoryAccount> account_;
  std::uint64_t taken_ = 0;
  std::uint64_t highest_ = 0;
};

/// "64.0 MiB".
[[nodiscard]] std::string in_mebibytes(Bytes size);

/// Returns the limits of a service whose configuration does not say less: not all memory of the machine or the control
/// group, as the service needs some itself. `user` and `client` are the configured limits; no `user`: three quarters.
[[nodiscard]] MemoryAccounts::Limits possible_limits(Bytes host, Bytes user, Bytes client);

}  // namespace troupe::service
