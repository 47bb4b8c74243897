#include "lab/bench/runners/cases.hpp"
#include "lab/bench/runners/starpu/session_starpu.hpp"
#include "lab/bench/start_latency.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {

Json start(Parameters& parameters) {
  const StartOptions options = start_options(parameters);
  starpu_codelet stamp{};
  initialize(stamp, "stamp",
             [](void** /*buffers*/, void* argument) { static_cast<StartTime*>(argument)->store(now_ns()); });
  const StarpuSession session(options.workers);
  Json figures = measure_start(options, [&](StartTime& started) {
    starpu_task* task = starpu_task_create();
    task->cl = &stamp;
    task->cl_arg = &started;
    submit(task);
  });
  starpu_task_wait_for_all();
  return figures;
}

}  // namespace troupe::bench
