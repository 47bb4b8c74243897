#include <taskflow/taskflow.hpp>

#include <array>
#include <vector>

#include "lab/bench/runners/cases.hpp"
#include "lab/bench/sweep.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

constexpr std::int64_t kMostTasks = 16'384;
/// The largest number of tasks in a graph that is built once and executed several times (mode `static`).
constexpr std::int64_t kMostStaticTasks = 2'048;

/// Executes graphs with explicit edges. Every task has an output of its own, so the pattern alone determines the order.
class TaskflowExecutor : public GraphExecutor {
 public:
  explicit TaskflowExecutor(int cores) : executor_(static_cast<std::size_t>(cores)) {}

  void prepare(const Workload& workload) override {
    width_ = workload.pattern->width();
    outputs_.assign(static_cast<std::size_t>(workload.steps * width_), {});
  }
  [[nodiscard]] std::int64_t wrong() const override { return wrong_; }

 protected:
  [[nodiscard]] std::size_t index(std::int64_t step, int column) const {
    return static_cast<std::size_t>(step * width_ + column);
  }
  auto body(const Workload& workload, std::int64_t step, int column) {
    return [this, &workload, step, column] {
      const auto columns = workload.pattern->inputs(step, column);
      run_task(
          workload, step, column, outputs_[index(step, column)],
          [&](std::size_t k) -> TaskOutput& { return outputs_[index(step - 1, columns[k])]; }, wrong_);
    };
  }
  void build(const Workload& workload, tf::Taskflow& graph) {
    std::vector<tf::Task> tasks(outputs_.size());
    for (std::int64_t step = 0; step < workload.steps; ++step) {
      for (int column = 0; column < workload.pattern->row_width(step); ++column) {
        tf::Task& task = tasks[index(step, column)] = graph.emplace(body(workload, step, column));
        for (const int from : workload.pattern->inputs(step, column)) task.succeed(tasks[index(step - 1, from)]);
      }
    }
  }
  tf::Executor& executor() { return executor_; }

 private:
  std::int64_t width_ = 0;
  std::vector<TaskOutput> outputs_;
  std::atomic<std::int64_t> wrong_{0};
  tf::Executor executor_;
};

/// Builds the graph again for every execution; the measured time includes this.
class GraphEachTime final : public TaskflowExecutor {
 public:
  using TaskflowExecutor::TaskflowExecutor;
  void execute(const Workload& workload) override {
    tf::Taskflow graph;
    build(workload, graph);
    executor().run(graph).wait();
  }
};

/// Builds the graph once and executes it several times, which is how Taskflow is meant to be used.
class KeptGraph final : public TaskflowExecutor {
 public:
  using TaskflowExecutor::TaskflowExecutor;
  void prepare(const Workload& workload) override {
    TaskflowExecutor::prepare(workload);
    graph_.clear();
    build(workload, graph_);
  }
  void execute(const Workload& /*workload*/) override { executor().run(graph_).wait(); }

 private:
  tf::Taskflow graph_;
};

/// Submits every task separately, with references to the tasks that produce its inputs.
class AsyncTasks final : public TaskflowExecutor {
 public:
  using TaskflowExecutor::TaskflowExecutor;
  void execute(const Workload& workload) override {
    const auto width = static_cast<std::size_t>(workload.pattern->width());
    std::vector<tf::AsyncTask> above(width);
    std::vector<tf::AsyncTask> row(width);
    std::array<tf::AsyncTask, kMostInputs> inputs;
    for (std::int64_t step = 0; step < workload.steps; ++step) {
      for (int column = 0; column < workload.pattern->row_width(step); ++column) {
        auto* end = inputs.begin();
        for (const int from : workload.pattern->inputs(step, column)) *end++ = above[static_cast<std::size_t>(from)];
        row[static_cast<std::size_t>(column)] =
            executor().silent_dependent_async(body(workload, step, column), inputs.begin(), end);
      }
      std::swap(above, row);
    }
    executor().wait_for_all();
  }
};

}  // namespace

Json granularity(Parameters& parameters) {
  constexpr std::array kModes{"submitted", "async", "static"};
  const std::string mode = mode_of(parameters, kModes);
  const SweepOptions options = sweep_options(parameters, mode == "static" ? kMostStaticTasks : kMostTasks);
  if (options.shape.radix > static_cast<int>(kMostInputs)) throw Unsupported("at most 9 dependencies");
  const GraphPattern pattern(options.shape);
  const auto measure = [&](auto&& executor) { return sweep(options, pattern, executor); };
  if (mode == "static") return measure(KeptGraph(options.cores));
  if (mode == "async") return measure(AsyncTasks(options.cores));
  return measure(GraphEachTime(options.cores));
}

}  // namespace troupe::bench
