/// LU of sparse matrices of blocks. Each step on a block is a task, which depends on the first elements of the blocks
/// that it reads and writes. Tasks have no priorities: libgomp ignores priorities unless OMP_MAX_TASK_PRIORITY is set,
/// and was slower with that setting.
#include <cstdint>

#include "kernels/blas_threads.hpp"
#include "lab/bench/runners/cases.hpp"
#include "lab/bench/sparse/block_lu_case.hpp"
#include "lab/bench/sparse/separate_blocks.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

using Kind = linalg::BlockStep::Kind;

class OpenmpBlockLu final : public BlockLuProgram {
 public:
  explicit OpenmpBlockLu(const BlockLuCase& options) : options_(options), blocks_(options.pattern, options.cut.block) {}

  MatrixView<double> block(int i, int j) override { return blocks_(i, j); }
  void factorize() override {
    // The barrier at the end of the region waits for all tasks.
#pragma omp parallel num_threads(options_.cores)
#pragma omp single
    create();
  }
  double kernel_seconds() override { return time_.take_seconds(); }

 private:
  void create() {
    for (const linalg::BlockStep& step : linalg::block_lu_steps(options_.pattern, 1)) create_step(step);
  }

  void create_step(const linalg::BlockStep& step) {
    const Kind kind = step.kind;
    double* const c = blocks_(step.row, step.col).data;
    if (kind == Kind::diagonal) {
#pragma omp task depend(inout : c[0])
      run_step(kind, c, nullptr, nullptr);
      return;
    }
    if (kind == Kind::product) {
      const double* const a = blocks_(step.row, step.k).data;
      const double* const b = blocks_(step.k, step.col).data;
#pragma omp task depend(in : a[0], b[0]) depend(inout : c[0])
      run_step(kind, c, a, b);
      return;
    }
    const double* const d = blocks_(step.k, step.k).data;
#pragma omp task depend(in : d[0]) depend(inout : c[0])
    run_step(kind, c, d, nullptr);
  }

  void run_step(Kind kind, double* c, const double* a, const double* b) {
    const std::int64_t n = blocks_.block_order();
    time_.measure([&] { run_block_step(kind, {c, n, n, n}, {a, n, n, n}, {b, n, n, n}); });
  }

  const BlockLuCase& options_;
  SeparateBlocks blocks_;
  KernelTime time_;
};

}  // namespace

Json sparse_lu(Parameters& parameters) {
  const BlockLuCase options = block_lu_case(parameters);
  parameters.require_all_used();
  const auto single_threaded = kernels::single_threaded_blas();
  OpenmpBlockLu program(options);
  return measure_block_lu(options, program);
}

}  // namespace troupe::bench
