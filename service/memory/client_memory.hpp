/// The shared memory of one client: what hangs on its connection to the memory socket.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "proto/mutex.hpp"
#include "proto/wire/memory_packets.hpp"
#include "service/connections/peer.hpp"
#include "service/memory/shared_segment.hpp"
#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::service {

/// Names a connection to the memory socket; nobody else can guess it.
using Token = std::array<std::uint8_t, wire::kTokenSize>;

/// Thread-safe: the connection's thread allocates and releases, the session's thread finds.
class ClientMemory {
 public:
  /// `next_id` numbers the segments of all clients; it outlives this.
  ClientMemory(Peer peer, const Token& token, std::size_t most_segments, std::shared_ptr<MemoryAccount> account,
               std::shared_ptr<UserBudgets> budgets, std::atomic<std::uint64_t>& next_id)
      : peer_(std::move(peer)),
        token_(token),
        most_segments_(most_segments),
        account_(std::move(account)),
        budgets_(std::move(budgets)),
        next_id_(next_id) {}

  [[nodiscard]] const Peer& peer() const { return peer_; }
  [[nodiscard]] const Token& token() const { return token_; }

  struct Allocated {
    std::uint64_t id = 0;
    Bytes size;
    /// The descriptor of the memory, for the client.
    platform::FileDescriptor descriptor;
  };
  /// Fails like `SharedSegment::create`; with `invalid_argument` if there are too many segments, and with `stopped`
  /// after `end`.
  Result<Allocated> allocate(Bytes size);
  /// The memory goes with its last user. `invalid_argument` where there is no such segment.
  Result<void> release(std::uint64_t id);
  /// Null where there is no such segment.
  [[nodiscard]] std::shared_ptr<SharedSegment> find(std::uint64_t id) const;

  /// The connection has ended: forgets all segments, and tells who watches. `take_away`: the client is not to keep
  /// them.
  void end(bool take_away);
  /// `gone` is called once, when the connection ends, or now if it has; never after `unwatch` has returned. One watcher
  /// at a time: false where there is one.
  bool watch(std::function<void()> gone);
  void unwatch();

  /// Memory that it has, released segments that are still used included.
  [[nodiscard]] Bytes used() const { return account_->used(); }
  /// Returns the account of shared memory; `above` is its user's, for all that the service keeps for him.
  [[nodiscard]] const MemoryAccount& account() const { return *account_; }

 private:
  const Peer peer_;
  const Token token_;
  const std::size_t most_segments_;
  const std::shared_ptr<MemoryAccount> account_;
  const std::shared_ptr<UserBudgets> budgets_;
  std::atomic<std::uint64_t>& next_id_;
  mutable Mutex mutex_;
  bool ended_ TROUPE_GUARDED_BY(mutex_) = false;
  std::map<std::uint64_t, std::shared_ptr<SharedSegment>> segments_ TROUPE_GUARDED_BY(mutex_);
  bool watched_ TROUPE_GUARDED_BY(mutex_) = false;
  std::function<void()> gone_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::service
