#include <array>
#include <vector>

#include "lab/bench/runners/cases.hpp"
#include "lab/bench/runners/starpu/session_starpu.hpp"
#include "lab/bench/sweep.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

constexpr std::int64_t kMostTasks = 16'384;
/// The largest number of inputs here: a StarPU task has eight buffers unless it allocates more.
constexpr std::size_t kMostBuffersRead = 5;

/// The arguments of a task. They lie in the program's own memory, so StarPU does not have to copy them.
struct TaskArguments {
  const Workload* workload = nullptr;
  std::atomic<std::int64_t>* wrong = nullptr;
  std::int64_t step = 0;
  int column = 0;
};

void run_starpu_task(void** buffers, void* argument) {
  const auto output = [buffers](std::size_t i) -> TaskOutput& {
    return *reinterpret_cast<TaskOutput*>(STARPU_VARIABLE_GET_PTR(buffers[i]));
  };
  const auto& task = *static_cast<const TaskArguments*>(argument);
  run_task(
      *task.workload, task.step, task.column, output(0), [&](std::size_t k) -> TaskOutput& { return output(k + 1); },
      *task.wrong);
}

class StarpuExecutor final : public GraphExecutor {
 public:
  StarpuExecutor(int cores, const GraphPattern& pattern) : ring_(pattern.width()), session_(cores) {
    // There is one codelet for each number of inputs, because StarPU is faster if a codelet has fixed access modes.
    for (std::size_t inputs = 0; inputs < codelets_.size(); ++inputs) {
      initialize(codelets_[inputs], "task", run_starpu_task);
      codelets_[inputs].nbuffers = static_cast<int>(inputs) + 1;
      codelets_[inputs].modes[0] = STARPU_W;
      for (std::size_t i = 1; i <= inputs; ++i) codelets_[inputs].modes[i] = STARPU_R;
    }
    for (std::size_t i = 0; i < ring_.size(); ++i) variables_.add(ring_[i]);
  }

  void prepare(const Workload& workload) override {
    arguments_.resize(static_cast<std::size_t>(workload.steps) * static_cast<std::size_t>(workload.pattern->width()));
  }
  void execute(const Workload& workload) override {
    TaskArguments* next = arguments_.data();
    for (std::int64_t step = 0; step < workload.steps; ++step) {
      for (int column = 0; column < workload.pattern->row_width(step); ++column) {
        *next = {&workload, &wrong_, step, column};
        submit_one(*next++);
      }
    }
    starpu_task_wait_for_all();
  }
  [[nodiscard]] std::int64_t wrong() const override { return wrong_; }

 private:
  void submit_one(TaskArguments& arguments) {
    const auto inputs = arguments.workload->pattern->inputs(arguments.step, arguments.column);
    starpu_task* task = starpu_task_create();
    task->cl = &codelets_[inputs.size()];
    task->cl_arg = &arguments;
    task->handles[0] = variables_[ring_.index(arguments.step, arguments.column)];
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      task->handles[k + 1] = variables_[ring_.index(arguments.step - 1, inputs[k])];
    }
    submit(task);
  }

  std::array<starpu_codelet, kMostBuffersRead + 1> codelets_{};
  OutputRing ring_;
  std::vector<TaskArguments> arguments_;
  std::atomic<std::int64_t> wrong_{0};
  StarpuSession session_;
  StarpuVariables variables_;
};

}  // namespace

Json granularity(Parameters& parameters) {
  constexpr std::array kModes{"submitted"};
  [[maybe_unused]] const std::string mode = mode_of(parameters, kModes);
  const SweepOptions options = sweep_options(parameters, kMostTasks);
  if (options.shape.radix > static_cast<int>(kMostBuffersRead) || options.shape.pattern == Pattern::stencil_2d) {
    throw Unsupported("at most 5 dependencies");
  }
  const GraphPattern pattern(options.shape);
  StarpuExecutor executor(options.cores, pattern);
  return sweep(options, pattern, executor);
}

}  // namespace troupe::bench
