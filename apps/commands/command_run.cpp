/// `troupe run`: factorize a matrix that is made for the purpose, measure and check.
#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <string>

#include "apps/arguments/accelerator_arguments.hpp"
#include "apps/arguments/common_arguments.hpp"
#include "apps/command_line.hpp"
#include "apps/run/run_job.hpp"

namespace troupe::apps {

namespace {

constexpr std::array kApplications{linalg::Application::cholesky, linalg::Application::lu, linalg::Application::qr};
constexpr std::array kProblems{linalg::ProblemKind::random, linalg::ProblemKind::random_definite,
                               linalg::ProblemKind::covariance, linalg::ProblemKind::poisson};

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
  add_accelerator_options(*command, arguments->runtime);
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
  command->callback([command, arguments, &chosen] {
    refuse_ignored(*command, "--inner", arguments->application == linalg::Application::qr, "qr");
    refuse_ignored(*command, "--pivoting", arguments->application == linalg::Application::lu, "lu");
    chosen = [arguments] { return run(*arguments); };
  });
}

}  // namespace troupe::apps
