/// The interface for objects that see tasks before they are ready.
#pragma once

namespace troupe::graph {

struct Task;

class SubmissionObserver {
 public:
  virtual ~SubmissionObserver() = default;
  /// Says that a task was submitted; it is not ready yet. Called in the order of the program, under the submission
  /// lock. Tasks of recordings are not shown.
  virtual void submitted(const Task& task) noexcept = 0;
};

}  // namespace troupe::graph
