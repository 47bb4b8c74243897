/// Accounts of the memory that clients have, with limits: one for each client, one for all clients of each user, and
/// one for the service.
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

/// An account of memory. Bytes that are taken from an account are also taken from all accounts above it. Thread-safe.
class MemoryAccount {
 public:
  /// `whose` names the owner in messages, such as "a client".
  MemoryAccount(std::string whose, Bytes most, std::shared_ptr<MemoryAccount> above = nullptr)
      : whose_(std::move(whose)), most_(most), above_(std::move(above)) {}

  /// Takes bytes and returns null, or takes none and returns the account that has no room for them.
  [[nodiscard]] const MemoryAccount* take(Bytes size);
  void give_back(Bytes size);

  [[nodiscard]] Bytes used() const { return {used_.load(std::memory_order_relaxed)}; }
  [[nodiscard]] Bytes most() const { return most_; }
  [[nodiscard]] const std::string& whose() const { return whose_; }
  /// Returns the account above; null for the service's account.
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
    /// The limit of one client's shared memory. The client's other memory counts only towards its user's limit.
    Bytes client;
  };
  explicit MemoryAccounts(const Limits& limits);

  /// Opens an account for a new client of a user.
  [[nodiscard]] std::shared_ptr<MemoryAccount> open(std::uint32_t user);

 private:
  const Limits limits_;
  const std::shared_ptr<MemoryAccount> service_;
  Mutex mutex_;
  std::map<std::uint32_t, std::weak_ptr<MemoryAccount>> users_ TROUPE_GUARDED_BY(mutex_);
};

/// The bytes that a session has taken from an account for the service's own objects. The destructor gives them back.
/// Only one thread may use this class.
class MemoryCharge {
 public:
  explicit MemoryCharge(std::shared_ptr<MemoryAccount> account) : account_(std::move(account)) {}
  ~MemoryCharge() { account_->give_back({taken_}); }
  MemoryCharge(const MemoryCharge&) = delete;
  MemoryCharge& operator=(const MemoryCharge&) = delete;

  /// Takes or gives back bytes, so that `bytes` are taken in all. Fails with `out_of_memory`, and then changes nothing.
  Result<void> set(std::uint64_t bytes);
  [[nodiscard]] std::uint64_t highest() const { return highest_; }
  [[nodiscard]] const MemoryAccount& account() const { return *account_; }

 private:
  const std::shared_ptr<MemoryAccount> account_;
  std::uint64_t taken_ = 0;
  std::uint64_t highest_ = 0;
};

/// Returns a size as text, such as "64.0 MiB".
[[nodiscard]] std::string in_mebibytes(Bytes size);

/// Returns the limits of a service. Clients get less than all memory of the machine or the control group (`host`),
/// because the service itself needs some. `user` and `client` are the configured limits; a `user` of 0 means three
/// quarters of `host`.
[[nodiscard]] MemoryAccounts::Limits possible_limits(Bytes host, Bytes user, Bytes client);

}  // namespace troupe::service
