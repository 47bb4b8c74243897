/// LU of sparse matrices of blocks. There is a handle for each block and a task for each step on a block, with Troupe's
/// order, priorities and kernels.
#include <array>
#include <vector>

#include "kernels/blas_threads.hpp"
#include "lab/bench/runners/cases.hpp"
#include "lab/bench/runners/starpu/session_starpu.hpp"
#include "lab/bench/sparse/block_lu_case.hpp"
#include "lab/bench/sparse/separate_blocks.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

using Kind = linalg::BlockStep::Kind;

/// The arguments of a task. They lie in the program's own memory, so StarPU does not have to copy them.
struct StepArguments {
  Kind kind;
  KernelTime* time;
};

MatrixView<double> view_of(void* buffer) {
  return {reinterpret_cast<double*>(STARPU_MATRIX_GET_PTR(buffer)), STARPU_MATRIX_GET_NX(buffer),
          STARPU_MATRIX_GET_NY(buffer), STARPU_MATRIX_GET_LD(buffer)};
}

MatrixView<const double> constant_view_of(void* buffer) {
  const MatrixView<double> view = view_of(buffer);
  return {view.data, view.rows, view.cols, view.ld};
}

/// Runs a step. It changes the last of the buffers.
void run_starpu_step(void** buffers, void* argument) {
  const auto& step = *static_cast<const StepArguments*>(argument);
  step.time->measure([&] {
    switch (step.kind) {
      case Kind::diagonal: return run_block_step(step.kind, view_of(buffers[0]), {}, {});
      case Kind::lower:
      case Kind::upper: return run_block_step(step.kind, view_of(buffers[1]), constant_view_of(buffers[0]), {});
      case Kind::product:
        return run_block_step(step.kind, view_of(buffers[2]), constant_view_of(buffers[0]),
                              constant_view_of(buffers[1]));
    }
  });
}

class StarpuBlockLu final : public BlockLuProgram {
 public:
  explicit StarpuBlockLu(const BlockLuCase& options)
      : options_(options), session_(options.cores), blocks_(options.pattern, options.cut.block) {
    constexpr std::array kNames{"getrf", "trsm", "trsm", "gemm"};
    constexpr std::array kReads{0, 1, 1, 2};
    for (std::size_t kind = 0; kind < codelets_.size(); ++kind) {
      initialize(codelets_[kind], kNames[kind], run_starpu_step);
      codelets_[kind].nbuffers = kReads[kind] + 1;
      for (int i = 0; i < kReads[kind]; ++i) codelets_[kind].modes[i] = STARPU_R;
      codelets_[kind].modes[kReads[kind]] = STARPU_RW;
    }
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const MatrixView<double> block = blocks_[i];
      const auto order = static_cast<std::uint32_t>(block.rows);
      starpu_matrix_data_register(&handles_.emplace_back(), STARPU_MAIN_RAM,
                                  reinterpret_cast<std::uintptr_t>(block.data), order, order, order, sizeof(double));
    }
  }
  ~StarpuBlockLu() override {
    for (const starpu_data_handle_t handle : handles_) starpu_data_unregister(handle);
  }

  MatrixView<double> block(int i, int j) override { return blocks_(i, j); }
  void factorize() override {
    const linalg::BlockCut cut{options_.cut.block, 1};
    const std::vector<linalg::BlockStep> steps = linalg::block_lu_steps(options_.pattern, cut.side);
    const std::vector<int> priorities = linalg::block_lu_priorities(options_.pattern, cut, steps);
    arguments_.resize(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      arguments_[i] = {steps[i].kind, &time_};
      submit_step(steps[i], arguments_[i], priorities[i]);
    }
    starpu_task_wait_for_all();
  }
  double kernel_seconds() override { return time_.take_seconds(); }

 private:
  [[nodiscard]] starpu_data_handle_t handle(int i, int j) const { return handles_[blocks_.index(i, j)]; }

  void submit_step(const linalg::BlockStep& step, StepArguments& arguments, int priority) {
    starpu_task* const task = starpu_task_create();
    task->cl = &codelets_[static_cast<std::size_t>(step.kind)];
    task->cl_arg = &arguments;
    task->priority = priority;
    int next = 0;
    if (step.kind == Kind::product) {
      task->handles[next++] = handle(step.row, step.k);
      task->handles[next++] = handle(step.k, step.col);
    } else if (step.kind != Kind::diagonal) {
      task->handles[next++] = handle(step.k, step.k);
    }
    task->handles[next] = handle(step.row, step.col);
    submit(task);
  }

  const BlockLuCase& options_;
  KernelTime time_;
  StarpuSession session_;
  SeparateBlocks blocks_;
  /// The codelets, one for each kind of step.
  std::array<starpu_codelet, 4> codelets_{};
  std::vector<starpu_data_handle_t> handles_;
  std::vector<StepArguments> arguments_;
};

}  // namespace

Json sparse_lu(Parameters& parameters) {
  const BlockLuCase options = block_lu_case(parameters);
  parameters.require_all_used();
  const auto single_threaded = kernels::single_threaded_blas();
  StarpuBlockLu program(options);
  return measure_block_lu(options, program);
}

}  // namespace troupe::bench
