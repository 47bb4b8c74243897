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

/// Sends operations as soon as the previous message is on its way: an idle client's task goes at once, and while one
/// message is being written the next one fills up. At most `most_tasks` tasks are on their way or with the service,
/// except that the last run of a recording may exceed this; tasks that callbacks submit beyond the limit wait here.
class Sender {
 public:
  /// Both `stream` and `ledger` must outlive this object.
  Sender(MessageStream& stream, TaskLedger& ledger, std::uint64_t most_tasks);
  ~Sender();
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  /// Takes the submission lock, under which operations are put in order.
  [[nodiscard]] std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
  /// The operations that will be sent. Requires the submission lock.
  [[nodiscard]] OperationBatches& operations() { return operations_; }
  /// Adds an operation that need not wait for room behind tasks, because tasks may wait for it: for example data that
  /// the program gives back. Requires the submission lock.
  [[nodiscard]] v1::Operation& urgent() { return urgent_.add(); }
  /// Sends the operations, and releases the submission lock.
  void send(std::unique_lock<std::mutex>& lock);
  /// Sends what is left, and then nothing more. Called once, from one thread. `drop` is true if nothing can be sent any
  /// more.
  void stop(bool drop);

 private:
  void run();
  /// Waits until the service may get the oldest message; returns false if urgent ones come first or the sender stops.
  bool has_room(std::unique_lock<std::mutex>& lock);

  MessageStream& stream_;
  TaskLedger& ledger_;
  const std::uint64_t most_tasks_;
  /// `lock()` hands the mutex to the submitting thread, which gives it back through `send`; clang cannot follow that.
  std::mutex mutex_;
  std::condition_variable changed_;
  OperationBatches operations_;   // guarded by mutex_
  OperationBatches urgent_;       // guarded by mutex_
  std::uint64_t sent_tasks_ = 0;  // guarded by mutex_
  bool idle_ = false;             // guarded by mutex_
  bool stop_ = false;             // guarded by mutex_
  bool drop_ = false;             // guarded by mutex_
  std::thread thread_;
};

}  // namespace troupe::remote
