#include <array>
#include <optional>
#include <vector>

#include "lab/bench/runners/cases.hpp"
#include "lab/bench/sweep.hpp"
#include "proto/json/json.hpp"
#include "troupe/runtime.hpp"

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

}  // namespace

Json granularity(Parameters& parameters) {
  constexpr std::array kModes{"submitted", "recorded"};
  const std::string mode = mode_of(parameters, kModes);
  RuntimeOptions runtime_options;
  runtime_options.policy = parameters.text("policy", runtime_options.policy);
  const SweepOptions options = sweep_options(parameters, mode == "recorded" ? kMostRecordedTasks : kMostTasks);
  runtime_options.cores = options.cores;
  const GraphPattern pattern(options.shape);
  const auto measure = [&](auto&& executor) { return sweep(options, pattern, executor); };
  if (mode == "recorded") return measure(RecordedExecutor(runtime_options, pattern));
  return measure(TroupeExecutor(runtime_options, pattern));
}

}  // namespace troupe::bench
