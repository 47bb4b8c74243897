/// The codelets of tasks that a graph submits itself.
#pragma once

#include <map>

#include "graph/tasks/task.hpp"
#include "proto/mutex.hpp"
#include "troupe/codelet.hpp"
#include "troupe/devices.hpp"

namespace troupe::graph {

/// The codelets that are the same for all tasks of the graph's own. Thread-safe.
class OwnCodelets {
 public:
  /// `kinds` are the kinds of device of the graph's workers.
  explicit OwnCodelets(KindSet kinds);

  /// Folds the partial results of a reduction into the data. Argument 0 is the data's record; argument 1 says whether
  /// the data had no content before.
  const Codelet combine;
  /// Stands for one run of a recording.
  const Codelet replay;
  /// Orders tasks on former parts before tasks on new parts. The kernel does nothing: on a core, former and new parts
  /// are the same memory.
  const Codelet divide;
  /// Resumes a coroutine. Argument 0 is the address of the coroutine.
  const Codelet resume;

  /// Returns true if the task adds the partial results of a reduction to the data. Recorded tasks count, too.
  [[nodiscard]] bool combines(const Task& task) const { return task.codelet == &combine.definition(); }
  [[nodiscard]] bool divides(const Task& task) const { return task.codelet == &divide.definition(); }
  /// Returns true if the task is a section of a coroutine.
  [[nodiscard]] bool is_section(const Task& task) const { return task.codelet == &resume.definition(); }
};

/// Codelets whose kernels throw, which the graph submits in place of others. Thread-safe.
class FailingCodelets {
 public:
  /// Returns the codelet with the name and the modes of `definition` whose kernel throws the exception that argument 0
  /// points to.
  const Codelet& in_place_of(const CodeletDefinition& definition);

 private:
  Mutex mutex_;
  std::map<const CodeletDefinition*, Codelet> made_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::graph
