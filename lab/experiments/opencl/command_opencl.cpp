/// The command `troupe experiment opencl`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "apps/arguments/common_arguments.hpp"
#include "apps/arguments/option_values.hpp"
#include "apps/command_line.hpp"
#include "apps/run/run_summary.hpp"
#include "lab/experiments/experiment_arguments.hpp"
#include "lab/experiments/opencl/opencl_report.hpp"
#include "traces/picture/gnuplot.hpp"

namespace troupe::apps {

namespace {

constexpr const char* kMeasured = "measured";
constexpr const char* kVirtual = "virtual";

OpenClReport asked_for(const ExperimentArguments& arguments) {
  OpenClReport report;
  OpenClOptions& options = report.options;
  OpenClMeasuringOptions& measuring = report.measuring;
  if (arguments.quick) {
    options.blocks = {{1'000'000, {20, 100}}, {25'000'000, {40}}};
    options.reuse_blocks = {25};
    options.bands = {12};
    options.repeat = 1;
    measuring.quick = true;
    measuring.rounds = 1;
  }
  if (arguments.repeat > 0) options.repeat = measuring.rounds = arguments.repeat;
  options.seed = arguments.seed;
  if (arguments.opencl.scale) measuring.scale = *arguments.opencl.scale;
  measuring.socl = arguments.opencl.socl;
  report.policy = arguments.policy.empty() ? "homeward" : arguments.policy;
  if (const std::string wrong = check_policy(report.policy); !wrong.empty()) {
    throw Error(ErrorCode::invalid_argument, wrong);
  }
  if (std::ranges::find(options.policies, report.policy) == options.policies.end()) {
    options.policies.push_back(report.policy);
  }
  return report;
}

/// Returns the sets of assumptions. The first set makes the paper's claims possible; each other set differs from it in
/// one assumption.
std::vector<OpenClAssumptions> opencl_assumptions(bool quick) {
  std::vector<OpenClAssumptions> all(1);
  if (quick) return all;
  all.push_back({.processors = 0.5});
  all.push_back({.links = 2});
  all.push_back({.tone_mapping = 4});
  return all;
}

}  // namespace

void add_opencl_options(CLI::App& command, OpenClArguments& arguments) {
  command
      .add_option("--rows", arguments.rows,
                  "opencl: virtual (the paper's machines in virtual time), measured (programs on this machine's OpenCL "
                  "devices), or both, the default")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(one_of({kVirtual, kMeasured}));
  command
      .add_option("--scale", arguments.scale,
                  "opencl: sizes of measured programs as a part of the paper's; default: 0.02")
      ->transform(number_within(0.0001, 10.0));
  command.add_flag("--socl", arguments.socl, "opencl: measure SOCL beside Troupe, where it is installed");
}

void refuse_ignored_opencl_options(const CLI::App& command, bool used) {
  for (const char* option : {"--rows", "--scale", "--socl"}) refuse_ignored(command, option, used, "opencl");
  // The option `--jobs 1` is allowed, since this experiment runs only one program at a time.
  const bool one = used && command.count("--jobs") > 0 && command.get_option("--jobs")->as<int>() == 1;
  refuse_ignored(command, "--jobs", !used || one, "the others: opencl runs one at a time");
}

int opencl_experiment(const ExperimentArguments& arguments) {
  OpenClReport report = asked_for(arguments);
  const std::vector<std::string>& rows = arguments.opencl.rows;
  const auto wanted = [&](const char* name) { return rows.empty() || std::ranges::find(rows, name) != rows.end(); };
  if (wanted(kVirtual)) usable(traces::check_gnuplot());
  make_report_folder(arguments.folder);
  if (wanted(kVirtual)) {
    for (const OpenClAssumptions& assumptions : opencl_assumptions(arguments.quick)) {
      OpenClVirtualResults results = OpenClVirtualResults::measure(
          report.options, assumptions, {.enabled = !arguments.json, .label = "opencl, " + assumptions.name()});
      std::vector<Judgement> judgements = judge_opencl(results, report.policy);
      report.variants.push_back({assumptions, std::move(results), std::move(judgements)});
    }
  }
  if (wanted(kMeasured)) {
    report.measured = measure_opencl(report.measuring, {.enabled = !arguments.json, .label = "opencl, this machine"});
    report.measured_judgements = judge_opencl(*report.measured);
  }
  write_opencl_report(arguments.folder, report).value_or_throw();
  if (arguments.json) {
    fmt::print("{}\n", as_text(opencl_json(report)));
  } else {
    fmt::print("{}\nFigures, numbers and rules: {}/report.md\n", opencl_text(report), arguments.folder);
  }
  if (report.measured && !report.measured->failures.empty()) {
    throw Error(ErrorCode::kernel_failed,
                fmt::format("{} of the programs failed, as the report says; the first: {}",
                            report.measured->failures.size(), report.measured->failures.front()));
  }
  return kSuccess;
}

}  // namespace troupe::apps
