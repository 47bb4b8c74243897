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
  /// The processor time that sessions use for each user, and whether there are other users who would suffer from it.
  std::shared_ptr<UserTime> time;
  std::shared_ptr<std::atomic<bool>> several_users = std::make_shared<std::atomic<bool>>(false);
};

/// Has a thread, in which everything happens in the order in which the client said it. Nothing that another client
/// waits for happens there.
class Session : public StreamListener {
 public:
  /// `peer`: of the stream's connection.
  Session(const SessionHost& host, std::uint64_t id, Peer peer);

  /// Reserves a thread from the user's budget. Called before `start`.
  Result<void> reserve() { return thread_hold_.set(1); }
  /// Begins, with a stream whose listener it is. `ended` is called by the session's thread when nothing of the client
  /// is left: no kernel, no data. Throws `std::system_error` where the system has no thread for it.
  void start(SessionStream& stream, std::function<void(Session&)> ended);
  /// Called by another thread, after `ended` was called.
  void join() { thread_.join(); }

  // Any thread.
  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] const Peer& peer() const { return peer_; }
  [[nodiscard]] SessionView look() const;
  /// Nothing where it has not begun, or has ended.
  [[nodiscard]] std::optional<WhyReport> why() const;
  /// Cancels tasks that have not started, and those that come later. Returns how many were in flight.
  std::uint64_t cancel(const Failure& reason);
  /// Takes no more tasks, and ends when those that are there have ended.
  void drain(const Failure& reason);

 private:
  using Clock = std::chrono::steady_clock;

  void received(grpc::ByteBuffer message) override;
  void received_all() override;
  void wrote(bool ok) override;
  void gone() override;

  void run();
  /// Returns why the session ends, as the client is told; nothing where there is nobody to tell.
  std::optional<Failure> serve();
  SessionNews next_news();
  /// Handles all that has come since the last call. Returns false if the session ends; `goodbye_` says why.
  bool handle(SessionNews news);
  Result<void> handle(grpc::ByteBuffer& bytes);
  /// Waits where the user's sessions use more of the processor than is right while others are there.
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
  /// For its thread; given back when that has ended.
  BudgetHold thread_hold_;
  const Clock::time_point began_ = Clock::now();
  /// Outlives the session where a callback is on its way out.
  const std::shared_ptr<SessionMailbox> mailbox_ = std::make_shared<SessionMailbox>();
  std::function<void(Session&)> ended_;
  std::thread thread_;

  // The session's thread.
  SessionStream* stream_ = nullptr;
  std::deque<grpc::ByteBuffer> messages_;
  v1::Operation incoming_;
  v1::ServiceMessage outgoing_;
  bool reading_ = false;
  bool writing_ = false;
  bool received_all_ = false;
  bool gone_ = false;
  std::optional<Failure> draining_;
  std::optional<Failure> goodbye_;
  /// Processor time of the thread, as far as it has been counted.
  Duration used_{};
  /// Until when the client has time to read what it is told.
  std::optional<Clock::time_point> latest_;
  std::shared_ptr<ClientMemory> memory_;
  std::string name_;
  double weight_ = 1;

  mutable Mutex mutex_;
  /// Only the session's thread changes it, with the mutex; it reads without.
  std::unique_ptr<SessionWork> work_;
  /// The facts that do not change while the session works, and at the end its result.
  SessionView view_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::service
