/// The shared memory of one client. It lives as long as the client's connection to the memory socket.
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

/// A secret number of a connection to the memory socket; other users cannot guess it.
using Token = std::array<std::uint8_t, wire::kTokenSize>;

/// The segments of one client. Thread-safe: the connection's thread allocates and releases them, the session's thread
/// finds them.
class ClientMemory {
 public:
  /// `next_id` numbers the segments of all clients; it must outlive this object.
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
    /// The descriptor of the memory, which is sent to the client.
    platform::FileDescriptor descriptor;
  };
  /// Allocates a segment. Fails like `SharedSegment::create`, and also with `invalid_argument` if there are too many
  /// segments, and with `stopped` after `end`.
  Result<Allocated> allocate(Bytes size);
  /// Releases a segment. Its memory is freed when its last user has released it. Fails with `invalid_argument` if no
  /// segment has this id.
  Result<void> release(std::uint64_t id);
  /// Returns the segment with this id; null if there is none.
  [[nodiscard]] std::shared_ptr<SharedSegment> find(std::uint64_t id) const;

  /// Removes all segments and calls the watcher; called when the connection has ended. `take_away` is true if the
  /// client must not keep the memory.
  void end(bool take_away);
  /// Registers a watcher: `gone` is called once, when the connection ends, or at once if it has ended already. After
  /// `unwatch` has returned, `gone` is never called. Returns false, and does nothing, if there is a watcher already.
  bool watch(std::function<void()> gone);
  void unwatch();

  /// Returns the size of the client's segments, including released segments that tasks still use.
  [[nodiscard]] Bytes used() const { return account_->used(); }
  /// Returns the account of the client's shared memory. Its `above` is the account of the user, with all memory that
  /// the service uses for that user.
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
