/// The interface for objects that are notified of each submission, before the task is ready.
#pragma once

namespace troupe::graph {

struct Task;

class SubmissionObserver {
 public:
  virtual ~SubmissionObserver() = default;
  /// Called when a task was submitted; it is not ready yet. Calls come in the order of the submissions, under the
  /// submission lock. There are no calls for tasks of recordings.
  virtual void submitted(const Task& task) noexcept = 0;
  /// Called under the submission lock when a submitted task, which is not ready yet, may run on fewer devices than
  /// before: its codelet was replaced.
  virtual void restricted(const Task& /*task*/) noexcept {}
};

}  // namespace troupe::graph
