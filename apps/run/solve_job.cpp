#include "apps/run/solve_job.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "apps/arguments/accelerator_arguments.hpp"
#include "apps/arguments/common_arguments.hpp"
#include "apps/command_line.hpp"
#include "apps/run/remarks.hpp"
#include "apps/run/run_summary.hpp"
#include "apps/run/solution_quality.hpp"
#include "apps/terminal/progress.hpp"
#include "linalg/factorization.hpp"
#include "linalg/files/matrix_market.hpp"
#include "linalg/files/matrix_market_writer.hpp"
#include "proto/json/json.hpp"
#include "traces/text/human.hpp"
#include "traces/text/mailbox_table.hpp"
#include "traces/text/transfer_summary.hpp"

namespace troupe::apps {

namespace {

struct Solved {
  linalg::Application method = linalg::Application::lu;
  std::int64_t tile = 0;
  /// The reason why the first method was not used; empty if the first method was used.
  std::string remark;
  double seconds = 0;
  /// The report on the factorization and the solution.
  RunReport report;
  double total_seconds = 0;
  Trace trace;
  traces::Interval window;
  TraceOutcome traced;
  linalg::Residual residual;
  SolutionQuality quality;
  std::optional<MetricsSnapshot> metrics;
  std::string policy;
  std::optional<ClusterChoice> clusters;
};

/// Returns the methods to try, in order.
std::vector<linalg::Application> candidates(const SolveArguments& arguments, const linalg::MatrixMarketHeader& header) {
  if (arguments.method == "cholesky") return {linalg::Application::cholesky};
  if (arguments.method == "qr") return {linalg::Application::qr};
  if (arguments.method == "lu" || header.symmetry != linalg::MatrixSymmetry::symmetric)
    return {linalg::Application::lu};
  return {linalg::Application::cholesky, linalg::Application::lu};
}

std::size_t element_bytes(const SolveArguments& arguments) {
  return arguments.precision == "float" ? sizeof(float) : sizeof(double);
}

linalg::FactorizationOptions options_for(const SolveArguments& arguments, linalg::Application method, std::int64_t n) {
  linalg::FactorizationOptions options;
  options.application = method;
  options.tile = arguments.tile;
  if (options.tile == 0) {
    options.tile = chosen_tile(arguments.runtime, arguments.start != nullptr, method, n, element_bytes(arguments));
  }
  choose_tile_rows(arguments.runtime, options);
  return options;
}

linalg::MatrixMarketHeader usable_header(const SolveArguments& arguments) {
  const linalg::MatrixMarketHeader header = usable(linalg::read_header(arguments.matrix));
  if (!header.square()) {
    throw Error(ErrorCode::bad_input, fmt::format("{}: the matrix is {} x {}, but a system of equations needs as many "
                                                  "equations as unknowns: give a square matrix",
                                                  arguments.matrix, header.rows, header.cols));
  }
  if (arguments.method == "cholesky" && header.symmetry != linalg::MatrixSymmetry::symmetric) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: the file does not say that the matrix is symmetric, which --method cholesky needs: "
                            "use --method lu, or auto",
                            arguments.matrix));
  }
  return header;
}

/// Returns the header of the right-hand side's file; nothing if the user gave no such file.
std::optional<linalg::MatrixMarketHeader> right_hand_side_header(const SolveArguments& arguments,
                                                                 const linalg::MatrixMarketHeader& matrix) {
  if (arguments.right_hand_side.empty()) return std::nullopt;
  const linalg::MatrixMarketHeader header = usable(linalg::read_header(arguments.right_hand_side));
  if (header.rows == matrix.rows) return header;
  throw Error(ErrorCode::bad_input,
              fmt::format("{}: the right-hand side has {} rows, but the matrix {} has {}: give one with as many rows",
                          arguments.right_hand_side, header.rows, arguments.matrix, matrix.rows));
}

NumberType precision_of(const SolveArguments& arguments) {
  return arguments.precision == "float" ? NumberType::of<float>("float") : NumberType::of<double>("double");
}

void check_memory(const SolveArguments& arguments, const linalg::MatrixMarketHeader& header,
                  std::int64_t right_hand_sides) {
  MemoryNeed need;
  // Memory is needed for the original matrix, for the copy that is factorized, and for B and X.
  need.rows = header.rows;
  need.cols = header.cols;
  need.right_hand_sides = right_hand_sides;
  need.element_bytes = element_bytes(arguments);
  need.factorization = options_for(arguments, candidates(arguments, header).back(), header.rows);
  need.workers = most_workers(arguments.runtime);
  require_memory(need);
}

template <class T>
linalg::DenseMatrix<T> right_hand_side(const SolveArguments& arguments,
                                       const std::optional<linalg::MatrixMarketHeader>& header,
                                       const linalg::DenseMatrix<T>& a) {
  if (header) return usable(linalg::read_dense<T>(arguments.right_hand_side, *header));
  // Without a file, the right-hand side is A times a vector of ones, so that all elements of the solution are 1.
  linalg::DenseMatrix<T> b(a.rows, 1);
  for (std::int64_t j = 0; j < a.cols; ++j) {
    for (std::int64_t i = 0; i < a.rows; ++i) b(i, 0) += a(i, j);
  }
  return b;
}

template <class T>
Solved solve_by(Runtime& runtime, const SolveArguments& arguments, linalg::Application method,
                const linalg::DenseMatrix<T>& a, linalg::DenseMatrix<T>& x) {
  const linalg::FactorizationOptions options = options_for(arguments, method, a.rows);
  // Drop the trace that an earlier method, which broke down, may have left. A service gives no traces.
  const auto take_trace = [&] { return arguments.start ? Trace() : runtime.take_trace(); };
  [[maybe_unused]] const Trace earlier = take_trace();
  const RunReport before = runtime.report();
  const TimeStamp start = trace_time();
  linalg::DenseMatrix<T> factors = a;
  linalg::Factorization<T> factorization(runtime, factors, options);
  factorization.solve(x);
  Solved solved;
  solved.method = method;
  solved.tile = options.tile;
  solved.seconds = factorization.seconds();
  solved.window = {start, trace_time()};
  solved.report = difference(report_at_end(runtime), before);
  solved.trace = take_trace();
  solved.total_seconds = seconds(solved.window.end - solved.window.start);
  solved.quality = solution_quality(a, factors, method, x);
  solved.quality.reciprocal_condition = factorization.reciprocal_condition(solved.quality.norm);
  return solved;
}

Error singular(const SolveArguments& arguments, const std::string& why) {
  return Error(ErrorCode::numerical, fmt::format("{}: {}: such a system has no solution, or more than one; remove "
                                                 "dependent equations",
                                                 arguments.matrix, why));
}

/// Returns an error that names the problem with the matrix, the file and the remedy.
Error breakdown(const SolveArguments& arguments, linalg::Application method, const Error& error) {
  if (method != linalg::Application::cholesky) return singular(arguments, error.what());
  return Error(ErrorCode::numerical, fmt::format("{}: {}: use --method lu, or auto", arguments.matrix, error.what()));
}

/// Solves the system by the first method that does not break down.
template <class T>
Solved solve_by_any(Runtime& runtime, const SolveArguments& arguments, const std::vector<linalg::Application>& methods,
                    const linalg::DenseMatrix<T>& a, const linalg::DenseMatrix<T>& b, linalg::DenseMatrix<T>& x) {
  std::string remark;
  for (const linalg::Application method : methods) {
    x = b;
    try {
      Solved solved = solve_by(runtime, arguments, method, a, x);
      solved.remark = remark;
      return solved;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::numerical) throw;
      if (method == methods.back()) throw breakdown(arguments, method, error);
      remark = fmt::format("{}: LU with partial pivoting instead of Cholesky", error.what());
    }
  }
  throw Error(ErrorCode::invalid_argument, "no method to solve by");
}

/// Solves the system, and writes the solution if it is acceptable.
template <class T>
Solved solve_system(const SolveArguments& arguments, const linalg::MatrixMarketHeader& header,
                    const std::optional<linalg::MatrixMarketHeader>& right_hand_side_header) {
  // The runtime is started before the files are read, because starting it fails at once if the user asked for too many
  // cores, and reading may take long.
  const std::shared_ptr<Runtime> place = start_runtime(arguments.runtime, arguments.start);
  Runtime& runtime = *place;
  const linalg::DenseMatrix<T> a = usable(linalg::read_dense<T>(arguments.matrix, header));
  if (const std::string zeros = zero_row_or_column(a); !zeros.empty()) {
    throw singular(arguments, "the matrix is singular: " + zeros);
  }
  const linalg::DenseMatrix<T> b = right_hand_side(arguments, right_hand_side_header, a);
  linalg::DenseMatrix<T> x;
  Solved solved;
  {
    const ProgressBar bar(
        [&runtime] {
          const troupe::Progress progress = runtime.progress();
          return Progress{progress.ended, progress.submitted};
        },
        {.enabled = !arguments.json, .label = "solve"});
    solved = solve_by_any(runtime, arguments, candidates(arguments, header), a, b, x);
  }
  if (arguments.metrics) solved.metrics = runtime.metrics();
  solved.policy = runtime.policy();
  solved.residual = linalg::solve_residual(a, x, b);
  if (!arguments.output.empty() && solved.residual.accepted())
    linalg::write_array(arguments.output, x).value_or_throw();
  return solved;
}

Json to_json(const SolveArguments& arguments, const linalg::MatrixMarketHeader& header, const Solved& solved) {
  Json json{{"app", "solve"},
            {"matrix", arguments.matrix},
            {"n", header.rows},
            {"method", to_string(solved.method)},
            {"tile", solved.tile},
            {"precision", arguments.precision},
            {"policy", solved.policy},
            {"policy_options", policy_options_json(solved.policy)},
            {"cores", traces::count_cores(solved.report)},
            {"gpus", traces::count_accelerators(solved.report)},
            {"seed", arguments.runtime.seed},
            {"seconds", solved.seconds},
            {"gflops", linalg::flop_count(solved.method, header.rows, header.cols) / solved.seconds * 1e-9},
            {"residual", solved.residual.value},
            {"reciprocal_condition", solved.quality.reciprocal_condition},
            {"tasks", solved.report.ended},
            {"workers", workers_as_json(solved.report, solved.total_seconds)}};
  traces::add_transfers_json(solved.report, json);
  if (solved.clusters) json["clusters"] = clusters_json(*solved.clusters);
  if (solved.metrics) json["metrics"] = traces::metrics_as_json(*solved.metrics);
  if (!solved.remark.empty()) json["remark"] = solved.remark;
  if (const std::string doubt = doubt_of(solved.quality, precision_of(arguments)); !doubt.empty())
    json["doubt"] = doubt;
  if (!arguments.output.empty() && solved.residual.accepted()) json["output"] = arguments.output;
  add_json(solved.traced, json);
  return json;
}

void print(const SolveArguments& arguments, const linalg::MatrixMarketHeader& header, const Solved& solved) {
  remark_on_blas_kernels();
  if (arguments.json) {
    fmt::print("{}\n", as_text(to_json(arguments, header, solved)));
    return;
  }
  fmt::print("{}: {} x {}, {}\n", arguments.matrix, header.rows, header.cols,
             header.symmetry == linalg::MatrixSymmetry::symmetric ? "symmetric" : "not symmetric");
  if (!solved.remark.empty()) fmt::print("  note      {}\n", solved.remark);
  fmt::print("  method    {}, {} precision\n", to_string(solved.method), arguments.precision);
  fmt::print("  time      {} (factorization)\n", traces::human_seconds(solved.seconds));
  fmt::print("  residual  {} = {:.3g}  ({} the bound {})\n", solved.residual.formula, solved.residual.value,
             solved.residual.accepted() ? "below" : "NOT below", linalg::kResidualBound);
  fmt::print("  condition {}\n", condition_text(solved.quality, precision_of(arguments)));
  if (arguments.right_hand_side.empty()) fmt::print("  rhs       none given: A times a vector of ones\n");
  if (!arguments.output.empty() && solved.residual.accepted()) fmt::print("  solution  {}\n", arguments.output);
  if (solved.clusters) fmt::print("  clusters  {}\n", clusters_text(*solved.clusters));
  if (const std::string copies = traces::transfers_text(solved.report); !copies.empty()) fmt::print("\n{}", copies);
  if (solved.metrics) fmt::print("{}", traces::mailbox_table(*solved.metrics));
  print_text(solved.traced);
}

}  // namespace

void check_solution_path(const SolveArguments& arguments) {
  if (arguments.output.empty()) return;
  for (const std::string& input : {arguments.matrix, arguments.right_hand_side}) {
    std::error_code ignored;
    if (!std::filesystem::equivalent(arguments.output, input, ignored)) continue;
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("--output {}: the solution would overwrite {}: give another file", arguments.output, input));
  }
  check_output_path(arguments.output);
}

int solve(const SolveArguments& given) {
  SolveArguments arguments = given;
  const linalg::MatrixMarketHeader header = usable_header(arguments);
  const auto rhs_header = right_hand_side_header(arguments, header);
  check_accelerators(arguments.runtime, options_for(arguments, candidates(arguments, header).back(), header.rows),
                     header.rows, element_bytes(arguments));
  check_memory(arguments, header, rhs_header ? rhs_header->cols : 1);
  check_solution_path(arguments);
  prepare_trace(arguments.trace, arguments.runtime);
  const std::optional<ClusterChoice> clusters =
      settle_clusters(arguments.runtime, arguments.find_clusters,
                      options_for(arguments, candidates(arguments, header).front(), header.rows), header.rows,
                      element_bytes(arguments));
  Solved solved = arguments.precision == "float" ? solve_system<float>(arguments, header, rhs_header)
                                                 : solve_system<double>(arguments, header, rhs_header);
  solved.clusters = clusters;
  const std::string title = fmt::format("{}, {}", arguments.matrix, to_string(solved.method));
  solved.traced = finish_trace(arguments.trace, {title, solved.window, std::move(solved.trace), solved.report});
  print(arguments, header, solved);
  if (solved.residual.accepted()) return solved.traced.lost ? kFailure : kSuccess;
  throw Error(ErrorCode::kernel_failed,
              fmt::format("{}: the solution is not accurate, and was not written: its scaled residual, {:.3g}, is not "
                          "below {}; {}",
                          arguments.matrix, solved.residual.value, linalg::kResidualBound,
                          why_inaccurate(solved.quality, precision_of(arguments))));
}

}  // namespace troupe::apps
