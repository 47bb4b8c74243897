/// The thread that sends a client's messages.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "client/remote/connection/operation_batches.hpp"
#include "client/remote/connection/service_stream.hpp"
#include "client/remote/task_ledger.hpp"

namespace troupe::remote {

/// Sends operations as soon as the previous message has been written. So a task is sent immediately if no message is
/// being written; meanwhile, operations are collected in the next message. At most `most_tasks` tasks are in flight;
/// only the last run of a recording may exceed this number. Tasks that callbacks submit beyond the limit wait in this
/// object.
class Sender {
 public:
  /// Both `stream` and `ledger` must outlive this object.
  Sender(MessageStream& stream, TaskLedger& ledger, std::uint64_t most_tasks);
  ~Sender();
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  /// Acquires the submission lock, which determines the order of operations.
  [[nodiscard]] std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
  /// Returns the operations that will be sent. Requires the submission lock.
  [[nodiscard]] OperationBatches& operations() { return operations_; }
  /// Adds an operation that is sent before tasks that wait for room, because such tasks may depend on it. An example is
  /// the return of data that the program has acquired. Requires the submission lock.
  [[nodiscard]] v1::Operation& urgent() { return urgent_.add(); }
  /// Sends the operations, and releases the submission lock.
  void send(std::unique_lock<std::mutex>& lock);
  /// Sends the remaining operations and ends the thread. Called once, from one thread. If `drop` is true, the remaining
  /// operations are dropped, because the stream has ended.
  void stop(bool drop);

 private:
  void run();
  /// Waits until the oldest message may be sent; returns false if urgent operations come first or the sender stops.
  bool has_room(std::unique_lock<std::mutex>& lock);

  MessageStream& stream_;
  TaskLedger& ledger_;
  const std::uint64_t most_tasks_;
  /// A `std::mutex` without annotations: `lock()` passes the locked mutex to the submitting thread, and `send` unlocks
  /// it, which clang's thread-safety analysis cannot follow.
  std::mutex mutex_;
  std::condition_variable changed_;
  // The next members are guarded by `mutex_`.
  OperationBatches operations_;
  OperationBatches urgent_;
  std::uint64_t sent_tasks_ = 0;
  bool idle_ = false;
  bool stop_ = false;
  bool drop_ = false;

  std::thread thread_;
};

}  // namespace troupe::remote
