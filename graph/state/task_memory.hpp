/// The memory of a graph's tasks and edges.
#pragma once

#include <cstddef>

#include "graph/tasks/block_pool.hpp"
#include "graph/tasks/task.hpp"

namespace troupe::graph {

/// The free tasks and edges of one thread. All submitting threads together have one such object, too.
struct alignas(64) TaskCaches {
  BlockPool<Task>::Cache tasks;
  BlockPool<EdgeBlock>::Cache edges;
};

struct TaskMemory {
  alignas(64) BlockPool<Task> tasks;
  alignas(64) BlockPool<EdgeBlock> edges;

  /// Returns the bytes taken for tasks and edges.
  [[nodiscard]] std::size_t footprint() const { return tasks.footprint() + edges.footprint(); }
  /// Frees the memory of a task that has ended, besides its record. `accesses` and `extras` stay until the record is
  /// used again.
  void free_more(Task& task, TaskCaches& caches);
};

}  // namespace troupe::graph
