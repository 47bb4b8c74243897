/// What the runtime itself costs: empty tasks in the shapes in which real programs have them.
///
/// bench_overhead [CORES [POLICY]]: prints, for each shape, the median, least and greatest of nine repetitions.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "client/runtime.hpp"

namespace {

using namespace troupe;

constexpr int kRepetitions = 9;

/// One way to submit empty tasks; returns how many.
struct Shape {
  const char* name;
  std::function<int(Runtime&)> submit;
};

const Codelet kNothing = Codelet("nothing", {}).cpu([](const KernelContext&) {});
const Codelet kTouch = Codelet("touch", {AccessMode::read_write}).cpu([](const KernelContext&) {});
const Codelet kLook = Codelet("look", {AccessMode::read}).cpu([](const KernelContext&) {});

/// `chains` chains side by side, each through one handle, submitted in turn.
int submit_chains(Runtime& runtime, int chains, int tasks) {
  std::vector<double> values(static_cast<std::size_t>(chains) * 8);
  std::vector<Data> data;
  for (int i = 0; i < chains; ++i) data.push_back(runtime.scalar(values[static_cast<std::size_t>(i) * 8]));
  for (int i = 0; i < tasks; ++i) runtime.submit(kTouch, {data[static_cast<std::size_t>(i % chains)]});
  runtime.wait();
  return tasks;
}

int submit_forks(Runtime& runtime, int width, int tasks) {
  double value = 0;
  const Data data = runtime.scalar(value);
  const int forks = tasks / (width + 1);
  for (int fork = 0; fork < forks; ++fork) {
    runtime.submit(kTouch, {data});
    for (int i = 0; i < width; ++i) runtime.submit(kLook, {data});
  }
  runtime.wait();
  return forks * (width + 1);
}

/// Nearly all of it is done by kernels: no thread but the workers submits.
int submit_tree(Runtime& runtime, int depth) {
  std::vector<Codelet> levels{kNothing};
  levels.reserve(static_cast<std::size_t>(depth) + 1);
  for (int level = 1; level <= depth; ++level) {
    const Codelet& below = levels.back();
    levels.push_back(Codelet("node", {}).cpu([&runtime, &below](const KernelContext&) {
      runtime.submit(below, {});
      runtime.submit(below, {});
    }));
  }
  runtime.submit(levels.back(), {});
  runtime.wait();
  return (2 << depth) - 1;
}

void measure(const RuntimeOptions& options, const Shape& shape) {
  Runtime runtime(options);
  std::array<double, kRepetitions> us_per_task{};
  shape.submit(runtime);
  for (double& result : us_per_task) {
    const auto begin = std::chrono::steady_clock::now();
    const int tasks = shape.submit(runtime);
    result = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / tasks;
  }
  std::sort(us_per_task.begin(), us_per_task.end());
  const double median = us_per_task[kRepetitions / 2];
  std::uint64_t stolen = 0;
  std::uint64_t parks = 0;
  for (const WorkerReport& worker : runtime.report().workers) {
    stolen += worker.stolen_tasks;
    parks += worker.parks;
  }
  std::printf("%-34s %7.3f us/task  (%.3f to %.3f)  %11.0f tasks/s  %9llu stolen %8llu parks\n", shape.name, median,
              us_per_task.front(), us_per_task.back(), 1e6 / median, static_cast<unsigned long long>(stolen),
              static_cast<unsigned long long>(parks));
}

}  // namespace

int main(int argc, char** argv) {
  RuntimeOptions options;
  if (argc > 1) options.cores = std::atoi(argv[1]);
  if (argc > 2) options.policy = argv[2];
  const std::vector<Shape> shapes{
      {"independent tasks",
       [](Runtime& runtime) {
         constexpr int kTasks = 200'000;
         for (int i = 0; i < kTasks; ++i) runtime.submit(kNothing, {});
         runtime.wait();
         return kTasks;
       }},
      {"one chain", [](Runtime& runtime) { return submit_chains(runtime, 1, 100'000); }},
      {"64 chains", [](Runtime& runtime) { return submit_chains(runtime, 64, 200'000); }},
      {"fork and join, 10 wide", [](Runtime& runtime) { return submit_forks(runtime, 10, 100'000); }},
      {"fork and join, 1000 wide", [](Runtime& runtime) { return submit_forks(runtime, 1000, 100'000); }},
      {"binary tree submitted by kernels", [](Runtime& runtime) { return submit_tree(runtime, 16); }},
      {"one task, waited for",
       [](Runtime& runtime) {
         constexpr int kTasks = 5'000;
         for (int i = 0; i < kTasks; ++i) runtime.submit(kNothing, {}).wait();
         return kTasks;
       }},
  };
  try {
    for (const Shape& shape : shapes) measure(options, shape);
  } catch (const Error& error) {
    std::fprintf(stderr, "bench_overhead: %s\n", error.what());
    return 1;
  }
  return 0;
}
