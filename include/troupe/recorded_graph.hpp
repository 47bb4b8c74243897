/// Task graphs that run many times.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>

#include "troupe/handle.hpp"

namespace troupe {

namespace client {
class RecordedTasks;
}

/// A graph recorded by `Runtime::record`: tasks with their dependencies. The graph can run any number of times, and the
/// dependencies are not inferred again. A run is ordered like one task that uses all the data of the recording: after
/// earlier tasks that use some of these data, and before later tasks that use some of them. Runs of one recording never
/// overlap. The object is cheap to copy, and any thread may use it. It may outlive its runtime, but must not be used
/// afterwards.
class RecordedGraph {
 public:
  /// Makes a graph; called by `Runtime::record`.
  explicit RecordedGraph(std::shared_ptr<client::RecordedTasks> recording) : recording_(std::move(recording)) {}

  /// Submits one run and returns at once. The future fails if any task of the run fails, with `cancelled` if tasks were
  /// cancelled and none failed. Blocks while the submission window is full, except in kernels and callbacks. Throws
  /// `invalid_handle` if recorded data were released, `stopped`, and `invalid_argument` while the calling thread is
  /// recording.
  Future run() const { return run(std::span<const Rebinding>()); }
  /// Submits one run with other data of the same sizes and element type: `run({{x, x2}, {y, y2}})`. The exchange holds
  /// for this run only. Data cannot be exchanged if the recording also uses a block of them or a matrix that contains
  /// them, or if they are results of reductions. Replaced data stay registered. Also throws `invalid_argument` and
  /// `conflicting_access`.
  Future run(std::span<const Rebinding> rebindings) const;
  Future run(std::initializer_list<Rebinding> rebindings) const {
    return run(std::span<const Rebinding>(rebindings.begin(), rebindings.size()));
  }

  /// Returns the number of tasks of one run, including those that combine reductions.
  [[nodiscard]] std::size_t tasks() const;

 private:
  std::shared_ptr<client::RecordedTasks> recording_;
};

}  // namespace troupe
