#include "lab/bench/runners/cases.hpp"
#include "lab/bench/start_latency.hpp"
#include "proto/json/json.hpp"
#include "troupe/runtime.hpp"

namespace troupe::bench {

Json start(Parameters& parameters) {
  const StartOptions options = start_options(parameters);
  RuntimeOptions runtime_options;
  runtime_options.cores = options.workers;
  // There is only one task at a time. Its submission makes `target` visible to the worker that runs it.
  StartTime* target = nullptr;
  const Codelet stamp = Codelet("stamp", {}).cpu([&target](const KernelContext&) { target->store(now_ns()); });
  Runtime runtime(runtime_options);
  return measure_start(options, [&](StartTime& started) {
    target = &started;
    runtime.submit(stamp, {});
  });
}

}  // namespace troupe::bench
