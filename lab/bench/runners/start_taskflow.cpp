#include <taskflow/taskflow.hpp>

#include "lab/bench/runners/cases.hpp"
#include "lab/bench/start_latency.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {

Json start(Parameters& parameters) {
  const StartOptions options = start_options(parameters);
  tf::Executor executor(static_cast<std::size_t>(options.workers));
  Json figures = measure_start(
      options, [&executor](StartTime& started) { executor.silent_async([&started] { started.store(now_ns()); }); });
  executor.wait_for_all();
  return figures;
}

}  // namespace troupe::bench
