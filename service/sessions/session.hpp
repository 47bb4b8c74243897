/// One client's program: from `Hello` to the end of its last task.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "actors/running/runtime_system.hpp"
#include "proto/mutex.hpp"
#include "service/budgets/user_budgets.hpp"
#include "service/budgets/user_time.hpp"
#include "service/codelets/codelet_source.hpp"
#include "service/connections/peer.hpp"
#include "service/memory/memory_server.hpp"
#include "service/server_options.hpp"
#include "service/sessions/session_mailbox.hpp"
#include "service/sessions/session_stream.hpp"
#include "service/sessions/session_work.hpp"
#include "service/views/service_view.hpp"
#include "troupe/errors.hpp"

namespace troupe::service {

/// The objects that all sessions of a service use; they outlive the sessions.
struct SessionHost {
  actors::RuntimeSystem& system;
  const CodeletSource& codelets;
  MemoryServer& memory;
  RefusedTasks& refused;
  const ServerOptions& options;
  std::shared_ptr<UserBudgets> budgets;
  /// `time` has the processor time that the sessions of each user take. `several_users` is true if several users have
  /// sessions: only then is the time limited.
  std::shared_ptr<UserTime> time;
  std::shared_ptr<std::atomic<bool>> several_users = std::make_shared<std::atomic<bool>>(false);
};

/// A session has a thread, which handles the client's messages in the order in which the client sent them. Other
/// clients never have to wait for this thread.
class Session : public StreamListener {
 public:
  /// `peer` is the client's process, as the kernel noted it for the stream's connection.
  Session(const SessionHost& host, std::uint64_t id, Peer peer);

  /// Reserves a thread from the user's budget. Called before `start`.
  Result<void> reserve() { return thread_hold_.set(1); }
  /// Begins to serve `stream`, whose listener is this session. The session's thread calls `ended` when all kernels of
  /// the client have ended and its data are removed. Throws `std::system_error` if the thread cannot be started.
  void start(SessionStream& stream, std::function<void(Session&)> ended);
  /// Joins the session's thread. Called by another thread, after `ended` was called.
  void join() { thread_.join(); }

  // Any thread may call the following functions.
  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] const Peer& peer() const { return peer_; }
  [[nodiscard]] SessionView look() const;
  /// Returns why tasks wait; nothing if the session has not begun or has ended.
  [[nodiscard]] std::optional<WhyReport> why() const;
  /// Cancels tasks that have not started, and tasks that are submitted later. Returns the number of tasks in flight.
  std::uint64_t cancel(const Failure& reason);
  /// Refuses new tasks, and ends the session when the present tasks have ended.
  void drain(const Failure& reason);

 private:
  using Clock = std::chrono::steady_clock;

  void received(grpc::ByteBuffer message) override;
  void received_all() override;
  void wrote(bool ok) override;
  void gone() override;

  void run();
  /// Serves the client to the end. Returns the reason to send to the client; nothing if the client has gone.
  std::optional<Failure> serve();
  SessionNews next_news();
  /// Handles all news since the last call. Returns false if the session ends; `goodbye_` then has the reason.
  bool handle(SessionNews news);
  Result<void> handle(grpc::ByteBuffer& bytes);
  /// Pauses this thread if the user's sessions use more than a fair share of the processor while other users have
  /// sessions.
  void rest();
  Result<void> handle(MessageReader& message);
  Result<void> welcome(const v1::Operation& first);
  [[nodiscard]] Result<std::shared_ptr<ClientMemory>> find_memory(const v1::Hello& hello) const;
  void listen();
  void tell();
  void say_goodbye(const Failure& why);
  void wait_until_written();
  void wait_for_cancellation();
  void take_down();
  void log(LogLevel level, std::string_view event, const std::optional<Failure>& why = std::nullopt) const;

  const SessionHost host_;
  const std::uint64_t id_;
  const Peer peer_;
  /// Counts the session's thread against the user's budget until the thread ends.
  BudgetHold thread_hold_;
  const Clock::time_point began_ = Clock::now();
  /// The mailbox is shared, because a callback may still use it after the session is destroyed.
  const std::shared_ptr<SessionMailbox> mailbox_ = std::make_shared<SessionMailbox>();
  std::function<void(Session&)> ended_;
  std::thread thread_;

  // Used by the session's thread only.
  SessionStream* stream_ = nullptr;
  std::deque<grpc::ByteBuffer> messages_;
  v1::Operation incoming_;
  v1::ServiceMessage outgoing_;
  /// The flags tell if a message is being read or written now, and if the client has sent its last message.
  struct Traffic {
    bool reading = false;
    bool writing = false;
    bool received_all = false;
  };
  Traffic traffic_;
  bool gone_ = false;
  std::optional<Failure> draining_;
  std::optional<Failure> goodbye_;
  /// The thread's processor time at the moment when it was last counted for the user.
  Duration used_{};
  /// The time until which the client may read the messages that are sent to it; empty if there is no limit.
  std::optional<Clock::time_point> latest_;
  std::shared_ptr<ClientMemory> memory_;
  std::string name_;
  double weight_ = 1;

  mutable Mutex mutex_;
  /// Only the session's thread changes this pointer, with the mutex locked; that thread reads the pointer without the
  /// mutex.
  std::unique_ptr<SessionWork> work_;
  /// The facts that do not change while the session works, and the final result when the session has ended.
  SessionView view_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::service
