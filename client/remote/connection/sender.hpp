/// The thread that writes what a client says.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "client/remote/connection/operation_batches.hpp"
#include "client/remote/connection/service_stream.hpp"
#include "client/remote/task_ledger.hpp"

namespace troupe::remote {

/// Sends operations as soon as the message before is on its way: an idle client's task goes at once, and while a
/// message is being written the next one fills up. Never more than `most_tasks` tasks are on their way or with the
/// service, but for the last run of a recording, which may go beyond: what callbacks submit beyond that waits here.
class Sender {
 public:
  /// Both must outlive it.
  Sender(MessageStream& stream, TaskLedger& ledger, std::uint64_t most_tasks);
  ~Sender();
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  /// The submission lock: under it operations are put in order.
  [[nodiscard]] std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
  /// Submission lock.
  [[nodiscard]] OperationBatches& operations() { return operations_; }
  /// An operation that does not wait for room behind tasks, which may wait for it: data that the program gives back.
  /// Submission lock.
  [[nodiscard]] v1::Operation& urgent() { return urgent_.add(); }
  /// Ends the submission lock, and sends.
  void send(std::unique_lock<std::mutex>& lock);
  /// Sends what is left, and then nothing more. By one thread, once. `drop`: nothing can be sent any more.
  void stop(bool drop);

 private:
  void run();
  /// Waits until the service may get the oldest message; false: urgent ones come first, or it stops.
  bool has_room(std::unique_lock<std::mutex>& lock);

  MessageStream& stream_;
  TaskLedger& ledger_;
  const std::uint64_t most_tasks_;
  /// `lock()` hands it to the submitting thread, which gives it back through `send`; clang cannot follow that.
  std::mutex mutex_;
  std::condition_variable changed_;
  OperationBatches operations_;   // mutex_
  OperationBatches urgent_;       // mutex_
  std::uint64_t sent_tasks_ = 0;  // mutex_
  bool idle_ = false;             // mutex_
  bool stop_ = false;             // mutex_
  bool drop_ = false;             // mutex_
  std::thread thread_;
};

}  // namespace troupe::remote
