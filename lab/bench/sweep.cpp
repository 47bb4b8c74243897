#include "lab/bench/sweep.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>

#include "lab/bench/metg.hpp"
#include "lab/bench/runner.hpp"
#include "lab/bench/statistics.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

using Clock = std::chrono::steady_clock;

GraphShape shape_of(Parameters& parameters, int cores) {
  const std::string name = parameters.text("pattern", "stencil_1d");
  const auto pattern = pattern_named(name);
  if (!pattern) throw BadParameter("unknown pattern '" + name + "'");
  GraphShape shape;
  shape.pattern = *pattern;
  shape.width = static_cast<int>(parameters.integer("width", cores, 1));
  if (shape.pattern == Pattern::stencil_2d && shape.width > 256) {
    throw BadParameter("width " + std::to_string(shape.width) + ": stencil_2d has at most 256 tasks on a side");
  }
  shape.radix = static_cast<int>(parameters.integer("dependencies", shape.radix));
  return shape;
}

/// Returns the smallest number of rows that together have at least `tasks` tasks.
std::int64_t steps_for(const GraphPattern& pattern, double tasks) {
  auto steps = static_cast<std::int64_t>(tasks) / pattern.width();
  while (static_cast<double>(pattern.tasks(steps)) < tasks) ++steps;
  return steps;
}

class Sweep {
 public:
  Sweep(const SweepOptions& options, const GraphPattern& pattern, GraphExecutor& executor)
      : options_(options), pattern_(pattern), executor_(executor) {
    workload_.pattern = &pattern;
  }

  std::vector<CurvePoint> run() {
    double iterations = first_iterations();
    CurvePoint point = measure(iterations);
    for (int i = 0; point.efficiency < kMetgEfficiency && i < kMostDoublings; ++i) point = measure(iterations *= 4);
    iterations = curve_.front().iterations;
    if (curve_.front().efficiency >= kMetgEfficiency) descend(iterations);
    refine();
    std::sort(curve_.begin(), curve_.end(),
              [](const CurvePoint& a, const CurvePoint& b) { return a.iterations > b.iterations; });
    return curve_;
  }

 private:
  static constexpr int kMostDoublings = 6;

  [[nodiscard]] double first_iterations() const {
    return std::max(1.0, std::round(options_.first_us * 1e-6 * options_.peak / options_.cores));
  }

  /// Halves the task size until two successive points are below 50 %, as a single point may be below 50 % by accident.
  void descend(double iterations) {
    for (int below = 0; below < 2 && iterations >= 2;) {
      iterations = std::floor(iterations / 2);
      below = measure(iterations).efficiency < kMetgEfficiency ? below + 1 : 0;
    }
  }

  /// Measures one more point between the two points around the crossing.
  void refine() {
    double above = 0;
    for (const CurvePoint& point : curve_) {
      if (point.efficiency >= kMetgEfficiency && (above == 0 || point.iterations < above)) above = point.iterations;
    }
    double below = 0;
    for (const CurvePoint& point : curve_) {
      if (point.iterations < above) below = std::max(below, point.iterations);
    }
    const double between = std::round(std::sqrt(above * below));
    if (between > below && between < above) measure(between);
  }

  CurvePoint measure(double iterations) {
    // The runtime's overhead at this task size is not known yet; the overhead at the last point is a good guess.
    const double expected_s = (iterations / options_.peak + overhead_s_);
    const double wanted = options_.least_seconds / expected_s;
    const double tasks =
        std::clamp(wanted, static_cast<double>(options_.least_tasks), static_cast<double>(options_.most_tasks));
    workload_.steps = steps_for(pattern_, tasks);
    workload_.iterations = static_cast<std::int64_t>(iterations);
    executor_.prepare(workload_);
    executor_.execute(workload_);
    std::vector<double> seconds;
    seconds.reserve(static_cast<std::size_t>(options_.repetitions));
    for (int i = 0; i < options_.repetitions; ++i) seconds.push_back(seconds_per_execution());
    const double median = median_of(seconds);
    const auto count = static_cast<double>(workload_.tasks());
    overhead_s_ = std::max(0.0, median / count - iterations / options_.peak);
    curve_.push_back({iterations, 1e6 * median * options_.cores / count, iterations * count / median / options_.peak});
    return curve_.back();
  }

  double seconds_per_execution() {
    int executions = 0;
    const auto begin = Clock::now();
    std::chrono::duration<double> elapsed{};
    do {
      executor_.execute(workload_);
      ++executions;
      elapsed = Clock::now() - begin;
    } while (elapsed.count() < options_.least_seconds);
    return elapsed.count() / executions;
  }

  const SweepOptions& options_;
  const GraphPattern& pattern_;
  GraphExecutor& executor_;
  Workload workload_;
  /// The wall time per task at the last point, without the time of its iterations.
  double overhead_s_ = 0;
  std::vector<CurvePoint> curve_;
};

Json verify(const SweepOptions& options, const GraphPattern& pattern, GraphExecutor& executor) {
  Workload workload{&pattern, options.steps, 1, true};
  executor.prepare(workload);
  executor.execute(workload);
  executor.execute(workload);  // The second execution shows that a graph can be executed again.
  return {{"tasks", workload.tasks()}, {"wrong", executor.wrong()}};
}

}  // namespace

SweepOptions sweep_options(Parameters& parameters, std::int64_t most_tasks) {
  SweepOptions options;
  options.cores = cores_of(parameters);
  options.shape = shape_of(parameters, options.cores);
  options.most_tasks = most_tasks;
  options.check = parameters.flag("check");
  options.steps = parameters.integer("steps", 50, 1);
  if (parameters.flag("tiny")) {
    options.least_tasks = 100;
    options.least_seconds = 0.001;
    options.repetitions = 1;
    options.first_us = 32;
  }
  options.peak = parameters.number("peak", 0);
  parameters.require_all_used();
  constexpr double kReferenceSeconds = 0.2;
  if (options.peak <= 0 && !options.check) {
    options.peak = peak_iterations_per_second(options.cores, kReferenceSeconds);
  }
  return options;
}

Json sweep(const SweepOptions& options, const GraphPattern& pattern, GraphExecutor& executor) {
  if (options.check) return verify(options, pattern, executor);
  const std::vector<CurvePoint> curve = Sweep(options, pattern, executor).run();
  const auto metg = metg_of(curve);
  if (!metg) throw std::runtime_error("50 % efficiency was not reached, whatever the task size");
  Json figures{{"metg_us", metg->us}, {"bounded", metg->bounded}, {"peak_iterations_per_second", options.peak}};
  for (const CurvePoint& point : curve) {
    figures["curve"].push_back(
        {{"iterations", point.iterations}, {"granularity_us", point.granularity_us}, {"efficiency", point.efficiency}});
  }
  return figures;
}

}  // namespace troupe::bench
