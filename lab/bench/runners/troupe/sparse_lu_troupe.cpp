/// Measures Troupe's LU of sparse matrices of blocks, with the same code as `troupe run sparse-lu`.
#include <stdexcept>

#include "lab/bench/runners/cases.hpp"
#include "lab/bench/sparse/block_lu_case.hpp"
#include "linalg/sparse/block_lu.hpp"
#include "proto/json/json.hpp"
#include "traces/analysis/run_analysis.hpp"
#include "troupe/runtime.hpp"

namespace troupe::bench {
namespace {

/// Returns options with tracing, because the trace contains the time in kernels. Tracing costs about 0.1 us per task.
RuntimeOptions traced(int cores) {
  RuntimeOptions options;
  options.cores = cores;
  options.trace = true;
  return options;
}

class TroupeBlockLu final : public BlockLuProgram {
 public:
  explicit TroupeBlockLu(const BlockLuCase& options)
      : tasks_(options.pieces ? kernels::SuperTasks::pieces : kernels::SuperTasks::whole),
        workers_(static_cast<std::size_t>(options.cores)),
        runtime_(traced(options.cores)),
        lu_(runtime_, options.pattern, options.cut) {}

  MatrixView<double> block(int i, int j) override { return lu_.block(i, j); }
  void factorize() override {
    const linalg::ReplacedPivotCounts counts(runtime_, lu_.supers());
    linalg::block_lu(runtime_, lu_, counts, 0, tasks_);
    runtime_.wait();
  }
  double kernel_seconds() override {
    const Trace trace = runtime_.take_trace();
    if (trace.dropped > 0) throw std::runtime_error("the trace has no room for all tasks");
    return seconds(traces::analyse(trace, workers_).sum().kernels);
  }

 private:
  const kernels::SuperTasks tasks_;
  const std::size_t workers_;
  Runtime runtime_;
  linalg::BlockMatrix<double> lu_;
};

}  // namespace

Json sparse_lu(Parameters& parameters) {
  const BlockLuCase options = block_lu_case(parameters);
  parameters.require_all_used();
  TroupeBlockLu program(options);
  return measure_block_lu(options, program);
}

}  // namespace troupe::bench
