#include "lab/bench/service/measurements.hpp"

#include <chrono>
#include <utility>

#include "client/remote/connection/service_calls.hpp"
#include "kernels/codelets.hpp"
#include "kernels/element_codelets.hpp"
#include "linalg/cholesky.hpp"
#include "troupe/runtime.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::bench {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Runtime embedded(const ServiceBenchOptions& options) {
  RuntimeOptions runtime;
  runtime.cores = options.cores;
  return Runtime(runtime);
}

Runtime connected(const ServiceProcess& service) {
  return Runtime::connect({.folder = service.folder(), .name = "troupe-service-bench"});
}

ServiceFigure figure(std::vector<double> service, std::vector<double> other) {
  ServiceFigure result;
  result.ratio = estimate(ratios(service, other));
  result.service = estimate(std::move(service));
  result.other = estimate(std::move(other));
  return result;
}

template <class T>
struct InTurn {
  std::vector<T> on_service;
  std::vector<T> alone;
};

/// Calls `measure(runtime, is_service)` in turn on the service and on the embedded runtime, each time with a new
/// runtime.
template <class T, class Measure>
InTurn<T> in_turn(const ServiceProcess& service, const ServiceBenchOptions& options, int rounds,
                  const Measure& measure) {
  InTurn<T> result;
  for (int round = 0; round < rounds; ++round) {
    {
      Runtime runtime = connected(service);
      result.on_service.push_back(measure(runtime, true));
    }
    Runtime runtime = embedded(options);
    result.alone.push_back(measure(runtime, false));
  }
  return result;
}

double tasks_per_second(Runtime& runtime, std::int64_t tasks) {
  const Codelet& nothing = kernels::trial_codelets().nothing;
  runtime.submit(nothing, {}).wait();
  const auto start = Clock::now();
  for (std::int64_t i = 0; i < tasks; ++i) runtime.submit(nothing, {});
  runtime.wait();
  return static_cast<double>(tasks) / seconds_since(start);
}

/// Returns the median time of a call. Each call is timed separately, so that the median leaves out the calls that the
/// system interrupted.
template <class Call>
double median_seconds(int calls, const Call& call) {
  std::vector<double> times;
  for (int i = 0; i < calls; ++i) {
    const auto start = Clock::now();
    call();
    times.push_back(seconds_since(start));
  }
  return median_of(std::move(times));
}

/// The processor times of one factorization.
struct CholeskyTimes {
  /// The time to allocate memory for the matrix and to fill it.
  double data_s = 0;
  double factorization_s = 0;
};

template <class ProcessorTime>
CholeskyTimes factorize(Runtime& runtime, const ServiceBenchOptions& options, const ProcessorTime& processor_time) {
  const Duration start = processor_time();
  TiledMatrix<double> a(runtime, options.n, options.n, options.tile);
  const auto& kernel = kernels::codelets<double>();
  for (int j = 0; j < a.tile_cols(); ++j) {
    for (int i = j; i < a.tile_rows(); ++i) {
      runtime.submit(kernel.fill_symmetric, {a(i, j)},
                     args(i * options.tile, j * options.tile, std::uint64_t{1}, static_cast<double>(options.n)));
    }
  }
  runtime.wait();
  const Duration filled = processor_time();
  linalg::cholesky(runtime, a);
  runtime.wait();
  return {seconds(filled - start), seconds(processor_time() - filled)};
}

}  // namespace

ServiceFigure measure_empty_tasks(const ServiceProcess& service, const ServiceBenchOptions& options) {
  const auto [on_service, alone] = in_turn<double>(service, options, options.rounds, [&](Runtime& runtime, bool) {
    return tasks_per_second(runtime, options.tasks);
  });
  ServiceFigure result = figure(on_service, alone);
  result.name = "empty tasks per second";
  result.unit = "/s";
  result.other_name = "embedded";
  result.target = "at least 500,000 on two cores";
  return result;
}

ServiceFigure measure_one_task(const ServiceProcess& service, const ServiceBenchOptions& options) {
  std::vector<double> tasks;
  std::vector<double> calls;
  Runtime runtime = connected(service);
  const auto questions = remote::ServiceCalls::connect(service.folder()).value_or_throw();
  const Codelet& nothing = kernels::trial_codelets().nothing;
  for (int round = 0; round < options.rounds; ++round) {
    tasks.push_back(median_seconds(options.calls, [&] { runtime.submit(nothing, {}).wait(); }));
    calls.push_back(median_seconds(options.calls, [&] { questions.ping().value_or_throw(); }));
  }
  ServiceFigure result = figure(std::move(tasks), std::move(calls));
  result.name = "one task, submit to wait";
  result.unit = "s";
  result.other_name = "empty call";
  result.target = "at most twice an empty call and 50 us";
  return result;
}

std::vector<ServiceFigure> measure_cholesky(const ServiceProcess& service, const ServiceBenchOptions& options) {
  const auto measured =
      in_turn<CholeskyTimes>(service, options, std::min(options.rounds, 5), [&](Runtime& runtime, bool remote) {
        return factorize(runtime, options, [&] {
          return remote ? service.processor_time() + own_processor_time() : own_processor_time();
        });
      });
  const auto part = [&](const std::string& name, double CholeskyTimes::*time, const std::string& target) {
    const auto of = [time](const std::vector<CholeskyTimes>& all) {
      std::vector<double> times;
      for (const CholeskyTimes& one : all) times.push_back(one.*time);
      return times;
    };
    ServiceFigure result = figure(of(measured.on_service), of(measured.alone));
    result.name = name;
    result.unit = "s";
    result.other_name = "embedded";
    result.target = target;
    return result;
  };
  const std::string what = "Cholesky " + std::to_string(options.n);
  return {part(what + ", processor time", &CholeskyTimes::factorization_s, "within 2 %"),
          part("its matrix, to have and to fill", &CholeskyTimes::data_s, "")};
}

}  // namespace troupe::bench
