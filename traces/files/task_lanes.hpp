/// The tasks of workers that run several at a time, as rows of a viewer in which no two overlap.
#pragma once

#include <cstddef>
#include <vector>

#include "actors/reporting/trace.hpp"

namespace troupe::traces {

class TaskLanes {
 public:
  /// The trace's events are in order of their starts. Events of workers that are not there lie in lane 0.
  TaskLanes(const Trace& trace, std::size_t workers);

  /// The lane of the trace's event among those of its worker, from 0: the first that is free.
  [[nodiscard]] std::size_t of(std::size_t event) const { return lanes_[event]; }
  /// At least 1.
  [[nodiscard]] std::size_t count(std::size_t worker) const { return counts_[worker]; }

 private:
  std::vector<std::size_t> lanes_;
  std::vector<std::size_t> counts_;
};

}  // namespace troupe::traces
