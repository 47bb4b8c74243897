/// The command `troupe experiment clusters`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>

#include "apps/arguments/common_arguments.hpp"
#include "apps/arguments/option_values.hpp"
#include "apps/command_line.hpp"
#include "apps/run/run_summary.hpp"
#include "apps/simulate/gpu_choice.hpp"
#include "apps/simulate/simulation_pool.hpp"
#include "lab/experiments/clusters/clusters_report.hpp"
#include "lab/experiments/experiment_arguments.hpp"
#include "traces/picture/gnuplot.hpp"

namespace troupe::apps {

namespace {

/// Returns the given values without repetitions, in their order; `otherwise` if there are no values.
template <class T>
std::vector<T> each_once(const std::vector<T>& given, std::vector<T> otherwise) {
  if (given.empty()) return otherwise;
  std::set<T> seen;
  std::vector<T> all;
  for (const T& one : given) {
    if (seen.insert(one).second) all.push_back(one);
  }
  return all;
}

ClustersOptions clusters_options(const ExperimentArguments& arguments) {
  ClustersOptions options;
  if (arguments.quick) {
    options.orders = {5000, 11000};
    options.gpus = {1, 4};
    options.repeat = 2;
  }
  const ClustersArguments& given = arguments.clusters;
  options.orders = each_once(given.orders, options.orders);
  options.tiles = each_once(given.tiles, options.tiles);
  options.configurations = each_once(given.configurations, options.configurations);
  if (!given.gpus.empty()) {
    const auto machine = platform::load_machine(kClustersMachine).value_or_throw();
    options.gpus = parse_gpu_counts(given.gpus, machine).value_or_throw();
  }
  if (!arguments.policy.empty()) options.policy = arguments.policy;
  std::erase(options.rivals, options.policy);
  if (arguments.repeat > 0) options.repeat = arguments.repeat;
  options.seed = arguments.seed;
  options.jobs = arguments.jobs > 0 ? arguments.jobs : default_jobs();
  check(options);
  return options;
}

/// Returns the sets of assumptions. The last set has the same deviation as the first, but a separate link for each GPU.
std::vector<ClustersAssumptions> clusters_assumptions(const ExperimentArguments& arguments) {
  const std::vector<double> deviations =
      each_once(arguments.clusters.deviations,
                arguments.quick ? std::vector<double>{0.05} : std::vector<double>{0.05, 0.02, 0.1});
  std::vector<ClustersAssumptions> all;
  for (const double deviation : deviations) all.push_back({deviation, GpuLinks::as_described});
  all.push_back({deviations.front(), GpuLinks::one_each});
  return all;
}

void require_bounds(const ClustersReport& report) {
  for (const ClustersVariant& variant : report.variants) {
    const auto nearest = variant.results.nearest_to_bound();
    if (nearest.ratio >= 1) continue;
    throw Error(ErrorCode::kernel_failed,
                fmt::format("the check failed: assumed {}, a run of {} takes {:.6f} of its lower bound",
                            variant.assumptions.name(), nearest.point, nearest.ratio));
  }
}

}  // namespace

void add_clusters_options(CLI::App& command, ClustersArguments& arguments) {
  command
      .add_option(
          "--n", arguments.orders,
          "clusters: orders of matrices, each rounded to whole tiles, equal ones once; default: ten from 5000 to 45000")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(number_within(std::int64_t{1}, kLargestOrder));
  command.add_option("--tile", arguments.tiles, "clusters: edges of tiles; default: 960,1920")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(number_within(std::int64_t{1}, kLargestOrder));
  add_text_list(command, "--gpus", arguments.gpus, ',', "clusters: how many GPUs: 4, 1-4 (the default) or 1,4");
  command
      .add_option("--clusters", arguments.configurations,
                  "clusters: how 20 cores work; with a 'c' behind it, cores alone run potrf and trsm; default: "
                  "20x1,2x10,2x10c")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check([](const std::string& text) -> std::string {
        if (text.empty()) return "names no clusters: give some, such as 20x1,2x10";
        // The claims are about fixed clusters.
        if (text == kAutomaticClusters) return "'auto' is not compared here: see troupe simulate --clusters auto";
        return {};
      });
  command
      .add_option("--deviation", arguments.deviations,
                  "clusters: standard deviations of kernel times, as parts of their means; default: 0.05,0.02,0.1; "
                  "figures are of the first, with which everything is run once more with a link for each GPU")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(number_within(0.0, 1.0));
}

void refuse_ignored_clusters_options(const CLI::App& command, bool used) {
  for (const char* option : {"--n", "--tile", "--gpus", "--clusters", "--deviation"}) {
    refuse_ignored(command, option, used, "clusters");
  }
}

int clusters_experiment(const ExperimentArguments& arguments) {
  const ClustersOptions options = clusters_options(arguments);
  usable(traces::check_gnuplot());
  make_report_folder(arguments.folder);
  ClustersBounds bounds;
  std::vector<std::pair<ClustersAssumptions, ClustersResults>> variants;
  for (const ClustersAssumptions& assumptions : clusters_assumptions(arguments)) {
    variants.emplace_back(assumptions, ClustersResults::measure(
                                           options, assumptions, bounds,
                                           {.enabled = !arguments.json, .label = "clusters, " + assumptions.name()}));
  }
  const ClustersReport report = clusters_report(options, std::move(variants));
  write_clusters_report(arguments.folder, report).value_or_throw();
  if (arguments.json) {
    fmt::print("{}\n", as_text(clusters_json(report)));
  } else {
    fmt::print("{}\nFigures, numbers and rules: {}/report.md\n", clusters_text(report), arguments.folder);
  }
  require_bounds(report);
  return kSuccess;
}

}  // namespace troupe::apps
