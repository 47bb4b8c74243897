/// Graphs of empty tasks on one core, for counting instructions: `scripts/instructions` runs this under callgrind with
/// two numbers of tasks, and divides the difference in instructions by the difference in tasks.
///
///     troupe-instructions SHAPE TASKS
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "troupe/runtime.hpp"

namespace troupe::bench {
namespace {

constexpr int kWidth = 8;
constexpr int kRecorded = 512;

const auto kNothing = [](const KernelContext&) {};

class Graphs {
 public:
  Graphs() : runtime_(one_core()), task_(Codelet::variadic("task")) {
    task_.cpu(kNothing);
    for (double& value : values_) data_.push_back(runtime_.scalar(value));
  }

  void independent(int tasks) {
    const Codelet nothing = Codelet("nothing", {}).cpu(kNothing);
    for (int task = 0; task < tasks; ++task) runtime_.submit(nothing, {});
  }
  void chain(int tasks) {
    const Codelet touch = Codelet("touch", {AccessMode::read_write}).cpu(kNothing);
    for (int task = 0; task < tasks; ++task) runtime_.submit(touch, {data_[0]});
  }
  /// Submits tasks with two handles and one argument, whose kernel is a typed function.
  void typed(int tasks) {
    const Codelet add =
        Codelet("add", {AccessMode::read, AccessMode::read_write}).cpu([](const double& a, double& b, double factor) {
          b += factor * a;
        });
    for (int task = 0; task < tasks; ++task) {
      runtime_.submit(add, {data_[index(0, task)], data_[index(1, task)]}, args(0.5));
    }
  }
  /// Submits tasks that write data which are made for each of them.
  void temporaries(int tasks) {
    const Codelet fill = Codelet("fill", {AccessMode::write}).cpu(kNothing);
    for (int task = 0; task < tasks; ++task) runtime_.submit(fill, {runtime_.allocate_vector<double>(1024)});
  }
  /// Submits a stencil: each task reads the results of its neighbours in the previous step.
  void stencil(int tasks) {
    std::vector<Access> accesses;
    for (int task = 0; task < tasks; ++task) {
      const int step = task / kWidth;
      const int column = task % kWidth;
      accesses.assign(1, write(data_[index(step, column)]));
      for (int from = std::max(column - 1, 0); from <= std::min(column + 1, kWidth - 1); ++from) {
        accesses.push_back(read(data_[index(step + 1, from)]));
      }
      runtime_.submit(task_, accesses, args(step, column));
    }
  }
  /// Records a stencil once, and runs the recording several times.
  void replay(int tasks) {
    const RecordedGraph graph = runtime_.record([&] { stencil(kRecorded); });
    for (int run = 0; run < tasks / kRecorded; ++run) graph.run();
  }
  void wait() { runtime_.wait(); }

 private:
  static RuntimeOptions one_core() {
    RuntimeOptions options;
    options.cores = 1;
    return options;
  }
  static std::size_t index(int step, int column) {
    return static_cast<std::size_t>(step % 2 * kWidth + column % kWidth);
  }

  std::array<double, 2 * kWidth> values_{};
  Runtime runtime_;
  Codelet task_;
  std::vector<Data> data_;
};

struct Shape {
  const char* name;
  void (Graphs::*submit)(int tasks);
};
constexpr std::array kShapes{
    Shape{"independent", &Graphs::independent}, Shape{"chain", &Graphs::chain},     Shape{"typed", &Graphs::typed},
    Shape{"temporaries", &Graphs::temporaries}, Shape{"stencil", &Graphs::stencil}, Shape{"replay", &Graphs::replay}};

int run(std::span<const char* const> words) {
  const int tasks = words.size() == 3 ? std::atoi(words[2]) : 0;
  for (const Shape& shape : kShapes) {
    if (tasks <= 0 || std::string(words[1]) != shape.name) continue;
    Graphs graphs;
    (graphs.*shape.submit)(tasks);
    graphs.wait();
    return 0;
  }
  std::fputs("usage: troupe-instructions independent|chain|typed|temporaries|stencil|replay TASKS\n", stderr);
  return 2;
}

}  // namespace
}  // namespace troupe::bench

int main(int argc, char** argv) { return troupe::bench::run({argv, static_cast<std::size_t>(argc)}); }
