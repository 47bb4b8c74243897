/// The output of a task of a benchmark graph. It identifies the task, so that readers can detect that they ran too
/// early or too late.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "lab/bench/compute_kernel.hpp"
#include "lab/bench/pattern.hpp"

namespace troupe::bench {

/// An output. It has a cache line of its own, like data of real tasks.
struct alignas(64) TaskOutput {
  std::int64_t step = -1;
  std::int64_t column = -1;
};

/// Data that all tasks of one execution share. They are written only between executions.
struct Workload {
  const GraphPattern* pattern = nullptr;
  std::int64_t steps = 0;
  std::int64_t iterations = 0;
  /// True if tasks verify their inputs. False in measurements.
  bool check = false;

  [[nodiscard]] std::int64_t tasks() const { return pattern->tasks(steps); }
};

/// The body of task (step, column). `input(k)` returns the output of the task's k-th input; `wrong` counts wrong
/// inputs.
template <class Input>
void run_task(const Workload& workload, std::int64_t step, int column, TaskOutput& output, Input input,
              std::atomic<std::int64_t>& wrong) {
  if (workload.check) {
    const auto columns = workload.pattern->inputs(step, column);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const TaskOutput& read = input(k);
      if (read.step != step - 1 || read.column != columns[k]) wrong.fetch_add(1, std::memory_order_relaxed);
    }
  }
  // The condition is never true. The compiler does not know that, so it cannot remove the computation.
  if (compute(workload.iterations) < 0) wrong.fetch_add(1, std::memory_order_relaxed);
  output = {step, column};
}

/// Outputs for runtimes that derive dependencies from data. Each column has several outputs, which are used in turn. An
/// output is read only in the next row, and is written again `kRows` rows later, when most of its readers have ended.
/// So the runtime also orders writes after reads, but this order delays hardly any task. Every runtime with data
/// handles uses this class; runtimes with explicit edges have one output per task instead.
class OutputRing {
 public:
  static constexpr std::int64_t kRows = 8;

  explicit OutputRing(int width) : width_(width), outputs_(static_cast<std::size_t>(kRows * width)) {}

  [[nodiscard]] std::size_t size() const { return outputs_.size(); }
  [[nodiscard]] std::size_t index(std::int64_t step, int column) const {
    return static_cast<std::size_t>((step % kRows) * width_ + column);
  }
  [[nodiscard]] TaskOutput& at(std::int64_t step, int column) { return outputs_[index(step, column)]; }
  [[nodiscard]] TaskOutput& operator[](std::size_t index) { return outputs_[index]; }

 private:
  std::int64_t width_;
  std::vector<TaskOutput> outputs_;
};

}  // namespace troupe::bench
