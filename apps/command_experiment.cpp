/// `troupe experiment`: published experiments, run again in virtual time.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "apps/command_line.hpp"
#include "apps/common_arguments.hpp"
#include "apps/dada_report.hpp"
#include "apps/gnuplot.hpp"
#include "apps/run_summary.hpp"
#include "apps/scaled_machine.hpp"
#include "apps/simulation_pool.hpp"

namespace troupe::apps {

namespace {

/// The machine and precision of the paper.
constexpr const char* kMachine = "idgraf-double";

struct ExperimentArguments {
  std::string folder = "dada";
  DadaExperimentOptions options;
  /// The figures are of the first.
  std::vector<double> assumptions;
  bool quick = false;
  bool json = false;
  /// 0: one for each core.
  int jobs = 0;
};

void make_folder(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    throw Error(ErrorCode::bad_input, fmt::format("cannot create the folder '{}': {}", folder, failed.message()));
  }
  check_output_path(folder + "/report.md");
  usable(check_gnuplot());
}

int experiment(const ExperimentArguments& arguments) {
  make_folder(arguments.folder);
  DadaReport report{arguments.options, kMachine, {}};
  if (arguments.quick) {
    report.options.n = 4096;
    report.options.repeat = 3;
  }
  report.options.jobs = arguments.jobs > 0 ? arguments.jobs : default_jobs();
  std::vector<double> factors = arguments.assumptions;
  if (factors.empty()) factors = arguments.quick ? std::vector<double>{1} : std::vector<double>{1, 2.0 / 3, 1.5};
  for (const double factor : factors) {
    const auto machine = machine_with_assumptions(kMachine, factor).value_or_throw();
    const std::string label = factors.size() > 1 ? fmt::format("dada, assumptions x {:.3g}", factor) : "dada";
    DadaResults results = DadaResults::measure(report.options, machine, {.enabled = !arguments.json, .label = label});
    std::vector<Judgement> judgements = judge(results);
    report.variants.push_back({factor, std::move(results), std::move(judgements)});
  }
  write_dada_report(arguments.folder, report).value_or_throw();
  if (arguments.json) {
    fmt::print("{}\n", as_text(dada_json(report)));
  } else {
    fmt::print("{}\nFigures, numbers and rules: {}/report.md\n", dada_text(report), arguments.folder);
  }
  return kSuccess;
}

}  // namespace

void add_experiment_command(CLI::App& application, Command& chosen) {
  auto arguments = std::make_shared<ExperimentArguments>();
  CLI::App* command = application.add_subcommand("experiment", "Run a published experiment again, in virtual time");
  command
      ->add_option_function<std::string>(
          "name", [](const std::string&) {}, "dada: HEFT and DADA on 12 cores and 8 GPUs (Euro-Par 2014)")
      ->check(CLI::IsMember({"dada"}))
      ->required();
  command->add_option("--out", arguments->folder, "Folder for figures, tables and the report; made where it is missing")
      ->check(check_file_name)
      ->capture_default_str();
  command->add_option("--repeat", arguments->options.repeat, "Runs of each point, with noise")
      ->check(CLI::Range(2, 100000))
      ->capture_default_str();
  command->add_option("--seed", arguments->options.seed, "Seed of each point's first run; the others follow")
      ->check(
          [](const std::string& value) { return value.starts_with('-') ? "a seed is not negative" : std::string(); })
      ->capture_default_str();
  command
      ->add_option("--assumptions", arguments->assumptions,
                   "Factors on the speed of GPUs on kernels that were not measured, such as 1,0.67,1.5 (the default); "
                   "figures are of the first")
      ->delimiter(',')
      ->check(CLI::Range(0.01, 100.0));
  command->add_flag("--quick", arguments->quick, "A smaller matrix, three runs of each point, no other assumptions");
  command->add_option("--jobs", arguments->jobs, "Runs at a time; results are the same; default: one for each core")
      ->check(CLI::Range(1, 4096));
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->callback([arguments, &chosen] { chosen = [arguments] { return experiment(*arguments); }; });
}

}  // namespace troupe::apps
