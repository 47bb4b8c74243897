/// `troupe simulate`: a factorization on a described machine, in virtual time.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/scheduler/policy.hpp"
#include "apps/arguments/common_arguments.hpp"
#include "apps/arguments/option_values.hpp"
#include "apps/arguments/runtime_arguments.hpp"
#include "apps/command_line.hpp"
#include "apps/commands/sparse_options.hpp"
#include "apps/run/remarks.hpp"
#include "apps/run/run_summary.hpp"
#include "apps/simulate/simulation_bound.hpp"
#include "apps/simulate/simulation_pool.hpp"
#include "apps/simulate/simulation_request.hpp"
#include "apps/simulate/simulation_summary.hpp"
#include "apps/terminal/standard_error.hpp"
#include "traces/files/trace_file.hpp"
#include "traces/picture/gnuplot.hpp"
#include "traces/text/transfer_summary.hpp"
#include "troupe/machine.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::apps {

namespace {

constexpr std::int64_t kLargestSimulatedTile = 65536;
constexpr std::array kSimulatedPivotings{linalg::Pivoting::none, linalg::Pivoting::incremental};

struct SimulateCommand {
  SimulationArguments simulation;
  std::string trace;
  std::string plot;
  bool json = false;
  /// True if the output lists all clusters that were tried.
  bool report = false;
  /// The number of simulations that run at the same time; 0 means one for each core.
  int jobs = 0;
  /// The parsed command, which knows the options that were given.
  const CLI::App* command = nullptr;
};

/// `kOnlyGpus` has the options that have an effect only with GPUs, `kOnlyPlacing` those that affect only placing
/// policies and runs with clusters.
constexpr std::array kOnlyGpus{"--gpu-order",      "--gpu-memory",     "--memory-fraction", "--lookahead",
                               "--launch-us",      "--notice-us",      "--issue-ahead",     "--kernel-overhead-us",
                               "--eviction",       "--write-back",     "--copy-streams",    "--copy-overhead-us",
                               "--no-peer-copies", "--bandwidth-error"};
constexpr std::array kOnlyPlacing{"--model", "--kernel-error", "--bandwidth-error"};

/// Refuses options that have no effect on any of the runs.
void refuse_idle_options(const SimulateCommand& arguments, const SimulationRequest& request) {
  std::size_t most_gpus = 0;
  bool places = false;
  for (const SimulationPlace& place : request.places()) {
    most_gpus = std::max(most_gpus, place.gpus.size());
    const auto policy = scheduler::make_policy(place.policy, {}, true);
    places = places || (policy && policy.value().placing);
  }
  for (const char* option : kOnlyGpus)
    refuse_ignored(*arguments.command, option, most_gpus > 0, "runs with GPUs: --gpus");
  refuse_ignored(*arguments.command, "--no-peer-copies", most_gpus > 1, "runs with several GPUs: --gpus");
  for (const char* option : kOnlyPlacing) {
    refuse_ignored(*arguments.command, option, places || !arguments.simulation.simulation.clusters.empty(),
                   "policies that place tasks by times, such as heft");
  }
}

void check_files(const SimulateCommand& arguments, const SimulationRequest& request) {
  if (!arguments.plot.empty()) usable(traces::check_drawing_path(arguments.plot, "plot"));
  if (arguments.trace.empty()) return;
  traces::check_trace_path(arguments.trace).value_or_throw();
  const std::size_t runs = request.runs().count;
  if (runs == 1) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("--trace: a trace is of one run, not of {}: give one --n, number of --gpus and --policy, and "
                          "no --repeat",
                          runs));
}

/// Returns one point for each of `request.places()`, with the combined outcomes of its runs.
std::vector<SimulationPoint> points_of(const SimulationRequest& request,
                                       const std::vector<FactorizationOutcome>& outcomes) {
  std::vector<SimulationPoint> points;
  const auto repeat = static_cast<std::ptrdiff_t>(request.repeat());
  auto first = outcomes.begin();
  for (const SimulationPlace& place : request.places()) {
    points.push_back(point_of(place, {first, first + repeat}));
    first += repeat;
  }
  return points;
}

/// Adds the bounds to the points. A bound on time depends on the size, the GPUs, the clusters and the random kernel
/// times of a run, not on the policy. A bound on bytes also depends on the duration of the run.
void add_bounds(const SimulationRequest& request, const std::vector<FactorizationOutcome>& outcomes,
                std::vector<SimulationPoint>& points) {
  std::int64_t n = 0;
  std::optional<FactorizationGraph> graph;
  const SimulationPoint* last = nullptr;
  auto outcome = outcomes.begin();
  for (SimulationPoint& point : points) {
    const auto runs = static_cast<std::uint64_t>(request.repeat());
    const auto options = [&](std::uint64_t run) {
      return request.run(point.place, request.common().simulation.seed + run).simulation;
    };
    if (point.place.n != n) graph = record_graph(request.run(point.place, 1));
    n = point.place.n;
    const auto first = std::exchange(outcome, outcome + request.repeat());
    if (!graph) continue;
    const auto& sparse = request.common().sparse;
    // With tasks in pieces, only the area bound is valid, because several cores share a task.
    const bool area_alone = sparse && sparse->grain == SparseGrain::multi;
    const CoreWorkers cores = point.regrouped ? core_workers_of_stages(options(0)) : point.core_workers();
    if (last != nullptr && last->place.n == n && last->place.gpus == point.place.gpus &&
        last->place.clusters == point.place.clusters) {
      point.run_bounds_s = last->run_bounds_s;
    } else {
      for (std::uint64_t run = 0; run < runs; ++run) {
        const LowerBounds bounds = bounds_of(*graph, options(run), cores);
        point.run_bounds_s.push_back(area_alone ? bounds.area_s : bounds.staged_s);
      }
    }
    last = &point;
    // The bound on bytes assumes a dense matrix, in which every pair of tiles meets.
    if (sparse) continue;
    std::vector<double> bytes;
    for (std::uint64_t run = 0; run < runs; ++run) {
      const double taken_s = first[static_cast<std::ptrdiff_t>(run)].seconds;
      bytes.push_back(static_cast<double>(bound_bytes(*graph, options(run), cores, taken_s).count));
    }
    point.bound_bytes = Bytes{static_cast<std::uint64_t>(estimate(bytes).mean)};
  }
}

Result<void> write_trace_of(const SimulateCommand& arguments, const SimulationRequest& request,
                            FactorizationOutcome& outcome) {
  const SimulationPlace& place = request.places().front();
  traces::TraceDescription description = traces::describe(
      fmt::format("{}, n = {}, policy {}", title_of(request), place.n, place.policy), outcome.trace, outcome.report);
  description.begin = {};
  return traces::write_trace(arguments.trace, std::move(outcome.trace), description);
}

/// Warns once for each policy under which the GPUs were mostly idle, and gives the lowest busy fraction of its points.
void say_who_left_gpus_idle(const std::vector<SimulationPoint>& points) {
  std::map<std::string, double> busy;
  for (const SimulationPoint& point : points) {
    if (point.place.gpus.empty()) continue;
    const auto [of_policy, first] = busy.try_emplace(point.place.policy, 1);
    of_policy->second = std::min(of_policy->second, *point.utilization(true));
  }
  for (const auto& [policy, least] : busy) remark_on_idle_gpus(policy, least);
}

/// Writes the requested files and prints the summary. The summary is printed even if a file could not be written.
Result<void> write_files(const SimulateCommand& arguments, const SimulationRequest& request,
                         std::vector<FactorizationOutcome>& outcomes, SimulationSummary& summary) {
  Result<void> written;
  if (!arguments.trace.empty()) written = write_trace_of(arguments, request, outcomes.front());
  if (!written) summary.trace.clear();
  if (!arguments.plot.empty()) {
    const Result<void> drawn = draw_chart(arguments.plot, simulation_chart(summary));
    if (drawn) summary.plot = arguments.plot;
    if (written) written = drawn;
  }
  fmt::print("{}", arguments.json ? as_text(simulation_json(summary)) + '\n' : simulation_text(summary));
  return written;
}

int simulate_as_asked(const SimulateCommand& arguments) {
  SimulationRequest request = SimulationRequest::make(arguments.simulation);
  refuse_idle_options(arguments, request);
  check_files(arguments, request);
  const int jobs = arguments.jobs > 0 ? arguments.jobs : default_jobs();
  request.choose_clusters({.jobs = jobs, .progress = {.enabled = !arguments.json, .label = "clusters"}});
  for (const std::string& warning : request.warnings()) say(fmt::format("troupe: warning: {}\n", warning));
  SimulationList runs = request.runs();
  if (!arguments.trace.empty()) {
    runs.run = [make = runs.run](std::size_t i) {
      SimulatedRun run = make(i);
      run.trace = true;
      return run;
    };
  }
  std::vector<FactorizationOutcome> outcomes =
      simulate_all(runs, jobs,
                   {.enabled = !arguments.json,
                    .label = request.common().sparse ? "sparse-lu" : to_string(request.common().application)});
  SimulationSummary summary{request, outcomes, points_of(request, outcomes), {}, arguments.trace, arguments.report};
  add_bounds(request, outcomes, summary.points);
  say_who_left_gpus_idle(summary.points);
  write_files(arguments, request, outcomes, summary).value_or_throw();
  return kSuccess;
}

/// Adds a flag and its opposite, such as `--noise` and `--no-noise`.
void add_switch(CLI::App& command, const std::string& name, std::optional<bool>& on, const std::string& help) {
  const std::string yes = "--" + name;
  const std::string no = "--no-" + name;
  const auto assign = [&command, &on, yes, no](std::int64_t given) {
    const auto results = command.get_option(yes)->results();
    if (std::ranges::adjacent_find(results, std::not_equal_to()) != results.end()) throw CLI::ExcludesError(yes, no);
    on = given > 0;
  };
  command.add_flag_function(yes + ",!" + no, assign, help);
}

void add_what(CLI::App& command, SimulationArguments& arguments) {
  add_application_or_sparse(command, arguments.application, arguments.sparse);
  add_list(command, "--n", arguments.sizes,
           "Orders of the matrix; sparse-lu: blocks on a side of it: 4096 or 2048,4096")
      ->transform(number_within(std::int64_t{1}, kLargestOrder));
  command.add_option("--tile", arguments.tile, "Edge of a tile; default: the largest that was measured on the machine")
      ->transform(number_within(std::int64_t{1}, kLargestSimulatedTile));
  add_number(command, "--inner", arguments.inner, 1, kLargestSimulatedTile,
             "QR, LU with incremental pivoting: columns of an inner block");
  add_named(command, "--pivoting", arguments.pivoting, kSimulatedPivotings,
            "LU: none (the default) or incremental (between two tiles at a time)");
  command.add_option("--precision", arguments.precision, "float or double; default: double, where the machine has it")
      ->transform(precision_name());
}

void add_where(CLI::App& command, SimulationArguments& arguments) {
  command
      .add_option(
          "--platform", arguments.platform,
          fmt::format("The machine: one of {}, or the path of a file", fmt::join(platform::known_machines(), ", ")))
      ->type_name("NAME|FILE")
      ->required();
  add_text_list(command, "--gpus", arguments.gpus, ',', "How many GPUs: 4, 1-8 or 0,2,4; default: all")
      ->check([](const std::string& text) { return text.empty() ? "how many?" : std::string(); });
  add_text_list(command, "--gpu-order", arguments.gpu_order, ',',
                "Which GPUs come first: near (share links), spread (a switch each) or a list such as 0,4,2")
      ->default_str(arguments.gpu_order);
  add_simulation_option(command, "cores", arguments.simulation);
  add_simulation_option(command, "clusters", arguments.simulation);
  add_policies(command, arguments.policies, "Policies, one after the other: lws,heft; known are " + known_policies())
      ->default_str("default");
  add_restrict(command, arguments.restrict);
}

void add_runs(CLI::App& command, SimulationArguments& arguments) {
  add_simulation_option(command, "seed", arguments.simulation);
  add_number(command, "--repeat", arguments.repeat, 1, 100000,
             "Runs with rising seeds, with noise; means are reported");
  add_switch(command, "noise", arguments.noise,
             "Kernel times vary as they were measured to; default: where runs are repeated");
}

void add_assumptions(CLI::App& command, SimulationArguments& arguments) {
  SimulationOptions& options = arguments.simulation;
  for (const char* const word : {"model", "kernel_error", "bandwidth_error", "gpu_memory", "lookahead"}) {
    add_simulation_option(command, word, options);
  }
  add_simulation_option(command, "memory_fraction", [&arguments](const SimulationOptions& given) {
    arguments.memory_fraction = given.accelerators.memory_fraction;
  });
  command.add_option("--kernel-overhead-us", arguments.kernel_overhead_us, "Added to every kernel on a GPU")
      ->transform(number_within(0.0, 1e9));
  command
      .add_option("--launch-us", arguments.launch_us,
                  "From the start of a task on an idle GPU to its kernel's begin; default: as described")
      ->transform(number_within(0.0, 1e9));
  command
      .add_option("--notice-us", arguments.notice_us,
                  "From a kernel's end to when the host knows; default: as described")
      ->transform(number_within(0.0, 1e9));
  add_runtime_option(command, "eviction", [&arguments](const RuntimeOptions& given) {
    arguments.eviction = given.accelerators.eviction;
  })->default_str(arguments.eviction);
  add_simulation_option(command, "issue_ahead", options);
  command.add_option("--copy-overhead-us", arguments.copy_overhead_us, "Added to every copy")
      ->transform(number_within(0.0, 1e9));
  command.add_flag_callback(
      "--no-peer-copies", [&options] { options.copies.peer = false; }, "Copies between GPUs go through host memory");
  command.add_flag("--write-back", arguments.simulation.copies.write_back_finished,
                   "Copy tiles to the host as soon as no task writes them");
  add_switch(command, "copy-streams", arguments.copy_streams,
             "Copies go in order once handed to the driver, and nothing enters a GPU beside a copy between GPUs");
  add_switch(command, "priorities", arguments.priorities, "Tasks have priorities (the default), or are all equal");
  command
      .add_option("--assume", arguments.assume,
                  "starpu: 0.9 of the memory, 10 us per kernel and copy, finished tiles written back early, lookahead "
                  "2, --copy-streams, --no-priorities, where these are not given, and LU's tasks in its order; none")
      ->check(one_of({"starpu", "none"}))
      ->capture_default_str();
}

}  // namespace

void add_simulate_command(CLI::App& application, Command& chosen) {
  auto arguments = std::make_shared<SimulateCommand>();
  CLI::App* command =
      application.add_subcommand("simulate", "Factorize on a described machine in virtual time, and compare policies");
  add_what(*command, arguments->simulation);
  auto sparse = std::make_shared<SparseLuArguments>();
  add_sparse_lu_options(*command, *sparse);
  add_where(*command, arguments->simulation);
  add_runs(*command, arguments->simulation);
  add_assumptions(*command, arguments->simulation);
  command
      ->add_option("--trace", arguments->trace,
                   "Write what ran and was copied when, of a single run: PATH.json (for Perfetto and Chrome) or "
                   "PATH.paje (for ViTE)")
      ->check(check_file_name);
  command->add_option("--plot", arguments->plot, "Draw speed and bytes over the number of GPUs: PATH.svg or PATH.png")
      ->check(check_file_name);
  command->add_option("--jobs", arguments->jobs, "Runs at a time; results are the same; default: one for each core")
      ->transform(number_within(1, 4096));
  command->add_flag("--report", arguments->report, "With --clusters auto: print all that were tried, and their times");
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->callback([command, arguments, sparse, &chosen] {
    SimulationArguments& what = arguments->simulation;
    if (what.sparse) {
      for (const char* option : {"--tile", "--inner", "--pivoting"}) {
        refuse_ignored(*command, option, false, "cholesky, lu and qr");
      }
      check_sparse_lu_options(*command, *sparse, looks_at_reuse(what.eviction, what.policies));
      what.sparse = *sparse;
      what.application = linalg::Application::lu;
    } else {
      refuse_sparse_lu_options(*command);
    }
    const bool has_size = what.sparse && is_structure_file(what.sparse->structure);
    if (what.sizes.empty() && !has_size) throw CLI::RequiredError("--n");
    refuse_ignored(*command, "--inner", linalg::eliminates_pairs(what.application, what.pivoting),
                   "qr and lu --pivoting incremental");
    refuse_ignored(*command, "--report", what.simulation.clusters == kAutomaticClusters, "--clusters auto");
    refuse_ignored(*command, "--pivoting", what.application == linalg::Application::lu, "lu");
    arguments->command = command;
    chosen = [arguments] { return simulate_as_asked(*arguments); };
  });
}

}  // namespace troupe::apps
