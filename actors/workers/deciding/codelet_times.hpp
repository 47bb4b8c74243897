/// Codelet times: how long the codelets that ran lately took on one worker.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "graph/tasks/task.hpp"
#include "troupe/units.hpp"

namespace troupe::workers {

/// Keeps the mean times of 32 codelets. Used by one thread.
class CodeletTimes {
 public:
  /// Returns the mean time of recent tasks of the task's codelet; zero if the time is not known.
  [[nodiscard]] Duration expected(const graph::Task& task) const {
    const auto found = std::ranges::find(times_, task.codelet, &CodeletTime::codelet);
    return found != times_.end() ? found->mean : Duration{};
  }
  /// Notes the time that a task took, if it is above zero.
  void note(const graph::Task& task, Duration took) {
    if (took <= Duration{}) return;
    const auto found = std::ranges::find(times_, task.codelet, &CodeletTime::codelet);
    if (found == times_.end()) {
      times_[next_++ % times_.size()] = {task.codelet, took};
    } else {
      found->mean += (took - found->mean) / 4;
    }
  }

 private:
  struct CodeletTime {
    /// The pointer is only compared: the codelet may be gone.
    const CodeletDefinition* codelet = nullptr;
    Duration mean{};
  };
  std::array<CodeletTime, 32> times_{};
  std::size_t next_ = 0;
};

}  // namespace troupe::workers
