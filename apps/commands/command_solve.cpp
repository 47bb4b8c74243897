/// `troupe solve`: solves a system from a Matrix Market file.
#include <CLI/CLI.hpp>
#include <memory>

#include "apps/arguments/accelerator_arguments.hpp"
#include "apps/arguments/block_arguments.hpp"
#include "apps/arguments/common_arguments.hpp"
#include "apps/arguments/environment_arguments.hpp"
#include "apps/arguments/option_values.hpp"
#include "apps/command_line.hpp"
#include "apps/models/automatic_clusters.hpp"
#include "apps/run/solve_job.hpp"
#include "apps/run/sparse_solve_job.hpp"

namespace troupe::apps {

namespace {

void add_sparse_solve_options(CLI::App& command, bool& sparse, linalg::SparseOptions& options) {
  command.add_flag("--sparse", sparse,
                   "Never make the matrix dense: LU by blocks without pivoting, of a coordinate file");
  add_block_options(command, options.block, options.side, "by predicted time", "by --block");
  add_named(command, "--ordering", options.ordering, linalg::kOrderings,
            "--sparse: auto (the default), natural, rcm or amd");
}

}  // namespace

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
      ->check(one_of({"auto", "cholesky", "lu", "qr"}))
      ->capture_default_str();
  add_precision(*command, arguments->precision);
  add_size(*command, "--tile", arguments->tile, "Columns of a tile; default: by size and GPUs");
  auto sparse = std::make_shared<linalg::SparseOptions>();
  add_sparse_solve_options(*command, arguments->sparse, *sparse);
  add_program_options(*command, arguments->runtime);
  arguments->find_clusters = find_clusters_by_models;
  add_observation_options(*command, arguments->runtime, arguments->metrics);
  add_trace_options(*command, arguments->trace);
  command->add_flag("--json", arguments->json, "Print one JSON object");
  take_environment(*command);
  command->callback([command, arguments, sparse, &chosen] {
    refuse_ignored_accelerator_options(*command, arguments->runtime);
    refuse_ignored_models(*command, arguments->runtime);
    refuse_ignored_trace_options(*command, arguments->trace);
    for (const char* option : {"--block", "--super", "--ordering"})
      refuse_ignored(*command, option, arguments->sparse, "--sparse");
    for (const char* option : {"--method", "--tile"})
      refuse_ignored(*command, option, !arguments->sparse, "dense matrices");
    if (arguments->sparse) {
      chosen = [arguments, sparse] { return solve_sparse(*arguments, *sparse); };
    } else {
      chosen = [arguments] { return solve(*arguments); };
    }
  });
}

}  // namespace troupe::apps
