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
  // One place in the arena is for the submitting thread. It runs no tasks itself, because it does not wait for the
  // group while the times are measured.
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
