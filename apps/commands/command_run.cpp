/// `troupe run`: factorize a matrix that is made for the purpose, measure and check.
#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <string>

#include "apps/arguments/accelerator_arguments.hpp"
#include "apps/arguments/common_arguments.hpp"
#include "apps/command_line.hpp"
#include "apps/models/automatic_clusters.hpp"
#include "apps/run/run_job.hpp"

namespace troupe::apps {

namespace {

constexpr std::array kProblems{linalg::ProblemKind::random, linalg::ProblemKind::random_definite,
                               linalg::ProblemKind::covariance, linalg::ProblemKind::poisson};

constexpr std::array kPivotings{linalg::Pivoting::partial, linalg::Pivoting::incremental, linalg::Pivoting::none};

}  // namespace

void add_run_command(CLI::App& application, Command& chosen) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = application.add_subcommand("run", "Factorize a matrix made for the purpose; measure and check");
  add_application(*command, arguments->application, "cholesky, lu or qr");
  add_size(*command, "--n", arguments->n, "Order of the matrix")->capture_default_str();
  add_size(*command, "--tile", arguments->tile, "Columns of a tile; default: by size");
  add_size(*command, "--tile-rows", arguments->tile_rows,
           "Rows of a tile, a multiple of --tile; default: by size and number of workers");
  add_size(*command, "--inner", arguments->inner,
           "QR, LU with incremental pivoting: columns of an inner block; default: by the tile's size");
  add_precision(*command, arguments->precision);
  add_named(*command, "--pivoting", arguments->pivoting, kPivotings,
            "LU: partial (the default), incremental (between two tiles at a time) or none");
  add_named(*command, "--problem", arguments->problem, kProblems,
            "random, random-definite, covariance or poisson; default: random, or random-definite where the "
            "factorization needs it");
  add_runtime_options(*command, arguments->runtime, Automatic::or_stages);
  arguments->find_clusters = find_clusters_by_models;
  add_accelerator_options(*command, arguments->runtime);
  add_model_options(*command, arguments->runtime);
  add_observation_options(*command, arguments->runtime, arguments->metrics);
  add_number(*command, "--repeat", arguments->repeat, 1, 1000000, "Runs; medians are reported");
  command->add_flag("--check", arguments->check, "Compute scaled residuals of the last run, and fail above the bound");
  command->add_flag("--peak", arguments->peak, "Measure the cores' matrix-product rate next to each run");
  command->add_option("--picture", arguments->picture, "Draw the last run: PATH.svg or PATH.png (both are written)")
      ->check(check_file_name);
  add_trace_options(*command, arguments->trace);
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->callback([command, arguments, &chosen] {
    refuse_ignored(*command, "--inner", linalg::eliminates_pairs(arguments->application, arguments->pivoting),
                   "qr and lu --pivoting incremental");
    refuse_ignored(*command, "--pivoting", arguments->application == linalg::Application::lu, "lu");
    chosen = [arguments] { return run(*arguments); };
  });
}

}  // namespace troupe::apps
