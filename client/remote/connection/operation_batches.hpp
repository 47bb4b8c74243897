/// Batches: many calls of the program are collected in one message.
#pragma once

#include <troupe/v1/troupe.pb.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>

#include "graph/task_graph.hpp"

namespace troupe::remote {

/// Collects operations in the order of the calls, in messages of limited size. Consecutive tasks share one list in the
/// message; the list has a column for each property of a task. Not thread-safe.
class OperationBatches {
 public:
  struct Batch {
    v1::ClientMessage message;
    /// The number of tasks whose end the service will report, including the tasks in runs of recordings.
    std::uint64_t tasks = 0;
    /// The message may be sent only when at least this many more tasks may be in flight. If the last operation is a run
    /// of a recording, the whole run counts as one task here.
    std::uint64_t needs = 0;
  };

  /// A message of this size is full. The last operation may make the message a little larger.
  static constexpr std::size_t kFullBytes = std::size_t{256} << 10U;
  static constexpr std::uint64_t kFullTasks = 4096;

  /// `most_tasks` is the most tasks in one message; at least 1.
  explicit OperationBatches(std::uint64_t most_tasks = kFullTasks);

  struct EncodedTask {
    /// The number of the last task plus one, or the first number of a new sequence.
    std::uint64_t number = 0;
    std::uint32_t codelet = 0;
    const graph::TaskSpecification& specification;
    /// Numbers of the tasks that must have ended before this task starts.
    std::span<const std::uint64_t> after = {};
  };
  void add_task(const EncodedTask& task);
  /// Adds an operation of any other kind, and returns it, so that the caller can fill it. `bytes` is its approximate
  /// size.
  v1::Operation& add(std::size_t bytes = 32);
  /// Adds a run of a recording as the next operation. The service reports the end of the run like the end of a task;
  /// the run counts as `weight` tasks.
  v1::Operation& add_run(std::size_t bytes, std::uint64_t weight);

  [[nodiscard]] bool empty() const { return full_.empty() && current_ == nullptr; }
  /// Removes and returns the oldest message; there must be one.
  [[nodiscard]] std::unique_ptr<Batch> take();
  /// Returns `Batch::needs` of the message that `take` would return.
  [[nodiscard]] std::uint64_t next_needs() const;
  /// Moves all operations of another object to the end of this object. `counts` is true if the service will report the
  /// end of these tasks.
  void append(OperationBatches& other, bool counts);

 private:
  void begin_list(std::uint64_t first);
  void make_room();
  void close();

  const std::uint64_t most_tasks_;
  std::deque<std::unique_ptr<Batch>> full_;
  std::unique_ptr<Batch> current_;
  std::size_t bytes_ = 0;
  /// The list that tasks are added to; null if another operation was added after it.
  v1::Tasks* list_ = nullptr;
  std::uint64_t next_number_ = 0;
  int count_ = 0;
  /// True if the list has the access mode of each handle.
  bool has_modes_ = false;
};

[[nodiscard]] v1::AccessMode to_wire(AccessMode mode);

}  // namespace troupe::remote
