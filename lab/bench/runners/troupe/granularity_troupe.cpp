#include <array>
#include <optional>
#include <span>
#include <vector>

#include "lab/bench/runner.hpp"
#include "lab/bench/runners/cases.hpp"
#include "lab/bench/sweep.hpp"
#include "proto/json/json.hpp"
#include "troupe/runtime.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::bench {
namespace {

/// The largest number of tasks in one execution. With larger graphs, the measurement would depend on the caches.
constexpr std::int64_t kMostTasks = 16'384;

/// The largest number of tasks in a recorded graph.
constexpr std::int64_t kMostRecordedTasks = 2'048;

/// Submits every task again in every execution.
class TroupeExecutor : public GraphExecutor {
 public:
  TroupeExecutor(const RuntimeOptions& options, const GraphPattern& pattern)
      : ring_(pattern.width()), task_(Codelet::variadic("task")), runtime_(options) {
    // The first handle is the output, the others are inputs.
    task_.cpu([this](const KernelContext& context) {
      run_task(
          *workload_, context.argument<std::int64_t>(0), context.argument<int>(1), context.scalar<TaskOutput>(0),
          [&](std::size_t k) -> const TaskOutput& { return context.scalar<const TaskOutput>(k + 1); }, wrong_);
    });
    for (std::size_t i = 0; i < ring_.size(); ++i) data_.push_back(runtime_.scalar(ring_[i]));
  }

  void execute(const Workload& workload) override {
    submit(workload);
    runtime_.wait();
  }
  [[nodiscard]] std::int64_t wrong() const override { return wrong_; }

 protected:
  void submit(const Workload& workload) {
    workload_ = &workload;
    const GraphPattern& pattern = *workload.pattern;
    std::vector<Access> accesses;
    for (std::int64_t step = 0; step < workload.steps; ++step) {
      for (int column = 0; column < pattern.row_width(step); ++column) {
        accesses.clear();
        accesses.push_back(write(data_[ring_.index(step, column)]));
        for (const int from : pattern.inputs(step, column)) {
          accesses.push_back(read(data_[ring_.index(step - 1, from)]));
        }
        runtime_.submit(task_, accesses, args(step, column));
      }
    }
  }
  Runtime& runtime() { return runtime_; }

 private:
  OutputRing ring_;
  Codelet task_;
  const Workload* workload_ = nullptr;
  std::atomic<std::int64_t> wrong_{0};
  Runtime runtime_;
  std::vector<Data> data_;
};

/// Records the submissions once and runs the recording in every execution.
class RecordedExecutor final : public TroupeExecutor {
 public:
  using TroupeExecutor::TroupeExecutor;
  void prepare(const Workload& workload) override {
    graph_ = runtime().record([&] { submit(workload); });
  }
  void execute(const Workload& /*workload*/) override { graph_->run().wait(); }

 private:
  std::optional<RecordedGraph> graph_;
};

/// Submits a stencil with two handles for each task in place of up to four: its output, and one halo part for all of
/// its inputs.
class HalosExecutor final : public GraphExecutor {
 public:
  HalosExecutor(const RuntimeOptions& options, const GraphPattern& pattern)
      : ring_(pattern.width()),
        first_("task", {AccessMode::write}),
        task_("task", {AccessMode::write, AccessMode::read}),
        runtime_(options) {
    const bool plane = pattern.shape().pattern == Pattern::stencil_2d;
    if (!plane && pattern.shape().pattern != Pattern::stencil_1d) throw Unsupported("halo parts are for stencils");
    first_.cpu([this](const KernelContext& context) { run(context, {}); });
    task_.cpu([this](const KernelContext& context) { run(context, context.matrix<const TaskOutput>(1)); });
    const int side = pattern.shape().width;
    for (std::int64_t row = 0; row < OutputRing::kRows; ++row) {
      data_.push_back(runtime_.matrix(&ring_.at(row, 0), side, plane ? side : 1, side));
      rows_.emplace_back(runtime_, data_.back(), TileSize{1, 1}, 1);
    }
  }

  void execute(const Workload& workload) override {
    workload_ = &workload;
    for (std::int64_t step = 0; step < workload.steps; ++step) {
      const Blocks& row = rows_[static_cast<std::size_t>(step % OutputRing::kRows)];
      const Blocks& above = rows_[static_cast<std::size_t>((step + OutputRing::kRows - 1) % OutputRing::kRows)];
      for (int column = 0; column < workload.pattern->width(); ++column) {
        const std::int64_t i = column % row.rows();
        const std::int64_t j = column / row.rows();
        if (step == 0) {
          runtime_.submit(first_, {row(i, j)}, args(step, column));
        } else {
          runtime_.submit(task_, {row(i, j), above.halo(i, j)}, args(step, column));
        }
      }
    }
    runtime_.wait();
  }
  [[nodiscard]] std::int64_t wrong() const override { return wrong_; }

 private:
  /// `inputs` are the outputs of the task above and of its neighbours, as far as there are any.
  void run(const KernelContext& context, const MatrixView<const TaskOutput>& inputs) {
    const auto input = [&inputs](std::size_t k) -> const TaskOutput& {
      const auto place = static_cast<std::int64_t>(k);
      return inputs(place % inputs.rows, place / inputs.rows);
    };
    run_task(*workload_, context.argument<std::int64_t>(0), context.argument<int>(1), context.scalar<TaskOutput>(0),
             input, wrong_);
  }

  OutputRing ring_;
  Codelet first_;
  Codelet task_;
  const Workload* workload_ = nullptr;
  std::atomic<std::int64_t> wrong_{0};
  Runtime runtime_;
  std::vector<Data> data_;
  std::vector<Blocks> rows_;
};

}  // namespace

Json granularity(Parameters& parameters) {
  constexpr std::array kModes{"submitted", "recorded", "halos"};
  const std::string mode = mode_of(parameters, kModes);
  RuntimeOptions runtime_options;
  runtime_options.policy = parameters.text("policy", runtime_options.policy);
  const SweepOptions options = sweep_options(parameters, mode == "recorded" ? kMostRecordedTasks : kMostTasks);
  runtime_options.cores = options.cores;
  const GraphPattern pattern(options.shape);
  const auto measure = [&](auto&& executor) { return sweep(options, pattern, executor); };
  if (mode == "recorded") return measure(RecordedExecutor(runtime_options, pattern));
  if (mode == "halos") return measure(HalosExecutor(runtime_options, pattern));
  return measure(TroupeExecutor(runtime_options, pattern));
}

}  // namespace troupe::bench
