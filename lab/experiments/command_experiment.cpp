/// The command `troupe experiment`: repeats published experiments in virtual time.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/arguments/common_arguments.hpp"
#include "apps/arguments/option_values.hpp"
#include "apps/run/run_summary.hpp"
#include "apps/simulate/derived_kernels.hpp"
#include "apps/simulate/scaled_machine.hpp"
#include "apps/simulate/simulation_pool.hpp"
#include "lab/experiments/dada_report.hpp"
#include "lab/experiments/eviction_experiment.hpp"
#include "lab/experiments/experiment_arguments.hpp"
#include "lab/experiments/experiment_commands.hpp"
#include "lab/experiments/policy_report.hpp"
#include "traces/picture/gnuplot.hpp"

namespace troupe::apps {

namespace {

/// The machine of the paper on DADA, with its precision.
constexpr const char* kMachine = "idgraf-double";

int dada_experiment(const ExperimentArguments& arguments) {
  usable(traces::check_gnuplot());
  DadaReport report{{}, kMachine, {}, {}};
  if (arguments.quick) {
    report.options.n = 4096;
    report.options.repeat = 3;
  }
  if (arguments.repeat > 0) report.options.repeat = arguments.repeat;
  report.options.seed = arguments.seed;
  report.options.jobs = arguments.jobs > 0 ? arguments.jobs : default_jobs();
  std::vector<double> factors = arguments.assumptions;
  if (factors.empty()) factors = arguments.quick ? std::vector<double>{1} : std::vector<double>{1, 2.0 / 3, 1.5};
  std::vector<std::pair<double, bool>> variants;
  for (const double factor : factors) variants.emplace_back(factor, true);
  variants.emplace_back(factors.front(), false);
  for (const auto& [factor, peer_copies] : variants) {
    auto machine = machine_with_assumptions(kMachine, factor).value_or_throw();
    report.derived = text_of(derive_incremental_lu(machine));
    const std::string label =
        fmt::format("dada, assumptions x {:.3g}{}", factor, peer_copies ? "" : ", no peer copies");
    DadaExperimentOptions options = report.options;
    options.peer_copies = peer_copies;
    DadaResults results = DadaResults::measure(options, machine, {.enabled = !arguments.json, .label = label});
    std::vector<Judgement> judgements = judge(results);
    report.variants.push_back({factor, peer_copies, std::move(results), std::move(judgements)});
  }
  write_dada_report(arguments.folder, report).value_or_throw();
  if (arguments.json) {
    fmt::print("{}\n", as_text(dada_json(report)));
  } else {
    fmt::print("{}\nFigures, numbers and rules: {}/report.md\n", dada_text(report), arguments.folder);
  }
  return kSuccess;
}

/// Removes the points whose simulation takes longer than a few seconds, for a first look at the results.
std::vector<PolicyPoint> quick(std::vector<PolicyPoint> points) {
  std::erase_if(points, [](const PolicyPoint& point) { return point.n / point.tile > 18 || point.gpus % 4 != 0; });
  return points;
}

PolicyVariant policy_variant(const ExperimentArguments& arguments, const std::string& name, double error) {
  PolicyVariant variant;
  variant.name = name;
  variant.title = name + " points";
  if (error != 1) variant.title += fmt::format(", models off by up to {:g}", error);
  PolicyExperimentOptions& options = variant.options;
  if (!arguments.policy.empty()) options.policy = arguments.policy;
  std::erase(options.rivals, options.policy);
  options.points = name == "tuned" ? tuned_points() : other_points();
  if (arguments.quick) {
    options.points = quick(std::move(options.points));
    options.repeat = 2;
  }
  if (arguments.repeat > 0) options.repeat = arguments.repeat;
  options.seed = arguments.seed;
  options.jobs = arguments.jobs > 0 ? arguments.jobs : default_jobs();
  options.kernel_error = options.bandwidth_error = error;
  variant.comparisons = compare_policies(options, {.enabled = !arguments.json, .label = variant.title});
  variant.summary = summarize(variant.comparisons);
  return variant;
}

int policy_experiment(const ExperimentArguments& arguments) {
  std::vector<PolicyVariant> variants;
  std::vector<std::string> sets = arguments.points;
  if (sets.empty()) sets = {"tuned", "other"};
  for (const std::string& name : sets) {
    if (arguments.errors.empty()) variants.push_back(policy_variant(arguments, name, 1));
    for (const double error : arguments.errors) variants.push_back(policy_variant(arguments, name, error));
  }
  write_policy_report(arguments.folder, variants).value_or_throw();
  if (arguments.json) {
    fmt::print("{}\n", as_text(policy_json(variants)));
  } else {
    fmt::print("{}\nAll points: {}/report.md\n", policy_text(variants), arguments.folder);
  }
  return kSuccess;
}

int eviction_experiment(const ExperimentArguments& arguments) {
  EvictionExperimentOptions options;
  if (!arguments.policy.empty()) options.policy = arguments.policy;
  if (arguments.quick) options.n = 8192;
  options.seed = arguments.seed;
  options.jobs = arguments.jobs > 0 ? arguments.jobs : default_jobs();
  const auto comparisons = compare_evictions(options, {.enabled = !arguments.json, .label = "eviction"});
  fmt::print("{}\n",
             arguments.json ? as_text(eviction_json(options, comparisons)) : eviction_text(options, comparisons));
  return kSuccess;
}

int experiment(ExperimentArguments arguments) {
  if (arguments.name == "eviction") return eviction_experiment(arguments);
  if (arguments.folder.empty()) arguments.folder = arguments.name;
  if (arguments.name == "clusters") return clusters_experiment(arguments);
  if (arguments.name == "multigrain") return multigrain_experiment(arguments);
  if (arguments.name == "opencl") return opencl_experiment(arguments);
  make_report_folder(arguments.folder);
  return arguments.name == "dada" ? dada_experiment(arguments) : policy_experiment(arguments);
}

/// Refuses options that belong to other experiments and would have no effect on this one.
void refuse_ignored_by(const CLI::App& command, const std::string& experiment) {
  const bool dada = experiment == "dada";
  const bool policies = experiment == "policies";
  const bool clusters = experiment == "clusters";
  const bool multigrain = experiment == "multigrain";
  const bool opencl = experiment == "opencl";
  for (const char* option : {"--out", "--repeat"}) {
    refuse_ignored(command, option, dada || policies || clusters || multigrain || opencl,
                   "dada, policies, clusters, multigrain and opencl");
  }
  refuse_ignored(command, "--assumptions", dada, "dada");
  refuse_ignored(command, "--policy", !dada, "policies, eviction, clusters, multigrain and opencl");
  refuse_ignored(command, "--points", policies, "policies");
  refuse_ignored(command, "--model-error", policies, "policies");
  refuse_ignored_clusters_options(command, clusters);
  refuse_ignored_multigrain_options(command, multigrain);
  refuse_ignored_opencl_options(command, opencl);
}

/// Refuses all options before `scaling`, because the options of `scaling` come after its name.
void refuse_all(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    refuse_ignored(command, option->get_name(), false, "other experiments; options of scaling come after its name");
  }
}

}  // namespace

void make_report_folder(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    throw Error(ErrorCode::bad_input, fmt::format("cannot create the folder '{}': {}", folder, failed.message()));
  }
  check_output_path(folder + "/report.md");
}

std::unique_ptr<CLI::App> make_experiments(Command& chosen) {
  auto arguments = std::make_shared<ExperimentArguments>();
  auto application = std::make_unique<CLI::App>(
      "Run a published experiment again in virtual time, or one over the number of accelerators", "troupe experiment");
  CLI::App* command = application.get();
  add_scaling_command(*application, chosen);
  command
      ->add_option(
          "name", arguments->name,
          "dada: HEFT and DADA on 12 cores and 8 GPUs (Euro-Par 2014); policies: one policy against all "
          "others on several machines; eviction: bytes that eviction policies move, a table only; clusters: cores "
          "alone and together (HeteroPar 2016); multigrain: super-tasks of sparse LU (2012); opencl: OpenCL on all "
          "devices (Euro-Par 2014)")
      // `scaling` is in this list for messages only: it is a command with its own options, so the parser finds it
      // first.
      ->check(one_of({"dada", "policies", "eviction", "clusters", "multigrain", "opencl", "scaling"})
                  .description("{dada,policies,eviction,clusters,multigrain,opencl}"));
  command
      ->add_option("--out", arguments->folder,
                   "Folder for figures, tables and the report; made where it is missing; default: the name")
      ->check(check_file_name);
  command
      ->add_option("--repeat", arguments->repeat,
                   "Runs of each point, with noise; default: 30 (dada), 10 (policies), 3 (clusters and opencl), 2 "
                   "(multigrain, with a structure each)")
      ->transform(number_within(2, 100000));
  add_seed(*command, arguments->seed, "Seed of each point's first run; the others follow");
  command
      ->add_option("--assumptions", arguments->assumptions,
                   "dada: factors on the speed of GPUs on kernels that were not measured, such as 1,0.67,1.5 (the "
                   "default); figures are of the first")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(number_within(0.01, 100.0));
  command->add_option(
      "--policy", arguments->policy,
      "policies, clusters, opencl: the one to compare with all others, default: homeward; eviction: where tasks run, "
      "default: dada:alpha=0.5,cp; multigrain: the one to compare with the paper's, default: "
      "multigrain:order=affinity");
  command
      ->add_option("--points", arguments->points,
                   "policies: tuned (what the policy was tuned on), other (what it was not), or both, the default")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(one_of({"tuned", "other"}));
  command
      ->add_option("--model-error", arguments->errors,
                   "policies: kernel times and bandwidths that policies believe are off by factors up to these")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(number_within(1.0, 100.0));
  add_clusters_options(*command, arguments->clusters);
  add_multigrain_options(*command, arguments->multigrain);
  add_opencl_options(*command, arguments->opencl);
  command->add_flag("--quick", arguments->quick, "Fewer points and runs");
  command->add_option("--jobs", arguments->jobs, "Runs at a time; results are the same; default: one for each core")
      ->transform(number_within(1, 4096));
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->callback([command, arguments, &chosen] {
    if (!command->get_subcommands().empty()) return refuse_all(*command);
    if (arguments->name.empty())
      throw CLI::RequiredError("an experiment (dada, policies, eviction, clusters, multigrain, opencl or scaling)");
    refuse_ignored_by(*command, arguments->name);
    chosen = [arguments] { return experiment(*arguments); };
  });
  return application;
}

}  // namespace troupe::apps
