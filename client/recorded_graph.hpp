/// Task graphs that run many times.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>

#include "client/backend.hpp"
#include "graph/codelets/handle.hpp"
#include "proto/errors.hpp"

namespace troupe {

/// What `Runtime::record` recorded: tasks with their dependencies, ready to run any number of times without inferring
/// them again. A run is ordered like one task that uses all the data of the recording: after the tasks that were
/// submitted before and use some of them, before those that are submitted afterwards. Runs of one recording never
/// overlap. Cheap to copy; may be used by any thread; may go after its runtime, but must not be used then.
class RecordedGraph {
 public:
  explicit RecordedGraph(std::shared_ptr<client::RecordedTasks> recording) : recording_(std::move(recording)) {}

  /// Submits one run and returns at once. The future fails where any task of the run does, with `cancelled` where
  /// tasks were cancelled and none failed. Blocks while the submission window is full, except in kernels and callbacks.
  /// Throws `invalid_handle` where recorded data were released, `stopped`, and `invalid_argument` while the calling
  /// thread is recording.
  Future run() const { return run(std::span<const Rebinding>()); }
  /// The same with other data, of the same sizes and element type: `run({{x, x2}, {y, y2}})`. For this run only. Data
  /// that the recording uses together with a part of them or with a whole that contains them, and results of
  /// reductions, cannot be exchanged. What is exchanged stays registered. Throws `invalid_argument` and
  /// `conflicting_access` too.
  Future run(std::span<const Rebinding> rebindings) const { return recording_->run(rebindings).value_or_throw(); }
  Future run(std::initializer_list<Rebinding> rebindings) const {
    return run(std::span<const Rebinding>(rebindings.begin(), rebindings.size()));
  }

  /// Tasks of one run, those that combine reductions included.
  [[nodiscard]] std::size_t tasks() const { return recording_->size(); }

 private:
  std::shared_ptr<client::RecordedTasks> recording_;
};

}  // namespace troupe
