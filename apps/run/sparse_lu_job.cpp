#include "apps/run/sparse_lu_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "apps/command_line.hpp"
#include "apps/run/run_job.hpp"
#include "apps/run/run_summary.hpp"
#include "apps/run/sparse_facts.hpp"
#include "apps/terminal/progress.hpp"
#include "apps/terminal/standard_error.hpp"
#include "linalg/sparse/block_lu.hpp"
#include "linalg/sparse/block_solve.hpp"
#include "proto/random.hpp"

namespace troupe::apps {

namespace {

/// Fills the matrix from the file, or with random elements times `scale`. In a generated matrix, each diagonal element
/// is larger than the sum of the other elements of its row. Returns the least pivot: smaller pivots are replaced. A
/// file's matrix may have any pivots; a generated matrix has no tiny pivots, so its least pivot is 0.
template <class T>
double fill_blocks(const SparseProblem& problem, linalg::BlockMatrix<T>& a, double scale = 1) {
  if (problem.file) {
    return linalg::least_pivot<T>(linalg::scatter(problem.file->matrix, problem.file->analysis, a));
  }
  for (int i = 0; i < a.blocks(); ++i) {
    std::int64_t in_row = 0;
    a.pattern().for_row(i, 0, [&](int j) {
      ++in_row;
      Random random(problem.seed * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(i) * 0x100000001b3ULL +
                    static_cast<std::uint64_t>(j));
      const MatrixView<T> block = a.block(i, j);
      for (std::int64_t k = 0; k < block.rows * block.cols; ++k) {
        block.data[k] = static_cast<T>((static_cast<double>(random.next() >> 11U) * 0x1p-53 - 0.5) * scale);
      }
    });
    const MatrixView<T> diagonal = a.block(i, i);
    const double larger = static_cast<double>(in_row * diagonal.rows) * scale;
    for (std::int64_t k = 0; k < diagonal.rows; ++k) diagonal(k, k) += static_cast<T>(larger);
  }
  return 0;
}

template <class T>
class SparseLuRuns {
 public:
  SparseLuRuns(Runtime& runtime, const SparseProblem& problem, const SparseLuArguments& how)
      : runtime_(runtime),
        problem_(problem),
        steps_(how.steps),
        kernels_(linalg::block_lu_kernels<T>(super_tasks(how.grain))),
        lu_(runtime, problem.pattern, problem.cut),
        facts_(facts_of(lu_)) {
    linalg::set_reuse(runtime, lu_, how.reuse, how.steps);
    facts_.in_pieces = how.grain == SparseGrain::multi;
    facts_.steps = how.steps;
    facts_.flops = problem.flops(how.steps);
    facts_.blocks_before = problem.blocks_before;
    if (!problem.file) return;
    facts_.ordering = to_string(problem.file->analysis.ordering);
    facts_.nonzeros = problem.file->matrix.entries();
  }

  /// Factorizes the matrix once, and adds the measurements to the summary.
  void run(RunSummary& summary) {
    // Acquire the data, because the program may write to the blocks only when they are in host memory.
    for (const auto& stored : lu_.super_blocks()) (void)runtime_.acquire(stored.handle(), AccessMode::write);
    for (const auto& stored : lu_.super_blocks()) clear(lu_.super_block(stored));
    const double least = fill_blocks(problem_, lu_, scale());
    [[maybe_unused]] const Trace earlier = runtime_.take_trace();
    const RunReport before = runtime_.report();
    const TimeStamp start = trace_time();
    const linalg::ReplacedPivotCounts counts(runtime_, lu_.supers());
    linalg::block_lu(runtime_, lu_, counts, {.least = least, .steps = steps_}, kernels_);
    runtime_.wait();
    lu_.bring_home();
    summary.window = {start, trace_time()};
    MeasuredRun measured;
    measured.seconds = seconds(summary.window.end - summary.window.start);
    measured.gflops = facts_.flops / measured.seconds * 1e-9;
    summary.runs.push_back(measured);
    summary.report = difference(runtime_.report(), before);
    summary.trace = runtime_.take_trace();
    // If not all steps ran, no pivots were checked, and no replacements counted.
    if (steps_ == linalg::BlockSteps::all) facts_.replaced = counts.total();
    if (problem_.file && facts_.replaced.count > 0) {
      facts_.replaced.first = problem_.file->analysis.row_at(facts_.replaced.first);
    }
  }

  [[nodiscard]] linalg::Residual check() {
    linalg::BlockMatrix<T> original(runtime_, problem_.pattern, problem_.cut);
    const double least = fill_blocks(problem_, original);
    const linalg::Residual residual = linalg::block_lu_residual(original, lu_, problem_.seed);
    (void)linalg::block_lu_in_sequence(original, least);
    facts_.difference = linalg::block_difference(lu_, original);
    return residual;
  }
  [[nodiscard]] const SparseFacts& facts() const { return facts_; }

 private:
  /// Returns the factor by which elements are scaled. If only products run, without the solves, results grow beyond all
  /// bounds unless the elements are far below 1.
  [[nodiscard]] double scale() const {
    return steps_ == linalg::BlockSteps::all ? 1 : 1 / static_cast<double>(lu_.blocks() * lu_.cut().block);
  }
  static void clear(const kernels::SuperBlock<T>& all) {
    const MatrixView<T> packed = all.packed();
    std::fill_n(packed.data, packed.rows * packed.cols, T{});
  }

  Runtime& runtime_;
  const SparseProblem& problem_;
  const linalg::BlockSteps steps_;
  const linalg::BlockLuKernels<T> kernels_;
  linalg::BlockMatrix<T> lu_;
  SparseFacts facts_;
};

template <class T>
RunSummary measure_sparse_lu(const RunArguments& arguments, const SparseProblem& problem,
                             const SparseLuArguments& how) {
  const double stored = static_cast<double>(problem.pattern.count()) *
                        static_cast<double>(problem.cut.block * problem.cut.block) * sizeof(T);
  const double tasks = most_tasks(problem.pattern, problem.cut.side, how.steps);
  require_block_memory({static_cast<std::uint64_t>(stored * (arguments.check ? 2 : 1))}, tasks);
  say(small_tasks_warning(tasks, problem.flops(how.steps)));
  Runtime runtime(arguments.runtime);
  const ProgressBar bar(
      [&runtime] {
        const troupe::Progress progress = runtime.progress();
        return Progress{progress.ended, progress.submitted};
      },
      {.enabled = !arguments.json, .label = "sparse-lu"});
  SparseLuRuns<T> runs(runtime, problem, how);
  RunSummary summary;
  for (int i = 0; i < arguments.repeat; ++i) runs.run(summary);
  if (arguments.metrics) summary.metrics = runtime.metrics();
  if (arguments.check) summary.residuals.push_back(runs.check());
  summary.sparse = runs.facts();
  summary.policy = runtime.policy();
  return summary;
}

/// Returns true if the factors are equal up to rounding errors. Kernels of devices other than cores may round
/// differently.
bool equal_to_rounding(const RunSummary& summary) {
  const double eps =
      summary.precision == "float" ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  const std::optional<double>& difference = summary.sparse->difference;
  return !difference || *difference <= linalg::kResidualBound * static_cast<double>(summary.n) * eps;
}

}  // namespace

int run_sparse_lu(const RunArguments& given, const SparseLuArguments& sparse) {
  RunArguments arguments = given;
  const SparseProblem problem = problem_of(sparse, arguments.n, arguments.runtime.seed);
  prepare_trace(arguments.trace, arguments.runtime);
  RunSummary summary = arguments.precision == "float" ? measure_sparse_lu<float>(arguments, problem, sparse)
                                                      : measure_sparse_lu<double>(arguments, problem, sparse);
  summary.application = "sparse-lu";
  summary.problem = problem.name;
  summary.precision = arguments.precision;
  summary.n = problem.order();
  summary.tile = problem.cut.block;
  summary.seed = arguments.runtime.seed;
  summary.traced =
      finish_trace(arguments.trace, {summary.title(), summary.window, std::move(summary.trace), summary.report});
  print(summary, arguments.json);
  const bool accepted = std::ranges::all_of(summary.residuals, &linalg::Residual::accepted);
  if (!accepted) {
    const auto& replaced = summary.sparse->replaced;
    throw Error(ErrorCode::kernel_failed,
                fmt::format("the check failed: the scaled residual is not below {}{}", linalg::kResidualBound,
                            replaced.count > 0
                                ? fmt::format(": {} pivots were too small and replaced, the first in row {}, so that "
                                              "the factors are those of a matrix nearby (docs/sparse.md)",
                                              replaced.count, replaced.first + 1)
                                : std::string()));
  }
  if (!equal_to_rounding(summary)) {
    throw Error(ErrorCode::kernel_failed, "the check failed: the factors are not those of the sequential order");
  }
  return summary.traced.lost ? kFailure : kSuccess;
}

}  // namespace troupe::apps
