/// `troupe run`: factorize a matrix that is made for the purpose, measure and check.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "apps/command_line.hpp"
#include "apps/common_arguments.hpp"
#include "apps/factorization.hpp"
#include "apps/picture.hpp"
#include "apps/problem.hpp"
#include "apps/progress.hpp"
#include "apps/run_summary.hpp"
#include "apps/trace_arguments.hpp"
#include "kernels/peak.hpp"

namespace troupe::apps {

namespace {

struct RunArguments {
  Application application = Application::cholesky;
  std::int64_t n = 4096;
  /// 0: chosen by size.
  std::int64_t tile = 0;
  /// 0: chosen by size and number of workers.
  std::int64_t tile_rows = 0;
  std::int64_t inner = 48;
  std::string precision = "double";
  std::string pivoting = "partial";
  std::optional<ProblemKind> problem;
  RuntimeOptions runtime;
  int repeat = 1;
  bool check = false;
  bool peak = false;
  bool json = false;
  bool metrics = false;
  std::string picture;
  TraceArguments trace;
};

ProblemKind problem_of(const RunArguments& arguments) {
  if (arguments.problem) return *arguments.problem;
  const bool symmetric = arguments.application == Application::cholesky;
  const bool unpivoted = arguments.application == Application::lu && arguments.pivoting == "none";
  return symmetric || unpivoted ? ProblemKind::random_definite : ProblemKind::random;
}

std::vector<int> processing_units(const Runtime& runtime) {
  std::vector<int> units;
  for (const WorkerReport& worker : runtime.report().workers) units.push_back(worker.bound_to);
  return units;
}

FactorizationOptions factorization_options(const RunArguments& arguments) {
  return {.application = arguments.application,
          .tile = arguments.tile,
          .tile_rows = arguments.tile_rows,
          .inner = arguments.inner,
          .pivoting = arguments.pivoting == "partial"};
}

/// The factorizations refuse such tiles, too, but only once the matrix has been assembled.
void check_tiles(const RunArguments& arguments) {
  if (arguments.tile_rows == 0) return;
  if (arguments.application == Application::qr && arguments.tile_rows != arguments.tile) {
    throw Error(ErrorCode::invalid_argument, "--tile-rows: QR needs square tiles: leave it away");
  }
  if (arguments.tile_rows < arguments.n && arguments.tile_rows % arguments.tile != 0) {
    throw Error(ErrorCode::invalid_argument, "--tile-rows: " + std::to_string(arguments.tile_rows) +
                                                 " is not a multiple of --tile, which is " +
                                                 std::to_string(arguments.tile));
  }
}

template <class T>
std::vector<Residual> check(const RunArguments& arguments, const DenseMatrix<T>& original,
                            Factorization<T>& factorization) {
  std::vector<Residual> residuals = factorization.residuals(original);
  const DenseMatrix<T> b = random_right_hand_side<T>(original.rows, 1, arguments.runtime.seed);
  DenseMatrix<T> x = b;
  factorization.solve(x);
  residuals.push_back(solve_residual(original, x, b));
  return residuals;
}

template <class T>
RunSummary measure(const RunArguments& arguments) {
  Runtime runtime(arguments.runtime);
  const ProgressBar bar(
      [&runtime] {
        const troupe::Progress progress = runtime.progress();
        return Progress{progress.ended, progress.submitted};
      },
      {.enabled = !arguments.json, .label = to_string(arguments.application)});
  const Problem problem{problem_of(arguments), arguments.n, arguments.n, arguments.runtime.seed};
  const DenseMatrix<T> original = assemble<T>(runtime, problem);
  RunSummary summary;
  for (int i = 0; i < arguments.repeat; ++i) {
    const bool last = i + 1 == arguments.repeat;
    MeasuredRun run;
    if (arguments.peak) run.peak_gflops = kernels::measure_peak<T>(processing_units(runtime));
    [[maybe_unused]] const auto earlier = runtime.take_trace();
    DenseMatrix<T> a = original;
    const RunReport before = runtime.report();
    const TimeStamp start = trace_time();
    Factorization<T> factorization(runtime, a, factorization_options(arguments));
    const TimeStamp end = trace_time();
    run.seconds = factorization.seconds();
    run.gflops = flop_count(arguments.application, arguments.n, arguments.n) / run.seconds * 1e-9;
    summary.runs.push_back(run);
    if (!last) continue;
    summary.report = difference(runtime.report(), before);
    summary.trace = runtime.take_trace();
    if (arguments.metrics) summary.metrics = runtime.metrics();
    summary.window = {start, end};
    if (arguments.check) summary.residuals = check(arguments, original, factorization);
  }
  summary.problem = to_string(problem.kind);
  summary.policy = runtime.policy();
  return summary;
}

void check_memory(const RunArguments& arguments) {
  MemoryNeed need;
  need.rows = need.cols = arguments.n;
  need.element_bytes = arguments.precision == "float" ? sizeof(float) : sizeof(double);
  need.factorization = factorization_options(arguments);
  need.workers = most_workers(arguments.runtime);
  // The original and the copy that is factorized.
  need.dense_copies = arguments.check ? 3 : 2;
  need.tiled_copies = arguments.check ? 1 : 0;
  require_memory(need);
}

int run(const RunArguments& given) {
  RunArguments arguments = given;
  if (arguments.tile == 0) arguments.tile = default_tile(arguments.n);
  check_tiles(arguments);
  if (!arguments.picture.empty()) {
    usable(check_picture_path(arguments.picture));
    arguments.runtime.trace = true;
  }
  prepare_trace(arguments.trace, arguments.runtime);
  check_memory(arguments);
  RunSummary summary = arguments.precision == "float" ? measure<float>(arguments) : measure<double>(arguments);
  summary.application = to_string(arguments.application);
  summary.precision = arguments.precision;
  summary.n = arguments.n;
  summary.tile = arguments.tile;
  summary.seed = arguments.runtime.seed;
  std::optional<Failure> not_drawn;
  if (!arguments.picture.empty()) {
    const auto drawn = draw_picture(arguments.picture, picture_of(summary));
    if (drawn) {
      summary.picture = drawn.value();
    } else {
      not_drawn = drawn.failure();
    }
  }
  summary.traced =
      finish_trace(arguments.trace, {summary.title(), summary.window, std::move(summary.trace), summary.report});
  // What was measured is worth seeing even where something went wrong.
  print(summary, arguments.json);
  const bool accepted = std::all_of(summary.residuals.begin(), summary.residuals.end(),
                                    [](const Residual& residual) { return residual.accepted(); });
  if (accepted && !not_drawn) return kSuccess;
  if (accepted) throw Error(*not_drawn);
  throw Error(ErrorCode::kernel_failed, "the check failed: a scaled residual is not below " +
                                            std::to_string(static_cast<int>(kResidualBound)) +
                                            (not_drawn ? "; " + not_drawn->message : ""));
}

constexpr std::array kApplications{Application::cholesky, Application::lu, Application::qr};
constexpr std::array kProblems{ProblemKind::random, ProblemKind::random_definite, ProblemKind::covariance,
                               ProblemKind::poisson};

/// An option that takes one of the names of an enumeration's values.
template <class Target, class Values>
CLI::Option* add_named(CLI::App& command, const std::string& name, Target& target, const Values& values,
                       const std::string& help) {
  std::vector<std::string> names;
  for (const auto value : values) names.emplace_back(to_string(value));
  const auto assign = [&target, &values](const std::string& given) {
    for (const auto value : values) {
      if (given == to_string(value)) target = value;
    }
  };
  return command.add_option_function<std::string>(name, assign, help)->check(CLI::IsMember(names));
}

}  // namespace

void add_run_command(CLI::App& application, Command& chosen) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = application.add_subcommand("run", "Factorize a matrix made for the purpose; measure and check");
  add_named(*command, "application", arguments->application, kApplications, "cholesky, lu or qr")->required();
  command->add_option("--n", arguments->n, "Order of the matrix")
      ->check(CLI::Range(std::int64_t{1}, kLargestOrder))
      ->capture_default_str();
  command->add_option("--tile", arguments->tile, "Columns of a tile; default: by size")
      ->check(CLI::Range(std::int64_t{1}, kLargestOrder));
  command
      ->add_option("--tile-rows", arguments->tile_rows,
                   "Rows of a tile, a multiple of --tile (cholesky, lu); default: by size and number of workers")
      ->check(CLI::Range(std::int64_t{1}, kLargestOrder));
  command->add_option("--inner", arguments->inner, "QR: columns of an inner block")
      ->check(CLI::Range(std::int64_t{1}, kLargestOrder))
      ->capture_default_str();
  command->add_option("--precision", arguments->precision, "float or double")
      ->check(CLI::IsMember({"float", "double"}))
      ->capture_default_str();
  command->add_option("--pivoting", arguments->pivoting, "LU: partial or none")
      ->check(CLI::IsMember({"partial", "none"}))
      ->capture_default_str();
  add_named(*command, "--problem", arguments->problem, kProblems,
            "random, random-definite, covariance or poisson; default: random, or random-definite where the "
            "factorization needs it");
  add_runtime_options(*command, arguments->runtime);
  add_model_options(*command, arguments->runtime);
  add_observation_options(*command, arguments->runtime, arguments->metrics);
  command->add_option("--repeat", arguments->repeat, "Runs; medians are reported")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_flag("--check", arguments->check, "Compute scaled residuals of the last run, and fail above the bound");
  command->add_flag("--peak", arguments->peak, "Measure the cores' matrix-product rate next to each run");
  command->add_option("--picture", arguments->picture, "Draw the last run: PATH.svg or PATH.png (both are written)")
      ->check(check_file_name);
  add_trace_options(*command, arguments->trace);
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace troupe::apps
