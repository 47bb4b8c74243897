/// The tasks that wait for data which the program holds. The task graph is in the service, so the client keeps this
/// list.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "graph/data/data_record.hpp"

namespace troupe::remote {

/// Returns true if the records have data in common. Halo parts overlap the blocks in `DataRecord::children`.
[[nodiscard]] bool overlap(const graph::DataRecord& one, const graph::DataRecord& other);

/// The tasks that wait, directly or not, until one hold is given back. Requires the submission lock.
class TasksBehindHold {
 public:
  /// One access of a task.
  struct Use {
    const graph::DataRecord* record;
    AccessMode mode;
    /// True for data that only the children of a nested task use.
    bool weak = false;
  };
  /// Returns true if the task with this number has not ended.
  using Pending = std::function<bool(std::uint64_t)>;

  TasksBehindHold(const graph::DataRecord& held, AccessMode mode) : uses_{{{&held, mode}, 0}} {}

  /// Returns true if the next user of these data has to wait for the hold itself.
  [[nodiscard]] bool holds(const Use& next) const;
  /// Adds the task to the list if it has to wait for the hold. `after`: its explicit predecessors. `tasks`: the number
  /// of tasks that it counts for, more than one for a run of a recording.
  void note(std::uint64_t task, std::span<const Use> uses, std::span<const std::uint64_t> after,
            std::uint64_t tasks = 1);
  /// Returns the first task of the list that still waits; 0 if there is none.
  [[nodiscard]] std::uint64_t first(const Pending& pending) const;
  /// Adds the tasks of the list that still wait to `found`, which maps tasks to the number of tasks that they count
  /// for.
  void collect(const Pending& pending, std::map<std::uint64_t, std::uint64_t>& found) const;
  /// Returns true if the task still waits for the hold.
  [[nodiscard]] bool waits(std::uint64_t task, const Pending& pending) const;
  /// Returns a task that still waits for the hold, and for which the next user of these data has to wait; 0 if there is
  /// no such task.
  [[nodiscard]] std::uint64_t find(const Use& next, const Pending& pending) const;
  /// Called when `part` has got data of `former`, which no further task uses: whoever uses the part has to wait for all
  /// tasks on `former`, and for the hold if it holds `former`.
  void follow(const graph::DataRecord& former, const graph::DataRecord& part);
  /// Removes the uses of the record and its parts; called before these are deleted.
  void forget(graph::DataRecord& record);

 private:
  struct NotedUse {
    Use use;
    /// The number of the task; 0 stands for the hold itself.
    std::uint64_t task;
  };

  /// The first use is that of the hold itself, unless its data have been deleted. Parts that replace the data of the
  /// hold are noted as its uses, too.
  std::vector<NotedUse> uses_;
  struct Waiting {
    /// The task for which this one waits; 0 stands for the hold itself.
    std::uint64_t before;
    std::uint64_t tasks;
  };
  std::map<std::uint64_t, Waiting> waiting_;
};

}  // namespace troupe::remote
