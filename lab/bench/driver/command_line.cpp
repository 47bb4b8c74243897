#include "lab/bench/driver/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <memory>

#include "apps/arguments/common_arguments.hpp"
#include "apps/arguments/option_values.hpp"
#include "apps/arguments/runtime_arguments.hpp"
#include "apps/run/run_summary.hpp"
#include "apps/terminal/progress.hpp"
#include "apps/terminal/standard_error.hpp"
#include "lab/bench/constructs.hpp"
#include "lab/bench/driver/measurement.hpp"
#include "lab/bench/driver/plans.hpp"
#include "lab/bench/driver/plot.hpp"
#include "lab/bench/driver/report.hpp"
#include "lab/bench/pattern.hpp"
#include "lab/bench/recursion/recursion_case.hpp"
#include "lab/bench/shapes.hpp"
#include "linalg/sparse/block_structure.hpp"
#include "platform/files/atomic_file.hpp"
#include "platform/machine/topology.hpp"

namespace troupe::bench {
namespace {

struct BenchArguments {
  PlanOptions plan;
  int rounds = 0;
  int cores = 0;
  /// A file for JSON; `-` prints it to standard output, in place of the table.
  std::string json;
  std::string plot;
  std::string markdown;
  std::string runners;
};

using MakePlan = Plan (*)(const PlanOptions&);

std::string check_runtime(const std::string& label) {
  const std::string name = contestant_named(label).runtime;
  const auto& known = known_runtimes();
  if (std::find(known.begin(), known.end(), name) != known.end()) return {};
  return fmt::format("unknown runtime '{}': {}", label, fmt::join(known, ", "));
}

std::string check_structure(const std::string& text) {
  if (linalg::parse_structure(text)) return {};
  return fmt::format("'{}' is none of third, third-closed, bots, band:W", text);
}

template <class Values>
std::vector<std::string> names_of(const Values& values) {
  std::vector<std::string> names;
  for (const auto value : values) names.emplace_back(to_string(value));
  return names;
}

void add_common_options(CLI::App& command, BenchArguments& arguments) {
  command.add_option("--rounds", arguments.rounds, "Rounds, in each of which every runtime is measured once (9)")
      ->transform(apps::number_within(1, 10000));
  apps::add_runtime_option(command, "cores",
                           [&arguments](const RuntimeOptions& given) { arguments.cores = given.cores; });
  command
      .add_option("--runtimes", arguments.plan.runtimes,
                  fmt::format("Which ones, as NAME or NAME/MODE: {}", fmt::join(known_runtimes(), ", ")))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(check_runtime);
  command.add_option("--json", arguments.json, "Write everything that was measured to this file; -: print it instead")
      ->check([](const std::string& name) { return name == "-" ? std::string() : apps::check_file_name(name); });
  command.add_option("--plot", arguments.plot, "Draw the comparison: FILE.svg or FILE.png")
      ->check([](const std::string& name) {
        const bool drawn = name.ends_with(".svg") || name.ends_with(".png");
        return drawn ? std::string() : "the plot's name '" + name + "' has to end in '.svg' or '.png'";
      });
  command.add_option("--markdown", arguments.markdown, "Write the table to this file")->check(apps::check_file_name);
  command.add_option("--runners", arguments.runners, "Folder of the runners; default: that of this program")
      ->check(CLI::ExistingDirectory);
  command.add_flag("--tiny", arguments.plan.tiny, "Sizes that only show that everything works");
}

void add_own_options(CLI::App& command, PlanOptions& plan, const std::string& name) {
  if (name == "overhead") {
    command.add_option("--shape", plan.shapes, fmt::format("{}", fmt::join(names_of(kShapes), ", ")))
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(apps::one_of(names_of(kShapes)));
    command.add_option("--handles", plan.handles, "Data handles per task; default: 0,1,2,3,4")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->transform(apps::number_within(0, kMostHandles));
    command.add_option("--tasks", plan.tasks, "Tasks per measurement; default: 100000")
        ->transform(apps::number_within(std::int64_t{100}, std::int64_t{1} << 40U));
  } else if (name == "granularity") {
    command.add_option("--pattern", plan.patterns, fmt::format("{}", fmt::join(names_of(kPatterns), ", ")))
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(apps::one_of(names_of(kPatterns)));
    command
        .add_option("--width", plan.widths,
                    "Tasks per row, or on a side of stencil_2d; default: once and four times the cores")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->transform(apps::number_within(1, 1 << 16));
    command.add_option("--dependencies", plan.dependencies, "nearest, random_nearest: inputs of a task; default: 5")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->transform(apps::number_within(0, 5));
  } else if (name == "linalg") {
    command.add_option("--algorithm", plan.algorithms, "cholesky, lu, qr")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(apps::one_of(known_algorithms()));
    command.add_option("--n", plan.orders, "Orders of the matrices; default: 1024,2048,4096,8192,12288")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->transform(apps::number_within(std::int64_t{1}, apps::kLargestOrder));
    command.add_option("--tile", plan.tile, "Columns of a tile; default: each runner's own")
        ->transform(apps::number_within(std::int64_t{1}, apps::kLargestOrder));
  } else if (name == "sparse") {
    constexpr int kMostPoints = 200;
    command.add_option("--points", plan.points, "Points on a side of the cube; default: 22,25,28,31")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->transform(apps::number_within(1, kMostPoints));
  } else if (name == "sparse-lu") {
    constexpr std::int64_t kMostBlocks = 200;
    command.add_option("--n", plan.orders, "Blocks of 192 rows on a side of the matrix; default: 20,30,40")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->transform(apps::number_within(std::int64_t{1}, kMostBlocks));
    command
        .add_option("--structure", plan.structure, "Which are full: third, third-closed, bots, band:W; default: third")
        ->check(check_structure);
    command.add_option("--grain", plan.grains, "Troupe's tasks: fine, coarse, multi; default: fine,multi")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(apps::one_of(known_grains()));
  } else if (name == "constructs") {
    std::vector<std::string> names;
    for (const Construct& one : kConstructs) names.emplace_back(one.name);
    command.add_option("--construct", plan.constructs, fmt::format("{}", fmt::join(names, ", ")))
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(apps::one_of(names));
  } else if (name == "recursion") {
    command.add_option("--program", plan.programs, fmt::format("{}", fmt::join(names_of(kRecursions), ", ")))
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(apps::one_of(names_of(kRecursions)));
  }
}

/// Returns the options with the final numbers of cores and rounds. Also checks that the output files can be written,
/// before any measurement starts.
PlanOptions settled(const BenchArguments& arguments) {
  for (const std::string& path : {arguments.json, arguments.plot, arguments.markdown}) {
    if (!path.empty() && path != "-") apps::check_output_path(path);
  }
  platform::TopologyOptions topology;
  topology.cores = arguments.cores;
  PlanOptions plan = arguments.plan;
  plan.cores = static_cast<int>(platform::Topology::discover(topology).value_or_throw().cores.size());
  constexpr int kUsualRounds = 9;
  constexpr int kTinyRounds = 2;
  plan.rounds = arguments.rounds > 0 ? arguments.rounds : plan.tiny ? kTinyRounds : kUsualRounds;
  return plan;
}

Results measure(const Plan& plan, const Runners& runners, bool show_progress) {
  std::atomic<std::uint64_t> done{0};
  const std::uint64_t total = measurements(plan);
  const apps::ProgressBar bar(
      [&] {
        return apps::Progress{done, total};
      },
      {.enabled = show_progress, .label = plan.benchmark, .unit = "measurements"});
  return run_plan(plan, runners, [&](std::uint64_t now) { done = now; });
}

void write_reports(const BenchArguments& arguments, const Results& results) {
  const std::string json = apps::as_text(as_json(results));
  fmt::print("{}", arguments.json == "-" ? json + "\n" : as_terminal_text(results));
  if (!arguments.json.empty() && arguments.json != "-") {
    platform::write_file(arguments.json, json + "\n").value_or_throw();
  }
  if (!arguments.markdown.empty()) platform::write_file(arguments.markdown, as_markdown(results)).value_or_throw();
  if (!arguments.plot.empty() && results.any_measured()) draw_plot(arguments.plot, results).value_or_throw();
}

int run(const BenchArguments& arguments, MakePlan make_plan) {
  const Plan plan = make_plan(settled(arguments));
  if (plan.rows.empty()) {
    throw Error(ErrorCode::invalid_argument, "nothing to measure: these shapes have no data handles (--handles 0)");
  }
  const Results results = measure(plan, Runners(arguments.runners), arguments.json != "-");
  write_reports(arguments, results);
  for (const std::string& name : results.missing) apps::say(fmt::format("troupe: {} is missing, skipped\n", name));
  if (results.any_failed()) throw Error(ErrorCode::kernel_failed, "a runner failed: see the last lines of the report");
  return apps::kSuccess;
}

struct Benchmark {
  const char* name;
  const char* help;
  MakePlan plan;
};
constexpr std::array kBenchmarks{
    Benchmark{"overhead", "Empty tasks: us per task, by shape and number of handles", overhead_plan},
    Benchmark{"granularity", "METG(50%) as Task Bench defines it, by pattern and width", granularity_plan},
    Benchmark{"steal", "Latencies: stealing from a computing victim, starting on an idle core", steal_plan},
    Benchmark{"linalg", "Cholesky, LU and QR: GFlop/s, against the BLAS library's LAPACK and the peak", linalg_plan},
    Benchmark{"sparse", "Sparse systems: seconds, against SuiteSparse's UMFPACK", sparse_plan},
    Benchmark{"sparse-lu", "Sparse matrices of blocks: GFlop/s of LU, the same kernels everywhere", sparse_lu_plan},
    Benchmark{"constructs", "What each construct of a program costs: ns", constructs_plan},
    Benchmark{"recursion", "Programs of divide and conquer: ms, with the same recursion everywhere", recursion_plan},
    Benchmark{"memory", "Bytes per task in flight, and the peak of ten million tasks", memory_plan},
};

}  // namespace

std::unique_ptr<CLI::App> make_bench(apps::Command& chosen) {
  auto arguments = std::make_shared<BenchArguments>();
  auto application =
      std::make_unique<CLI::App>("Troupe and its peers, side by side: medians of interleaved runs.", "troupe bench");
  application->require_subcommand(0, 1);  // A missing command is allowed here: a later check gives a better message.
  for (const Benchmark& benchmark : kBenchmarks) {
    CLI::App* command = application->add_subcommand(benchmark.name, benchmark.help);
    add_own_options(*command, arguments->plan, benchmark.name);
    add_common_options(*command, *arguments);
    command->callback(
        [&chosen, arguments, plan = benchmark.plan] { chosen = [arguments, plan] { return run(*arguments, plan); }; });
  }
  return application;
}

}  // namespace troupe::bench
