#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <array>
#include <deque>
#include <optional>

#include "lab/bench/runners/cases.hpp"
#include "lab/bench/sweep.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

using tbb::flow::continue_msg;
using Node = tbb::flow::continue_node<continue_msg>;

constexpr std::int64_t kMostTasks = 16'384;
/// The largest number of tasks in a graph that is built once and executed several times (mode `static`).
constexpr std::int64_t kMostStaticTasks = 2'048;

/// A graph with explicit edges. Every task has an output of its own, so the pattern alone determines the order.
class FlowGraph {
 public:
  FlowGraph(const Workload& workload, std::atomic<std::int64_t>& wrong)
      : width_(workload.pattern->width()), outputs_(static_cast<std::size_t>(workload.steps * width_)) {
    const GraphPattern& pattern = *workload.pattern;
    for (std::int64_t step = 0; step < workload.steps; ++step) {
      for (int column = 0; column < width_; ++column) {
        // Rows of a tree that are not full are padded with nodes that are never started, so that indices stay simple.
        nodes_.emplace_back(graph_, [this, &workload, &wrong, step, column](const continue_msg&) {
          run(workload, step, column, wrong);
        });
        if (column >= pattern.row_width(step)) continue;
        const auto inputs = pattern.inputs(step, column);
        for (const int from : inputs) tbb::flow::make_edge(nodes_[index(step - 1, from)], nodes_.back());
        if (inputs.empty()) roots_.push_back(&nodes_.back());
      }
    }
  }
  void execute() {
    for (Node* root : roots_) root->try_put(continue_msg());
    graph_.wait_for_all();
  }

 private:
  [[nodiscard]] std::size_t index(std::int64_t step, int column) const {
    return static_cast<std::size_t>(step * width_ + column);
  }
  void run(const Workload& workload, std::int64_t step, int column, std::atomic<std::int64_t>& wrong) {
    const auto columns = workload.pattern->inputs(step, column);
    run_task(
        workload, step, column, outputs_[index(step, column)],
        [&](std::size_t k) -> TaskOutput& { return outputs_[index(step - 1, columns[k])]; }, wrong);
  }

  std::int64_t width_;
  std::vector<TaskOutput> outputs_;
  tbb::flow::graph graph_;
  std::deque<Node> nodes_;
  std::vector<Node*> roots_;
};

class TbbExecutor final : public GraphExecutor {
 public:
  explicit TbbExecutor(bool keep) : keep_(keep) {}

  void prepare(const Workload& workload) override {
    kept_.reset();
    if (keep_) kept_.emplace(workload, wrong_);
  }
  void execute(const Workload& workload) override {
    if (kept_) {
      kept_->execute();
    } else {
      FlowGraph(workload, wrong_).execute();
    }
  }
  [[nodiscard]] std::int64_t wrong() const override { return wrong_; }

 private:
  bool keep_;
  std::atomic<std::int64_t> wrong_{0};
  std::optional<FlowGraph> kept_;
};

}  // namespace

Json granularity(Parameters& parameters) {
  constexpr std::array kModes{"submitted", "static"};
  const bool keep = mode_of(parameters, kModes) == "static";
  const SweepOptions options = sweep_options(parameters, keep ? kMostStaticTasks : kMostTasks);
  const GraphPattern pattern(options.shape);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(options.cores));
  tbb::task_arena arena(options.cores);
  return arena.execute([&] {
    TbbExecutor executor(keep);
    return sweep(options, pattern, executor);
  });
}

}  // namespace troupe::bench
