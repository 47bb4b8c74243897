/// From calls of the program to messages that carry many of them.
#pragma once

#include <troupe/v1/troupe.pb.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>

#include "graph/task_graph.hpp"

namespace troupe::remote {

/// Operations in the order of the calls, in messages of limited size. Consecutive tasks share lists, one column per
/// property. Not thread-safe.
class OperationBatches {
 public:
  struct Batch {
    v1::ClientMessage message;
    /// Tasks that will be reported, those of runs of recordings included.
    std::uint64_t tasks = 0;
    /// Room that there has to be for the message: of the last run one task's is enough.
    std::uint64_t needs = 0;
  };

  /// A message is full from here on; what is added to it last may make it a little larger.
  static constexpr std::size_t kFullBytes = std::size_t{256} << 10U;
  static constexpr std::uint64_t kFullTasks = 4096;

  /// `most_tasks`: at most so many tasks in one message; at least 1.
  explicit OperationBatches(std::uint64_t most_tasks = kFullTasks);

  struct EncodedTask {
    /// One more than the last one's, or the first of a new sequence.
    std::uint64_t number = 0;
    std::uint32_t codelet = 0;
    const graph::TaskSpecification& specification;
    /// Numbers of the tasks that must have ended before.
    std::span<const std::uint64_t> after = {};
  };
  void add_task(const EncodedTask& task);
  /// Any other operation, which the caller fills; `bytes`: about how large it will be.
  v1::Operation& add(std::size_t bytes = 32);
  /// The next operation is a run of a recording, which will be reported like a task and stands for `weight` of them.
  v1::Operation& add_run(std::size_t bytes, std::uint64_t weight);

  [[nodiscard]] bool empty() const { return full_.empty() && current_ == nullptr; }
  /// The oldest message; there is one.
  [[nodiscard]] std::unique_ptr<Batch> take();
  /// `Batch::needs` of the message that `take` would return.
  [[nodiscard]] std::uint64_t next_needs() const;
  /// Appends all that another has, and leaves it empty. `counts`: whether its tasks will be reported.
  void append(OperationBatches& other, bool counts);

 private:
  void begin_list(std::uint64_t first);
  void make_room();
  void close();

  const std::uint64_t most_tasks_;
  std::deque<std::unique_ptr<Batch>> full_;
  std::unique_ptr<Batch> current_;
  std::size_t bytes_ = 0;
  /// The list that tasks are added to; null where another operation came in between.
  v1::Tasks* list_ = nullptr;
  std::uint64_t next_number_ = 0;
  int count_ = 0;
  /// Whether the list names the mode of each handle.
  bool has_modes_ = false;
};

[[nodiscard]] v1::AccessMode to_wire(AccessMode mode);

}  // namespace troupe::remote
