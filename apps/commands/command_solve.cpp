/// `troupe solve`: a system from a Matrix Market file.
#include <CLI/CLI.hpp>
#include <memory>

#include "apps/arguments/accelerator_arguments.hpp"
#include "apps/arguments/common_arguments.hpp"
#include "apps/command_line.hpp"
#include "apps/models/automatic_clusters.hpp"
#include "apps/run/solve_job.hpp"

namespace troupe::apps {

void add_solve_command(CLI::App& application, Command& chosen) {
  auto arguments = std::make_shared<SolveArguments>();
  CLI::App* command = application.add_subcommand("solve", "Solve A x = b for a matrix in a Matrix Market file");
  command->add_option("matrix", arguments->matrix, "Matrix Market file: coordinate or array, real or integer")
      ->required()
      ->check(check_file_name);
  command->add_option("--rhs", arguments->right_hand_side, "Matrix Market file of b; default: A times ones")
      ->check(check_file_name);
  command->add_option("--output", arguments->output, "Write x to this file, as a Matrix Market array")
      ->check(check_file_name);
  command
      ->add_option("--method", arguments->method,
                   "auto (Cholesky where A is symmetric and turns out positive definite, else LU), cholesky, lu or qr")
      ->check(CLI::IsMember({"auto", "cholesky", "lu", "qr"}))
      ->capture_default_str();
  add_precision(*command, arguments->precision);
  add_size(*command, "--tile", arguments->tile, "Columns of a tile; default: by size");
  add_runtime_options(*command, arguments->runtime, Automatic::or_stages);
  arguments->find_clusters = find_clusters_by_models;
  add_accelerator_options(*command, arguments->runtime);
  add_model_options(*command, arguments->runtime);
  add_observation_options(*command, arguments->runtime, arguments->metrics);
  add_trace_options(*command, arguments->trace);
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->callback([arguments, &chosen] { chosen = [arguments] { return solve(*arguments); }; });
}

}  // namespace troupe::apps
