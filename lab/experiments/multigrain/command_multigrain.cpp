/// The command `troupe experiment multigrain`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <set>
#include <string>
#include <vector>

#include "apps/arguments/common_arguments.hpp"
#include "apps/arguments/option_values.hpp"
#include "apps/command_line.hpp"
#include "apps/run/run_summary.hpp"
#include "apps/simulate/simulation_pool.hpp"
#include "lab/experiments/experiment_arguments.hpp"
#include "lab/experiments/multigrain/multigrain_report.hpp"
#include "traces/picture/gnuplot.hpp"

namespace troupe::apps {

namespace {

MultigrainOptions multigrain_options(const ExperimentArguments& arguments) {
  MultigrainOptions options;
  if (arguments.quick) {
    options.blocks = {20, 40};
    options.steps = {linalg::BlockSteps::products};
    options.repeat = 1;
  }
  const MultigrainArguments& given = arguments.multigrain;
  if (!given.blocks.empty()) {
    const std::set<int> once(given.blocks.begin(), given.blocks.end());
    options.blocks = {once.begin(), once.end()};
  }
  if (!given.machines.empty()) options.machines = given.machines;
  if (given.most_fine) options.most_fine = *given.most_fine;
  if (!arguments.policy.empty()) options.policy = arguments.policy;
  std::erase(options.others, options.policy);
  if (arguments.repeat > 0) options.repeat = arguments.repeat;
  options.seed = arguments.seed;
  options.jobs = arguments.jobs > 0 ? arguments.jobs : default_jobs();
  check(options);
  return options;
}

/// Returns the sets of assumptions: all interpretations of the structure with the first fraction, and the first
/// interpretation with the other fractions.
std::vector<MultigrainAssumptions> multigrain_assumptions(const ExperimentArguments& arguments) {
  const MultigrainArguments& given = arguments.multigrain;
  std::vector<double> fractions = given.fractions;
  if (fractions.empty()) fractions = arguments.quick ? std::vector<double>{0.35} : std::vector<double>{0.35, 0.25, 0.5};
  std::vector<std::string> structures = given.structures;
  if (structures.empty()) structures = {"third", "third-closed"};
  std::vector<MultigrainAssumptions> all;
  for (const std::string& structure : structures) {
    all.push_back({linalg::parse_structure(structure).value_or_throw(), fractions.front()});
  }
  for (std::size_t i = 1; i < fractions.size(); ++i) all.push_back({all.front().structure, fractions[i]});
  return all;
}

}  // namespace

void add_multigrain_options(CLI::App& command, MultigrainArguments& arguments) {
  command.add_option("--blocks", arguments.blocks, "multigrain: blocks on a side; default: 40,60,80,120,160")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(number_within(5, 400));
  command.add_option("--machine", arguments.machines, "multigrain: which of amd-gtx470 and xeon-gtx480; default: both")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(one_of({"amd-gtx470", "xeon-gtx480"}));
  command.add_option("--structure", arguments.structures, "multigrain: which of third and third-closed; default: both")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(one_of({"third", "third-closed"}));
  command
      .add_option("--share", arguments.fractions,
                  "multigrain: of the GPU's peak that many products in one call reach; default: 0.35,0.25,0.5; "
                  "numbers and figures are of the first")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(number_within(0.01, 1.0));
  command
      .add_option("--most-fine", arguments.most_fine,
                  "multigrain: tasks on single blocks are simulated up to so many blocks on a side; default: 80")
      ->transform(number_within(5, 160));
}

void refuse_ignored_multigrain_options(const CLI::App& command, bool used) {
  for (const char* option : {"--blocks", "--machine", "--structure", "--share", "--most-fine"}) {
    refuse_ignored(command, option, used, "multigrain");
  }
}

int multigrain_experiment(const ExperimentArguments& arguments) {
  MultigrainReport report{multigrain_options(arguments), {}};
  const std::vector<MultigrainAssumptions> all = multigrain_assumptions(arguments);
  usable(traces::check_gnuplot());
  make_report_folder(arguments.folder);
  for (const MultigrainAssumptions& assumptions : all) {
    MultigrainResults results = MultigrainResults::measure(
        report.options, assumptions, {.enabled = !arguments.json, .label = "multigrain, " + assumptions.name()});
    std::vector<Judgement> judgements = judge_multigrain(results, report.options.policy);
    report.variants.push_back({assumptions, std::move(results), std::move(judgements)});
  }
  write_multigrain_report(arguments.folder, report).value_or_throw();
  if (arguments.json) {
    fmt::print("{}\n", as_text(multigrain_json(report)));
  } else {
    fmt::print("{}\nFigures, numbers and rules: {}/report.md\n", multigrain_text(report), arguments.folder);
  }
  return kSuccess;
}

}  // namespace troupe::apps
