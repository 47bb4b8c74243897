/// Lanes: rows of a viewer in which no two tasks overlap. A worker that runs several tasks at a time needs several
/// lanes.
#pragma once

#include <cstddef>
#include <vector>

#include "troupe/trace.hpp"

namespace troupe::traces {

class TaskLanes {
 public:
  /// The trace's events must be in the order of their starts. Events of unknown workers are put into lane 0.
  TaskLanes(const Trace& trace, std::size_t workers);

  /// Returns the lane of an event: the first lane of its worker that is free when the event starts, counted from 0.
  [[nodiscard]] std::size_t of(std::size_t event) const { return lanes_[event]; }
  /// Returns the number of lanes of a worker, at least 1.
  [[nodiscard]] std::size_t count(std::size_t worker) const { return counts_[worker]; }

 private:
  std::vector<std::size_t> lanes_;
  std::vector<std::size_t> counts_;
};

}  // namespace troupe::traces
