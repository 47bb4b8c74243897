#include <taskflow/taskflow.hpp>

#include <vector>

#include "lab/bench/memory_use.hpp"
#include "lab/bench/runners/cases.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {

/// Builds the dependencies as a graph: each task waits for the first task, and for the previous task on the same slot.
Json memory(Parameters& parameters) {
  const MemoryOptions options = memory_options(parameters);
  tf::Taskflow graph;
  const tf::Task first = graph.emplace([] {});
  std::vector<tf::Task> last(kMemorySlots);
  return measure_in_flight(options, [&] {
    for (std::int64_t i = 0; i < options.in_flight; ++i) {
      tf::Task task = graph.emplace([] {});
      tf::Task& before = last[static_cast<std::size_t>(i % kMemorySlots)];
      task.succeed(first);
      if (!before.empty()) task.succeed(before);
      before = task;
    }
  });
}

}  // namespace troupe::bench
