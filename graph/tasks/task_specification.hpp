/// The description of one task, as it is submitted to the graph.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "troupe/arguments.hpp"
#include "troupe/codelet.hpp"
#include "troupe/handle.hpp"

namespace troupe::graph {

/// The description of one task. The referenced objects are used during the call only.
struct TaskSpecification {
  const Codelet& codelet;
  std::span<const Access> accesses;
  const Arguments& arguments;
  const TaskOptions& options;
  /// The number by which `TaskEndings` and failures name the task; 0 if there is none. Kept with
  /// `GraphOptions::shares_workers` only.
  std::uint64_t tag = 0;
  /// True if `GraphOptions::restrictions` apply to the task. False for a task that is submitted in place of a refused
  /// task.
  bool restricted = true;
  /// An object that the task keeps until it has ended, such as the captures of its kernel; may be null.
  const std::shared_ptr<const void>* kept = nullptr;

  /// For a task that resumes a coroutine: the task that must end first, successfully or not; may be an empty future.
  /// Null for other tasks. If this is not null, `options` must not be `TaskOptions::none()`.
  const Future* resumes_after = nullptr;
  /// True if the task becomes nested when its kernel submits a task. Children of nested tasks become nested in this way
  /// even without this flag.
  bool may_nest = false;
  /// True if this task was to run after a task that has not succeeded and that the graph does not know any more. The
  /// graph then cancels this task. If true, `options` must not be `TaskOptions::none()`.
  bool follows_failure = false;
  /// False if the callback keeps a failure for the program, which has then not heard of the failure yet.
  bool callback_tells = true;

  /// Returns the description of the same task with another codelet.
  [[nodiscard]] TaskSpecification with(const Codelet& other) const {
    return {other, accesses,      arguments, options,         tag,           restricted,
            kept,  resumes_after, may_nest,  follows_failure, callback_tells};
  }
};

}  // namespace troupe::graph
