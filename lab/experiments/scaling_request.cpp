#include "lab/experiments/scaling_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>

#include "apps/arguments/accelerator_arguments.hpp"
#include "apps/arguments/common_arguments.hpp"
#include "apps/run/measured_factorization.hpp"
#include "apps/simulate/gpu_choice.hpp"
#include "apps/simulate/simulation_pool.hpp"
#include "apps/simulate/simulation_request.hpp"
#include "platform/accelerators/emulation_arguments.hpp"
#include "platform/cuda/cuda_devices.hpp"
#include "troupe/runtime.hpp"

namespace troupe::apps {

namespace {

constexpr int kMostEmulated = 32;

struct Place {
  std::string policy;
  int gpus = 0;
};

std::vector<Place> places_of(const ScalingArguments& arguments, const std::vector<int>& counts) {
  std::vector<Place> places;
  for (const int count : counts) {
    for (const std::string& policy : arguments.policies) places.push_back({policy, count});
  }
  return places;
}

linalg::FactorizationOptions factorization_of(const ScalingArguments& arguments) {
  return {.application = arguments.application,
          .tile = arguments.tile,
          .tile_rows = arguments.tile,
          .inner = arguments.inner,
          .pivoting = linalg::Pivoting::none};
}

RuntimeOptions runtime_of(const ScalingArguments& arguments, const Place& place) {
  RuntimeOptions options = arguments.runtime;
  options.policy = place.policy;
  if (place.gpus == 0) {
    options.accelerators.gpu_memory.reset();
  } else if (arguments.devices == ScalingDevices::real) {
    options.gpus = place.gpus;
  } else {
    const std::string behind = arguments.emulation.empty() ? "" : ":" + arguments.emulation;
    options.accelerators.emulated_gpus =
        platform::parse_emulated_gpus(fmt::format("{}{}", place.gpus, behind)).value_or_throw();
  }
  return options;
}

std::vector<int> counts_here(const ScalingArguments& arguments) {
  if (arguments.devices == ScalingDevices::emulated) {
    return parse_gpu_counts(arguments.gpus, kMostEmulated, "the largest emulated machine").value_or_throw();
  }
  const auto there = platform::list_cuda_devices().value_or_throw();
  return parse_gpu_counts(arguments.gpus, static_cast<int>(there.size()), "this machine").value_or_throw();
}

std::size_t element_bytes(const ScalingArguments& arguments) {
  return arguments.precision == "float" ? sizeof(float) : sizeof(double);
}

void check_here(const ScalingArguments& arguments, const std::vector<Place>& places) {
  MemoryNeed need;
  need.rows = need.cols = arguments.n;
  need.element_bytes = element_bytes(arguments);
  need.factorization = factorization_of(arguments);
  require_memory(need);
  for (const Place& place : places) {
    check_accelerators(runtime_of(arguments, place), need.factorization, arguments.n, need.element_bytes);
  }
}

template <class T>
ScalingRuns run_place(const ScalingArguments& arguments, const Place& place, std::atomic<std::uint64_t>& done) {
  ScalingRuns runs{place.policy, place.gpus, {}, {}};
  Runtime runtime(runtime_of(arguments, place));
  const linalg::ProblemKind kind =
      default_problem(arguments.application, arguments.application == linalg::Application::lu);
  const linalg::Problem problem{kind, arguments.n, arguments.n, arguments.runtime.seed};
  MeasuredFactorization<T> factorization(runtime, problem, factorization_of(arguments));
  (void)factorization.run();
  ++done;
  for (int i = 0; i < arguments.repeat; ++i) {
    runs.outcomes.push_back(factorization.run());
    ++done;
  }
  if (arguments.check) runs.residuals = factorization.residuals();
  return runs;
}

std::vector<ScalingRuns> run_here(const ScalingArguments& arguments, ProgressOptions progress) {
  const std::vector<Place> places = places_of(arguments, counts_here(arguments));
  check_here(arguments, places);
  std::atomic<std::uint64_t> done{0};
  const std::uint64_t total = places.size() * static_cast<std::uint64_t>(arguments.repeat + 1);
  progress.unit = "runs";
  const ProgressBar bar([&] { return Progress{done, total}; }, std::move(progress));
  std::vector<ScalingRuns> all;
  for (const Place& place : places) {
    all.push_back(arguments.precision == "float" ? run_place<float>(arguments, place, done)
                                                 : run_place<double>(arguments, place, done));
  }
  return all;
}

SimulationArguments simulation_of(const ScalingArguments& arguments) {
  SimulationArguments simulation;
  simulation.application = arguments.application;
  simulation.platform = arguments.platform;
  simulation.sizes = {arguments.n};
  simulation.tile = arguments.tile;
  simulation.inner = arguments.inner;
  simulation.precision = arguments.precision;
  simulation.gpus = arguments.gpus;
  simulation.policies = arguments.policies;
  simulation.repeat = arguments.repeat;
  simulation.simulation.accelerators.ahead.gpu = arguments.runtime.accelerators.ahead.gpu;
  simulation.simulation.accelerators.ahead.issue = arguments.runtime.accelerators.ahead.issue;
  simulation.simulation.cores = arguments.runtime.cores;
  simulation.simulation.accelerators.gpu_memory = arguments.runtime.accelerators.gpu_memory;
  simulation.simulation.seed = arguments.runtime.seed;
  return simulation;
}

std::vector<ScalingRuns> run_modelled(const ScalingArguments& arguments, ProgressOptions progress) {
  if (arguments.check) {
    throw Error(ErrorCode::invalid_argument, "--check: in virtual time nothing is computed: leave it away");
  }
  const SimulationRequest request = SimulationRequest::make(simulation_of(arguments));
  for (const std::string& warning : request.warnings()) arguments.runtime.observation.on_warning(warning);
  std::vector<FactorizationOutcome> outcomes = simulate_all(request.runs(), default_jobs(), std::move(progress));
  std::vector<ScalingRuns> all;
  auto next = outcomes.begin();
  for (const SimulationPlace& place : request.places()) {
    ScalingRuns& runs = all.emplace_back(ScalingRuns{place.policy, static_cast<int>(place.gpus.size()), {}, {}});
    for (int i = 0; i < request.repeat(); ++i) runs.outcomes.push_back(std::move(*next++));
  }
  return all;
}

}  // namespace

const char* to_string(ScalingDevices devices) {
  switch (devices) {
    case ScalingDevices::real: return "real";
    case ScalingDevices::emulated: return "emulated";
    case ScalingDevices::modelled: return "modelled";
  }
  return "unknown";
}

std::vector<ScalingRuns> run_scaling(const ScalingArguments& arguments, ProgressOptions progress) {
  return arguments.devices == ScalingDevices::modelled ? run_modelled(arguments, std::move(progress))
                                                       : run_here(arguments, std::move(progress));
}

}  // namespace troupe::apps
