/// Priorities by critical path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace troupe {

/// Computes the upward ranks of tasks that are all known before they are submitted. The rank of a task is its cost plus
/// the highest rank among the tasks that wait for it: the length of the longest chain from the task's start to the end
/// of the program (HEFT: Topcuoglu et al., IEEE TPDS 13 (2002)). Tasks with a higher rank should run first.
///
/// Tasks are added in the order of submission, with the pieces of data that they read and write. The data determine the
/// dependencies as in the runtime: readers wait for the last writer; writers wait for the last writer and for its
/// readers. A task on a whole names all parts of the whole. Costs may be in any unit that is the same for all tasks.
///
/// Memory and time are linear in the accesses. Not thread-safe.
class UpwardRanks {
 public:
  struct Use {
    /// The number of the piece of data. The numbers begin with 0 and have no gaps.
    std::size_t data = 0;
    bool writes = false;
  };

  /// Adds the next task. Each piece of data should occur only once in `uses`.
  void add(double cost, std::span<const Use> uses);

  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  /// Returns the ranks by task, in the order in which the tasks were added.
  [[nodiscard]] std::vector<double> ranks() const;
  /// Returns the ranks as priorities from 1 (the end of the program) to `levels` (its start). A task's priority is at
  /// least the priority of each task that waits for it. Tasks whose ranks differ little get the same priority, so that
  /// a worker may prefer those whose data are in its cache.
  [[nodiscard]] std::vector<int> priorities(int levels) const;

 private:
  struct Planned {
    double cost = 0;
    /// The end of the task's uses in `uses_`; they begin where the previous task's uses end.
    std::size_t uses_end = 0;
  };

  std::vector<Planned> tasks_;
  std::vector<Use> uses_;
  std::size_t data_ = 0;
};

}  // namespace troupe
