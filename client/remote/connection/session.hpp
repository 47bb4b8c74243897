/// A program's session with the service of its node.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "client/remote/connection/sender.hpp"
#include "client/remote/connection/service_stream.hpp"
#include "client/remote/pending_requests.hpp"
#include "client/remote/task_ledger.hpp"
#include "graph/tasks/uncancellable.hpp"
#include "platform/machine/background_thread.hpp"
#include "proto/mutex.hpp"
#include "troupe/errors.hpp"

namespace troupe::remote {

/// The service's answer at the start of the session.
struct ServiceGreeting {
  std::uint64_t session = 0;
  std::string version;
  std::size_t workers = 0;
  std::string policy;
  /// The most tasks that may be in flight.
  std::uint64_t most_tasks = 1;
  /// The most handles that may be registered.
  std::uint64_t most_handles = 0;
};

/// The session: both directions of the stream, with one thread for each. Messages to the service go through `sender`;
/// messages from the service go to `ledger` and to the calls that wait for an answer. When the service is lost, all
/// waiting calls fail, and all later calls fail, too.
class Session {
 public:
  /// Opens the session with a `Hello` message. The session calls `call_back` for each due callback, in a separate
  /// thread; `call_back` must not throw. Fails with the service's refusal, or `service_lost`.
  static Result<std::unique_ptr<Session>> open(std::unique_ptr<MessageStream> stream,
                                               std::span<const std::uint8_t> token, const std::string& name,
                                               std::function<void(TaskLedger::DueCallback&)> call_back);
  /// Calls `end`.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Ends the session: tasks that have not ended are cancelled. When this function returns, all callbacks have
  /// returned, and every request that callbacks made after the end has failed with `service_lost`. Called by one
  /// thread; only the first call has an effect.
  void end();

  [[nodiscard]] const ServiceGreeting& greeting() const { return greeting_; }
  [[nodiscard]] Sender& sender() { return sender_; }
  [[nodiscard]] TaskLedger& ledger() { return ledger_; }
  [[nodiscard]] const TaskLedger& ledger() const { return ledger_; }
  [[nodiscard]] PendingRequests& requests() { return requests_; }
  [[nodiscard]] bool is_lost() const { return is_lost_.load(std::memory_order_acquire); }

  /// Appends an operation that the service answers, sends it and waits for the answer. `lock` is the submission lock.
  /// `fill(operation, request)` is called under this lock, which `call` then releases. `bytes` is the operation's
  /// approximate size.
  template <class Fill>
  PendingRequests::Answer call(std::unique_lock<std::mutex> lock, const Fill& fill, std::size_t bytes = 32) {
    const graph::Uncancellable uncancellable;
    PendingRequests::Waiting waiting;
    fill(sender_.operations().add(bytes), requests_.begin(waiting));
    sender_.send(lock);
    return waiting.wait();
  }
  struct InterruptibleAnswer {
    PendingRequests::Answer answer;
    /// True if the thread has given up the wait. If the answer is no failure, it came at this very moment, and the
    /// operation has had its effect.
    bool gave_up = false;
  };
  /// Works like `call`, for an operation that the service answers when tasks have ended. If the calling thread gives up
  /// the wait (`graph::WaitInterrupt`), the service withdraws the operation and answers at once.
  template <class Fill>
  InterruptibleAnswer call_interruptibly(std::unique_lock<std::mutex> lock, const Fill& fill, std::size_t bytes = 32) {
    const graph::Uncancellable uncancellable;
    PendingRequests::Waiting waiting;
    const std::uint64_t request = requests_.begin(waiting);
    fill(sender_.operations().add(bytes), request);
    sender_.send(lock);
    const bool gave_up = !waiting.wait_interruptibly();
    if (gave_up) withdraw(request);
    return {waiting.wait(), gave_up};
  }

 private:
  Session(std::unique_ptr<MessageStream> stream, ServiceGreeting greeting,
          std::function<void(TaskLedger::DueCallback&)> call_back);
  void withdraw(std::uint64_t request);
  void listen();
  void hear(v1::Event& event, Failure& farewell);
  void lose(const Failure& cause);

  std::unique_ptr<MessageStream> stream_;
  const ServiceGreeting greeting_;
  const std::function<void(TaskLedger::DueCallback&)> call_back_;
  platform::BackgroundThread callbacks_{"callbacks"};
  TaskLedger ledger_;
  PendingRequests requests_;
  std::atomic<bool> is_lost_{false};
  Sender sender_;
  Mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ TROUPE_GUARDED_BY(mutex_) = false;
  std::thread listener_;
};

/// Returns the code with this name ("kernel_failed"); `otherwise` if this program knows no such code, because the
/// service has another version.
[[nodiscard]] ErrorCode code_of(const std::string& name, ErrorCode otherwise);
[[nodiscard]] Failure failure_of(const v1::Problem& problem, ErrorCode otherwise);

}  // namespace troupe::remote
