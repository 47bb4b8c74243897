#include <array>

#include "lab/bench/runners/cases.hpp"
#include "lab/bench/sweep.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

constexpr std::int64_t kMostTasks = 16'384;

class OpenmpExecutor final : public GraphExecutor {
 public:
  OpenmpExecutor(int cores, const GraphPattern& pattern) : cores_(cores), ring_(pattern.width()) {}

  void execute(const Workload& workload) override {
#pragma omp parallel num_threads(cores_)
#pragma omp single
    create(workload);
  }
  [[nodiscard]] std::int64_t wrong() const override { return wrong_; }

 private:
  void create(const Workload& workload) {
    for (std::int64_t step = 0; step < workload.steps; ++step) {
      for (int column = 0; column < workload.pattern->row_width(step); ++column) create_one(workload, step, column);
    }
  }

  void create_one(const Workload& workload, std::int64_t step, int column) {
    const auto columns = workload.pattern->inputs(step, column);
    std::array<TaskOutput*, kMostInputs> inputs{};
    for (std::size_t k = 0; k < columns.size(); ++k) inputs[k] = &ring_.at(step - 1, columns[k]);
    [[maybe_unused]] TaskOutput* const* list = inputs.data();
    [[maybe_unused]] TaskOutput* output = &ring_.at(step, column);
    const auto count = static_cast<int>(columns.size());
    const Workload* shared = &workload;
#pragma omp task depend(iterator(int k = 0       \
                                 : count),       \
                        in                       \
                        : list[k][0]) depend(out \
                                             : output[0]) firstprivate(shared, step, column)
    run_one(*shared, step, column);
  }

  void run_one(const Workload& workload, std::int64_t step, int column) {
    const auto columns = workload.pattern->inputs(step, column);
    run_task(
        workload, step, column, ring_.at(step, column),
        [&](std::size_t k) -> TaskOutput& { return ring_.at(step - 1, columns[k]); }, wrong_);
  }

  int cores_;
  OutputRing ring_;
  std::atomic<std::int64_t> wrong_{0};
};

}  // namespace

Json granularity(Parameters& parameters) {
  constexpr std::array kModes{"submitted"};
  [[maybe_unused]] const std::string mode = mode_of(parameters, kModes);
  const SweepOptions options = sweep_options(parameters, kMostTasks);
  if (options.shape.radix > static_cast<int>(kMostInputs)) throw Unsupported("at most 9 dependencies");
  const GraphPattern pattern(options.shape);
  OpenmpExecutor executor(options.cores, pattern);
  return sweep(options, pattern, executor);
}

}  // namespace troupe::bench
