#include "apps/run/sparse_solve_job.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "apps/arguments/common_arguments.hpp"
#include "apps/command_line.hpp"
#include "apps/run/run_summary.hpp"
#include "apps/run/solve_job.hpp"
#include "apps/run/sparse_facts.hpp"
#include "apps/terminal/progress.hpp"
#include "apps/terminal/standard_error.hpp"
#include "linalg/files/matrix_market.hpp"
#include "linalg/files/matrix_market_writer.hpp"
#include "linalg/sparse/sparse_factorization.hpp"
#include "linalg/sparse/sparse_file.hpp"
#include "platform/machine/host_memory.hpp"
#include "proto/json/json.hpp"
#include "traces/text/human.hpp"
#include "traces/text/mailbox_table.hpp"
#include "traces/text/transfer_summary.hpp"

namespace troupe::apps {

namespace {

using Columns = std::vector<std::vector<double>>;

struct SparseSolved {
  std::int64_t order = 0;
  SparseFacts facts;
  double analysis_seconds = 0;
  double factorization_seconds = 0;
  double solution_seconds = 0;
  /// The worst values over all right-hand sides.
  int refinements = 0;
  linalg::Residual residual;
  double backward_error = 0;
  std::int64_t worst_row = 0;
  /// The value of `SparseSolution::out_of_range` for the solution with the largest backward error.
  bool out_of_range = false;
  double backward_error_bound = 0;
  /// True if every solution was accepted.
  bool accepted = true;
  /// True if `SparseSolution::nearly_singular` is true for any of the solutions.
  bool nearly_singular = false;
  std::int64_t smallest_pivot_row = 0;
  double smallest_pivot = 0;
  /// The report on the factorization.
  RunReport report;
  Trace trace;
  traces::Interval window;
  TraceOutcome traced;
  std::optional<MetricsSnapshot> metrics;
  std::string policy;
  Bytes peak;
};

/// Returns the most memory that this process has used so far.
Bytes peak_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return {static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
}

void require_memory_of_columns(const SolveArguments& arguments, Bytes needed) {
  const platform::HostMemory memory = platform::read_host_memory();
  if (needed.count <= memory.available.count) return;
  throw Error(ErrorCode::bad_input,
              fmt::format("{}: the right-hand sides need {} of memory, but only {} are available ({}): give fewer "
                          "columns at a time",
                          arguments.right_hand_side, traces::human_bytes(needed), traces::human_bytes(memory.available),
                          memory.limited_by));
}

Columns right_hand_sides(const SolveArguments& arguments, const linalg::CompressedMatrix& a) {
  const auto n = static_cast<std::size_t>(a.order);
  if (arguments.right_hand_side.empty()) return {linalg::product(a, std::vector<double>(n, 1))};
  const linalg::MatrixMarketHeader header = usable(linalg::read_header(arguments.right_hand_side));
  if (header.rows != a.order) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: the right-hand side has {} rows, but the matrix {} has {}: give one with as many rows",
                            arguments.right_hand_side, header.rows, arguments.matrix, a.order));
  }
  require_memory_of_columns(arguments, header.dense_bytes(sizeof(double)));
  const linalg::DenseMatrix<double> b = usable(linalg::read_dense<double>(arguments.right_hand_side, header));
  Columns columns;
  for (std::int64_t j = 0; j < b.cols; ++j) {
    const auto first = b.values.begin() + j * b.rows;
    columns.emplace_back(first, first + b.rows);
  }
  return columns;
}

void write_solution(const std::string& path, std::int64_t order, const Columns& x) {
  linalg::DenseMatrix<double> all(order, static_cast<std::int64_t>(x.size()));
  for (std::size_t j = 0; j < x.size(); ++j) {
    std::ranges::copy(x[j], all.values.begin() + static_cast<std::ptrdiff_t>(j) * order);
  }
  linalg::write_array(path, all).value_or_throw();
}

/// Calls `compute`, and adds the file's name to the messages of errors about its matrix.
template <class F>
auto naming_the_matrix(const SolveArguments& arguments, F compute) {
  try {
    return compute();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::numerical) throw;
    throw Error(error.code(), fmt::format("{}: {}: such a system has no solution, or more than one; remove dependent "
                                          "equations",
                                          arguments.matrix, error.what()));
  }
}

template <class T>
SparseSolved solve_columns(const SolveArguments& arguments, const linalg::CompressedMatrix& a,
                           linalg::SparseAnalysis analysis, double analysis_seconds, Columns& columns) {
  Runtime runtime(arguments.runtime);
  const ProgressBar bar(
      [&runtime] {
        const troupe::Progress progress = runtime.progress();
        return Progress{progress.ended, progress.submitted};
      },
      {.enabled = !arguments.json, .label = "solve"});
  SparseSolved solved;
  const TimeStamp start = trace_time();
  const linalg::SparseFactorization<T> factorization(runtime, a, std::move(analysis));
  const TimeStamp factorized = trace_time();
  solved.window = {start, factorized};
  solved.report = report_at_end(runtime);
  solved.trace = runtime.take_trace();
  solved.order = a.order;
  solved.facts = facts_of(factorization.factors());
  solved.facts.nonzeros = a.entries();
  solved.facts.ordering = to_string(factorization.analysis().ordering);
  solved.facts.blocks_before = factorization.analysis().blocks_before;
  solved.facts.replaced = factorization.replaced();
  solved.analysis_seconds = analysis_seconds;
  solved.factorization_seconds = factorization.factorization_seconds();
  const auto smallest = factorization.smallest_pivot();
  solved.smallest_pivot_row = smallest.row;
  solved.smallest_pivot = smallest.size;
  for (std::vector<double>& column : columns) {
    linalg::SparseSolution solution = factorization.solve(column);
    column = std::move(solution.x);
    solved.refinements = std::max(solved.refinements, solution.refinements);
    // NaN counts as the worst residual.
    const bool worse = !std::isnan(solved.residual.value) && !(solution.residual.value <= solved.residual.value);
    if (worse || solved.residual.formula.empty()) solved.residual = solution.residual;
    if (solution.backward_error > solved.backward_error) {
      solved.backward_error = solution.backward_error;
      solved.worst_row = solution.worst_row;
      solved.out_of_range = solution.out_of_range;
    }
    solved.backward_error_bound = solution.backward_error_bound;
    solved.accepted = solved.accepted && solution.accepted();
    solved.nearly_singular = solved.nearly_singular || solution.nearly_singular;
  }
  solved.solution_seconds = seconds(trace_time() - factorized);
  if (arguments.metrics) solved.metrics = runtime.metrics();
  solved.policy = runtime.policy();
  return solved;
}

constexpr const char* kNearlySingular =
    "pivots were replaced and the solution is large: the matrix is singular or nearly so to working precision";

Json to_json(const SolveArguments& arguments, const SparseSolved& solved) {
  const double window_seconds = seconds(solved.window.end - solved.window.start);
  Json json{{"app", "solve"},
            {"matrix", arguments.matrix},
            {"n", solved.order},
            {"method", "sparse-lu"},
            {"precision", arguments.precision},
            {"policy", solved.policy},
            {"policy_options", policy_options_json(solved.policy)},
            {"cores", traces::count_cores(solved.report)},
            {"gpus", traces::count_accelerators(solved.report)},
            {"seed", arguments.runtime.seed},
            {"seconds", solved.factorization_seconds},
            {"analysis_seconds", solved.analysis_seconds},
            {"solution_seconds", solved.solution_seconds},
            {"gflops", solved.facts.flops / solved.factorization_seconds * 1e-9},
            {"refinements", solved.refinements},
            {"smallest_pivot", solved.smallest_pivot},
            {"smallest_pivot_row", solved.smallest_pivot_row + 1},
            {"residual", solved.residual.value},
            {"backward_error", solved.backward_error},
            {"peak_memory_bytes", solved.peak.count},
            {"tasks", solved.report.ended},
            {"workers", workers_as_json(solved.report, window_seconds)}};
  add_json(solved.facts, json);
  traces::add_transfers_json(solved.report, json);
  if (solved.metrics) json["metrics"] = traces::metrics_as_json(*solved.metrics);
  if (solved.accepted && solved.nearly_singular) json["doubt"] = kNearlySingular;
  if (!arguments.output.empty() && solved.accepted) json["output"] = arguments.output;
  add_json(solved.traced, json);
  return json;
}

void print(const SolveArguments& arguments, const SparseSolved& solved) {
  if (arguments.json) {
    fmt::print("{}\n", as_text(to_json(arguments, solved)));
    return;
  }
  fmt::print("{}: {} x {}, sparse, {} elements that are not zero\n", arguments.matrix, solved.order, solved.order,
             solved.facts.nonzeros);
  fmt::print("  method    LU by blocks without pivoting, {} precision\n", arguments.precision);
  fmt::print("{}", sparse_text(solved.facts));
  fmt::print("  memory    {} at most, all of this program\n", traces::human_bytes(solved.peak));
  fmt::print("  time      {} (factorization; analysis {}, solution {})\n",
             traces::human_seconds(solved.factorization_seconds), traces::human_seconds(solved.analysis_seconds),
             traces::human_seconds(solved.solution_seconds));
  if (solved.refinements > 0) {
    fmt::print("  refined   {} time{}\n", solved.refinements, solved.refinements == 1 ? "" : "s");
  }
  fmt::print("  residual  {} = {:.3g}  ({} the bound {})\n", solved.residual.formula, solved.residual.value,
             solved.residual.accepted() ? "below" : "NOT below", linalg::kResidualBound);
  fmt::print("  backward  max |b - A x|_i / (|A| |x| + |b|)_i = {:.3g}  ({} the bound {:.2g})\n", solved.backward_error,
             solved.backward_error <= solved.backward_error_bound ? "below" : "NOT below", solved.backward_error_bound);
  if (solved.accepted && solved.nearly_singular) fmt::print("  doubt     {}\n", kNearlySingular);
  if (arguments.right_hand_side.empty()) fmt::print("  rhs       none given: A times a vector of ones\n");
  if (!arguments.output.empty() && solved.accepted) fmt::print("  solution  {}\n", arguments.output);
  if (const std::string copies = traces::transfers_text(solved.report); !copies.empty()) fmt::print("\n{}", copies);
  if (solved.metrics) fmt::print("{}", traces::mailbox_table(*solved.metrics));
  print_text(solved.traced);
}

/// Returns an error that names no pivot as the cause, because the numbers themselves are out of the range of the
/// precision.
Error out_of_range(const SolveArguments& arguments, const SparseSolved& solved) {
  return Error(
      ErrorCode::kernel_failed,
      fmt::format("{}: the solution is not accurate, and was not written: in row {} it, or its products with the "
                  "matrix's elements, are too large or too small for {} precision: multiply equations or right-hand "
                  "sides by powers of two, so that values are nearer to 1{}",
                  arguments.matrix, solved.worst_row + 1, arguments.precision,
                  arguments.precision == "float" ? ", or use --precision double" : ""));
}

Error inaccurate(const SolveArguments& arguments, const SparseSolved& solved) {
  if (solved.out_of_range && std::isfinite(solved.smallest_pivot)) {
    return out_of_range(arguments, solved);
  }
  const std::string what =
      !std::isfinite(solved.smallest_pivot)
          ? fmt::format("elements grew beyond what {} precision holds, up to the pivot of row {}", arguments.precision,
                        solved.smallest_pivot_row + 1)
      : solved.facts.replaced.count > 0
          ? fmt::format(
                "the pivot of row {} was too small and replaced ({} in all), which refining did not make up for",
                solved.facts.replaced.first + 1, solved.facts.replaced.count)
          : fmt::format(
                "the pivots, of which that of row {} is the smallest, are too small for the elements around them",
                solved.smallest_pivot_row + 1);
  return Error(
      ErrorCode::kernel_failed,
      fmt::format("{}: the solution is not accurate, and was not written: its scaled residual, {:.3g}, has to be "
                  "below {}, its backward error, {:.3g}, below {:.2g}: {}. The matrix may be singular, or need rows to "
                  "be exchanged during the "
                  "factorization: without --sparse that is done, where the matrix fits into memory densely",
                  arguments.matrix, solved.residual.value, linalg::kResidualBound, solved.backward_error,
                  solved.backward_error_bound, what));
}

}  // namespace

int solve_sparse(const SolveArguments& given, const linalg::SparseOptions& options) {
  SolveArguments arguments = given;
  check_solution_path(arguments);
  prepare_trace(arguments.trace, arguments.runtime);
  const linalg::CompressedMatrix a = usable(linalg::read_sparse(arguments.matrix));
  Columns columns = right_hand_sides(arguments, a);
  const TimeStamp start = trace_time();
  linalg::SparseAnalysis analysis = naming_the_matrix(arguments, [&] { return linalg::analyse(a, options); });
  const double analysis_seconds = seconds(trace_time() - start);
  const bool single = arguments.precision == "float";
  const double tasks = most_tasks(analysis.pattern, analysis.cut.side);
  require_block_memory(analysis.stored_bytes(single ? sizeof(float) : sizeof(double)), tasks);
  say(small_tasks_warning(tasks, analysis.work.flops(analysis.cut.block)));
  SparseSolved solved = single ? solve_columns<float>(arguments, a, std::move(analysis), analysis_seconds, columns)
                               : solve_columns<double>(arguments, a, std::move(analysis), analysis_seconds, columns);
  solved.peak = peak_memory();
  const bool accepted = solved.accepted;
  if (accepted && !arguments.output.empty()) write_solution(arguments.output, a.order, columns);
  solved.traced = finish_trace(arguments.trace, {fmt::format("{}, sparse LU", arguments.matrix), solved.window,
                                                 std::move(solved.trace), solved.report});
  print(arguments, solved);
  if (accepted) return solved.traced.lost ? kFailure : kSuccess;
  throw inaccurate(arguments, solved);
}

}  // namespace troupe::apps
