/// Task graphs in virtual time. Policies either know the kernel times or have to learn them. The ratio of the two
/// durations is the cost of learning.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "proto/random.hpp"
#include "troupe/troupe.hpp"

namespace troupe::tests {

/// The numbers of rows and columns of each piece of a task's data.
using DrawnShapes = std::vector<std::array<std::int64_t, 2>>;

/// A codelet: the shapes of its tasks' data, and their times.
struct LearnedKernel {
  std::string name;
  std::vector<AccessMode> modes;
  std::function<DrawnShapes(Random&)> shapes;
  CodeletTimes times;
  /// Calculates the number of operations from the shapes of the data; may be empty.
  std::function<double(const TimedTask&)> flops = {};
};

/// The machine on which the tasks run, and the dependencies among the tasks.
struct LearnedMachine {
  int cores = 12;
  int gpus = 4;
  /// The number of chains of tasks. Each chain has data of its own. 0 means that all tasks are independent.
  std::size_t chains = 0;
};

struct LearnedCase {
  std::string name;
  /// The kernels of the tasks. Each task has one of them, drawn at random.
  std::vector<LearnedKernel> kernels;
  LearnedMachine machine = {};
};

namespace learned {

inline double rows(const TimedTask& task, std::size_t data = 0) { return static_cast<double>(task.data[data].rows); }
inline double cols(const TimedTask& task, std::size_t data = 0) { return static_cast<double>(task.data[data].cols); }
inline double elements(const TimedTask& task, std::size_t data = 0) { return rows(task, data) * cols(task, data); }
inline Duration ns(double time) { return Duration(std::llround(time)); }
template <class Time>
TaskTime time_of(Time time) {
  return TaskTime([time](const TimedTask& task) { return ns(time(task)); });
}

/// Both functions return a random number between `least` and `most`. `uniform` distributes the number uniformly;
/// `scaled` distributes the logarithm of the number uniformly.
inline std::int64_t uniform(Random& random, double least, double most) {
  return std::llround(least + (most - least) * static_cast<double>(random.next() >> 11U) * 0x1p-53);
}
inline std::int64_t scaled(Random& random, double least, double most) {
  return std::llround(least * std::pow(most / least, static_cast<double>(random.next() >> 11U) * 0x1p-53));
}

inline DrawnShapes vectors(Random& random) { return {{uniform(random, 2e4, 2e5), 1}}; }
inline DrawnShapes squares(Random& random) {
  const std::int64_t edge = scaled(random, 100, 800);
  return {{edge, edge}};
}
inline DrawnShapes rectangles(Random& random) { return {{scaled(random, 100, 800), scaled(random, 100, 800)}}; }
inline DrawnShapes two_vectors(Random& random) {
  return {{scaled(random, 1e3, 1e5), 1}, {scaled(random, 1e3, 1e5), 1}};
}
inline DrawnShapes products(Random& random) {
  const std::int64_t m = scaled(random, 100, 800), n = scaled(random, 100, 800), k = scaled(random, 100, 800);
  return {{m, k}, {k, n}, {m, n}};
}
inline double product_flops(const TimedTask& task) { return 2 * rows(task) * cols(task) * cols(task, 1); }

/// Returns times: `time` ns on cores, and `time` / `speedup` ns on GPUs.
template <class Time>
CodeletTimes faster_on_gpus(Time time, double speedup, double deviation = 0) {
  return {.core = time_of(time),
          .gpu = time_of([time, speedup](const TimedTask& task) { return time(task) / speedup; }),
          .deviation = deviation};
}

inline double linear(const TimedTask& task) { return 200 * elements(task); }
inline double with_constant(const TimedTask& task) { return 2e7 + 200 * elements(task); }
inline double cubic_edge(const TimedTask& task) { return std::pow(rows(task), 3); }

constexpr auto kOne = AccessMode::read_write;

}  // namespace learned

/// Returns the cases. Nearly all tasks of a case have different sizes. From 400 tasks on, a run that learns the times
/// may take at most 1.2 times as long as a run that knows them.
inline std::vector<LearnedCase> learned_cases() {
  using namespace learned;
  const std::vector<AccessMode> two{AccessMode::read, AccessMode::read_write};
  const std::vector<AccessMode> three{AccessMode::read, AccessMode::read, AccessMode::read_write};
  const LearnedKernel plain{"linear", {kOne}, vectors, faster_on_gpus(linear, 20)};
  const LearnedKernel product{"product", three, products, faster_on_gpus(product_flops, 15), product_flops};
  const LearnedKernel uncounted{"product of unknown operations", three, products, faster_on_gpus(product_flops, 15)};
  const LearnedKernel cubic{"cubic", {kOne}, squares, faster_on_gpus(cubic_edge, 10)};
  const LearnedKernel slow_on_gpus{"slow on gpus", {kOne}, squares, faster_on_gpus(cubic_edge, 0.05)};
  return {
      {"linear", {plain}},
      {"constant + linear", {{"constant", {kOne}, vectors, faster_on_gpus(with_constant, 20)}}},
      {"cubic in the edge", {cubic}},
      {"cubic in the rows", {{"rows", {kOne}, rectangles, faster_on_gpus(cubic_edge, 10)}}},
      {"product, flops", {product}},
      {"product, bytes", {uncounted}},
      {"second argument alone",
       {{"second", two, two_vectors,
         faster_on_gpus([](const TimedTask& task) { return 500 * elements(task, 1); }, 20)}}},
      {"noise of 5 %", {{"noise", {kOne}, vectors, faster_on_gpus(linear, 20, 0.05)}}},
      {"constant on gpus, linear on cores",
       {{"launch", {kOne}, vectors, {.core = time_of(linear), .gpu = TaskTime(std::chrono::milliseconds(1))}}}},
      {"other kernels for cores and for gpus", {cubic, slow_on_gpus, plain}},
      {"hardly faster on gpus", {{"hardly", {kOne}, squares, faster_on_gpus(cubic_edge, 2)}}, {31, 1}},
      {"cores alone", {cubic}, {12, 0}},
      {"few cores, many gpus", {product}, {4, 8}},
      {"30 chains", {product, cubic}, {12, 4, 30}},
  };
}

/// Returns the codelet of a kernel. In chains, tasks also use the data that the previous task of their chain wrote.
inline Codelet codelet_of(const LearnedKernel& kernel, bool in_chains) {
  std::vector<AccessMode> modes = kernel.modes;
  if (in_chains) modes.push_back(AccessMode::read_write);
  Codelet codelet(kernel.name, modes);
  if (!kernel.flops) return codelet;
  return std::move(codelet).flops([flops = kernel.flops](const KernelContext& context) {
    std::vector<Layout> layouts;
    for (std::size_t i = 0; i < context.size(); ++i) layouts.push_back(context.data(i).layout);
    return flops({.data = layouts});
  });
}

/// Runs a case in virtual time and returns the report. The seed determines the sizes and the noise.
inline RunReport learned_run(const LearnedCase& of, int tasks, const std::string& policy,
                             SimulationOptions::Model model, std::uint64_t seed = 1) {
  auto options = std::make_shared<SimulationOptions>();
  const auto& [cores, gpus, chain_count] = of.machine;
  options->machine = plain_machine({.cores = cores + gpus, .gpus = gpus, .bandwidth_mb_per_s = 8000});
  for (int gpu = 0; gpu < gpus; ++gpu) options->gpus.push_back(gpu);
  options->knowledge.model = model;
  options->noise = true;
  options->seed = seed;
  std::vector<Codelet> codelets;
  for (const LearnedKernel& kernel : of.kernels) {
    CodeletTimes& times = options->times[kernel.name] = kernel.times;
    if (gpus == 0) times.gpu = {};
    codelets.push_back(codelet_of(kernel, chain_count > 0));
  }
  Runtime runtime({.policy = policy, .simulation = options});
  Random random(seed);
  // The data live until the tasks have ended.
  std::vector<Data> all;
  std::vector<Data> chains;
  for (std::size_t i = 0; i < chain_count; ++i) chains.push_back(runtime.allocate_vector<double>(1));
  for (int i = 0; i < tasks; ++i) {
    const std::size_t k = random.next() % codelets.size();
    std::vector<Access> data;
    for (const auto& [rows, cols] : of.kernels[k].shapes(random)) {
      data.emplace_back(all.emplace_back(runtime.allocate_matrix<double>(rows, cols)));
    }
    if (!chains.empty()) data.emplace_back(chains[static_cast<std::size_t>(i) % chains.size()]);
    runtime.submit(codelets[k], data);
  }
  runtime.wait();
  return runtime.report();
}

/// Runs a case twice: with kernel times that must be learned, and with known kernel times. Returns the first duration
/// divided by the second.
inline double learned_ratio(const LearnedCase& of, int tasks, const std::string& policy, std::uint64_t seed = 1) {
  const auto makespan_s = [&](SimulationOptions::Model model) {
    return seconds(learned_run(of, tasks, policy, model, seed).virtual_time.value());
  };
  return makespan_s(SimulationOptions::Model::learned) / makespan_s(SimulationOptions::Model::exact);
}

}  // namespace troupe::tests
