/// All sessions of a service.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "proto/mutex.hpp"
#include "service/connections/peer.hpp"
#include "service/sessions/session.hpp"

namespace troupe::service {

/// The running sessions, and the last sessions that ended. Thread-safe.
class SessionRegistry {
 public:
  /// The number of ended sessions that are remembered.
  static constexpr std::size_t kRemembered = 100;

  explicit SessionRegistry(const SessionHost& host) : host_(host) {}
  /// Cancels all remaining sessions, and waits until they have ended.
  ~SessionRegistry();
  SessionRegistry(const SessionRegistry&) = delete;
  SessionRegistry& operator=(const SessionRegistry&) = delete;

  using Reactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;
  /// Begins a session, or sends its client the reason for a refusal.
  Reactor* open(grpc::CallbackServerContext& context, const std::optional<Peer>& peer);
  /// Sends a client the reason why it gets no session.
  Reactor* refuse(const Failure& why);

  /// Refuses new sessions. Each present session ends when its tasks have ended.
  void drain();
  /// Does what `drain` does, and also cancels the tasks.
  void cancel();
  /// Waits until all sessions have ended. Returns false if some are left after `at_most`.
  bool wait_until_empty(Duration at_most);

  /// Returns the sessions by id, except sessions whose client has not sent `hello`.
  [[nodiscard]] std::vector<SessionView> look() const;
  /// Returns the ended sessions that are remembered, the newest last.
  [[nodiscard]] std::vector<SessionView> ended() const;
  /// Returns the running session with this id; null if there is none.
  [[nodiscard]] std::shared_ptr<Session> find(std::uint64_t id) const;
  [[nodiscard]] bool draining() const;

 private:
  void has_ended(Session& session);
  /// Updates `SessionHost::several_users`.
  void look_for_users() TROUPE_REQUIRES(mutex_);
  /// Joins the threads of sessions that have ended.
  void collect();
  [[nodiscard]] std::optional<Failure> why_refused(const std::optional<Peer>& peer) const TROUPE_REQUIRES(mutex_);
  [[nodiscard]] std::vector<std::shared_ptr<Session>> running() const;

  const SessionHost host_;
  mutable Mutex mutex_;
  std::condition_variable changed_;
  bool draining_ TROUPE_GUARDED_BY(mutex_) = false;
  std::uint64_t next_ TROUPE_GUARDED_BY(mutex_) = 1;
  std::map<std::uint64_t, std::shared_ptr<Session>> running_ TROUPE_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Session>> to_join_ TROUPE_GUARDED_BY(mutex_);
  std::deque<SessionView> ended_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::service
