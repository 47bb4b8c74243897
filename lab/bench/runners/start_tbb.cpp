#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include "lab/bench/runners/cases.hpp"
#include "lab/bench/start_latency.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {

Json start(Parameters& parameters) {
  const StartOptions options = start_options(parameters);
  const int threads = options.workers + 1;
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  // One place is for the submitting thread, which does not help: it never waits for the group in oneTBB's sense.
  tbb::task_arena arena(threads);
  return arena.execute([&] {
    tbb::task_group group;
    Json figures =
        measure_start(options, [&group](StartTime& started) { group.run([&started] { started.store(now_ns()); }); });
    group.wait();
    return figures;
  });
}

}  // namespace troupe::bench
