/// Other waits: the kernels that wait for tasks that do not belong to them.
#pragma once

#include <algorithm>
#include <vector>

#include "graph/tasks/task.hpp"

namespace troupe::graph {

/// The caller holds the submission lock.
class OtherWaits {
 public:
  struct Wait {
    /// The task whose kernel waits.
    const Task* waiting = nullptr;
    TaskReference awaited;
  };

  void add(const Task& waiting, const TaskReference& awaited) { waits_.push_back({&waiting, awaited}); }
  void remove(const Task& waiting) {
    // A kernel waits for one task at a time.
    waits_.erase(std::ranges::find(waits_, &waiting, &Wait::waiting));
  }
  [[nodiscard]] const std::vector<Wait>& all() const { return waits_; }

 private:
  std::vector<Wait> waits_;
};

}  // namespace troupe::graph
