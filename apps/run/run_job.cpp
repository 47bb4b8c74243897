#include "apps/run/run_job.hpp"

#include <algorithm>
#include <vector>

#include "apps/arguments/accelerator_arguments.hpp"
#include "apps/arguments/common_arguments.hpp"
#include "apps/command_line.hpp"
#include "apps/run/measured_factorization.hpp"
#include "apps/run/run_summary.hpp"
#include "apps/terminal/progress.hpp"
#include "kernels/peak.hpp"
#include "linalg/factorization.hpp"
#include "traces/picture/picture.hpp"
#include "troupe/devices.hpp"

namespace troupe::apps {

namespace {

linalg::ProblemKind problem_of(const RunArguments& arguments) {
  return arguments.problem.value_or(default_problem(
      arguments.application,
      arguments.application == linalg::Application::lu && arguments.pivoting == linalg::Pivoting::none));
}

std::vector<int> processing_units(const Runtime& runtime) {
  std::vector<int> units;
  for (const WorkerReport& worker : runtime.report().workers) {
    if (is_accelerator(worker.kind)) continue;
    for (const int pu : worker.members) units.push_back(worker.bound_to < 0 ? -1 : pu);
  }
  return units;
}

linalg::FactorizationOptions factorization_options(const RunArguments& arguments) {
  linalg::FactorizationOptions options{.application = arguments.application,
                                       .tile = arguments.tile,
                                       .tile_rows = arguments.tile_rows,
                                       .inner = arguments.inner,
                                       .pivoting = arguments.pivoting};
  choose_tile_rows(arguments.runtime, options);
  return options;
}

std::size_t element_bytes(const RunArguments& arguments) {
  return arguments.precision == "float" ? sizeof(float) : sizeof(double);
}

/// Checks the tile sizes early. The factorizations also refuse wrong sizes, but only after the matrix has been
/// assembled.
void check_tiles(const RunArguments& arguments) {
  if (arguments.tile_rows == 0) return;
  if (arguments.tile_rows < arguments.n && arguments.tile_rows % arguments.tile != 0) {
    throw Error(ErrorCode::invalid_argument, "--tile-rows: " + std::to_string(arguments.tile_rows) +
                                                 " is not a multiple of --tile, which is " +
                                                 std::to_string(arguments.tile));
  }
}

template <class T>
RunSummary measure(const RunArguments& arguments) {
  const std::shared_ptr<Runtime> place = start_runtime(arguments.runtime, arguments.start);
  Runtime& runtime = *place;
  const ProgressBar bar(
      [&runtime] {
        const troupe::Progress progress = runtime.progress();
        return Progress{progress.ended, progress.submitted};
      },
      {.enabled = !arguments.json, .label = to_string(arguments.application)});
  const linalg::Problem problem{problem_of(arguments), arguments.n, arguments.n, arguments.runtime.seed};
  // If tasks run on a service, this runtime in this process does the work that a service cannot do, such as assembling
  // the matrix.
  std::optional<Runtime> own;
  if (arguments.start) own.emplace(arguments.runtime);
  MeasuredFactorization<T> factorization(runtime, problem, factorization_options(arguments), own ? &*own : nullptr);
  RunSummary summary;
  for (int i = 0; i < arguments.repeat; ++i) {
    MeasuredRun run;
    if (arguments.peak) run.peak_gflops = kernels::measure_peak<T>(processing_units(runtime));
    FactorizationOutcome outcome = factorization.run();
    run.seconds = outcome.seconds;
    run.gflops = outcome.gflops;
    summary.runs.push_back(run);
    summary.report = std::move(outcome.report);
    summary.trace = std::move(outcome.trace);
  }
  if (arguments.metrics) summary.metrics = runtime.metrics();
  summary.window = factorization.window();
  if (arguments.check) summary.residuals = factorization.residuals();
  summary.problem = to_string(problem.kind);
  summary.policy = runtime.policy();
  return summary;
}

void check_memory(const RunArguments& arguments) {
  MemoryNeed need;
  need.rows = need.cols = arguments.n;
  need.element_bytes = element_bytes(arguments);
  need.factorization = factorization_options(arguments);
  need.workers = most_workers(arguments.runtime);
  // There are two dense copies, the original and the copy that is factorized. The check needs a third.
  need.dense_copies = arguments.check ? 3 : 2;
  need.tiled_copies = arguments.check ? 1 : 0;
  require_memory(need);
}

}  // namespace

int run(const RunArguments& given) {
  RunArguments arguments = given;
  if (arguments.tile == 0) {
    arguments.tile = chosen_tile(arguments.runtime, arguments.start != nullptr, arguments.application, arguments.n,
                                 element_bytes(arguments));
  }
  check_tiles(arguments);
  if (!arguments.picture.empty()) {
    usable(traces::check_picture_path(arguments.picture));
    arguments.runtime.trace = true;
  }
  prepare_trace(arguments.trace, arguments.runtime);
  check_accelerators(arguments.runtime, factorization_options(arguments), arguments.n, element_bytes(arguments));
  check_memory(arguments);
  const std::optional<ClusterChoice> clusters =
      settle_clusters(arguments.runtime, arguments.find_clusters, factorization_options(arguments), arguments.n,
                      element_bytes(arguments));
  RunSummary summary = arguments.precision == "float" ? measure<float>(arguments) : measure<double>(arguments);
  summary.application = to_string(arguments.application);
  if (arguments.application == linalg::Application::lu) summary.pivoting = to_string(arguments.pivoting);
  summary.precision = arguments.precision;
  summary.n = arguments.n;
  summary.tile = arguments.tile;
  summary.seed = arguments.runtime.seed;
  summary.clusters = clusters;
  std::optional<Failure> not_drawn;
  if (!arguments.picture.empty()) {
    const auto drawn = traces::draw_picture(arguments.picture, picture_of(summary));
    if (drawn) {
      summary.picture = drawn.value();
    } else {
      not_drawn = drawn.failure();
    }
  }
  summary.traced =
      finish_trace(arguments.trace, {summary.title(), summary.window, std::move(summary.trace), summary.report});
  // Print the measurements even if the check failed or a file could not be written.
  print(summary, arguments.json);
  const bool accepted = std::all_of(summary.residuals.begin(), summary.residuals.end(),
                                    [](const linalg::Residual& residual) { return residual.accepted(); });
  if (accepted && !not_drawn) return summary.traced.lost ? kFailure : kSuccess;
  if (accepted) throw Error(*not_drawn);
  throw Error(ErrorCode::kernel_failed, "the check failed: a scaled residual is not below " +
                                            std::to_string(static_cast<int>(linalg::kResidualBound)) +
                                            (not_drawn ? "; " + not_drawn->message : ""));
}

}  // namespace troupe::apps
