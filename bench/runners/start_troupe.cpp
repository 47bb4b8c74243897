#include "bench/runners/cases.hpp"
#include "bench/start_latency.hpp"
#include "client/runtime.hpp"

namespace troupe::bench {

nlohmann::json start(Parameters& parameters) {
  const StartOptions options = start_options(parameters);
  RuntimeOptions runtime_options;
  runtime_options.cores = options.workers;
  Runtime runtime(runtime_options);
  const Codelet stamp =
      Codelet("stamp", {}).cpu([](const KernelContext& context) { context.argument<StartTime*>(0)->store(now_ns()); });
  return measure_start(options, [&](StartTime& started) { runtime.submit(stamp, {}, args(&started)); });
}

}  // namespace troupe::bench
