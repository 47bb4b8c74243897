#include "traces/files/task_lanes.hpp"

#include <algorithm>

namespace troupe::traces {

TaskLanes::TaskLanes(const Trace& trace, std::size_t workers) : lanes_(trace.events.size(), 0), counts_(workers, 1) {
  // The time from which each lane is free, by worker, then lane.
  std::vector<std::vector<TimeStamp>> ends(workers);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    if (event.worker.index() >= workers) continue;
    std::vector<TimeStamp>& free = ends[event.worker.index()];
    const auto lane = std::find_if(free.begin(), free.end(), [&](TimeStamp end) { return end <= event.start; });
    lanes_[i] = static_cast<std::size_t>(lane - free.begin());
    if (lane == free.end()) {
      free.push_back(event.end);
    } else {
      *lane = event.end;
    }
    counts_[event.worker.index()] = free.size();
  }
}

}  // namespace troupe::traces
