#include "lab/bench/runners/cases.hpp"
#include "lab/bench/start_latency.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

void create_starting_task(StartTime& started) {
  StartTime* time = &started;
#pragma omp task firstprivate(time)
  time->store(now_ns());
}

}  // namespace

Json start(Parameters& parameters) {
  const StartOptions options = start_options(parameters);
  Json figures;
  // The thread that submits tasks belongs to the team. It runs no tasks itself, because it never waits for them with an
  // OpenMP directive.
#pragma omp parallel num_threads(options.workers + 1)
#pragma omp single
  figures = measure_start(options, create_starting_task);
  return figures;
}

}  // namespace troupe::bench
