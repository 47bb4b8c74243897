/// `troupe run`: factorizes a generated matrix, measures the run and checks the result.
#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "apps/arguments/accelerator_arguments.hpp"
#include "apps/arguments/common_arguments.hpp"
#include "apps/arguments/environment_arguments.hpp"
#include "apps/command_line.hpp"
#include "apps/commands/sparse_options.hpp"
#include "apps/models/automatic_clusters.hpp"
#include "apps/run/run_job.hpp"

namespace troupe::apps {

namespace {

constexpr std::array kProblems{linalg::ProblemKind::random, linalg::ProblemKind::random_definite,
                               linalg::ProblemKind::covariance, linalg::ProblemKind::poisson};

constexpr std::array kPivotings{linalg::Pivoting::partial, linalg::Pivoting::incremental, linalg::Pivoting::none};

/// The options that sparse-lu does not have.
constexpr std::array kOnlyDense{"--tile", "--tile-rows", "--inner", "--pivoting", "--problem", "--peak", "--picture"};

}  // namespace

void add_run_command(CLI::App& application, Command& chosen) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = application.add_subcommand("run", "Factorize a matrix made for the purpose; measure and check");
  add_application_or_sparse(*command, arguments->application, arguments->sparse);
  add_size(*command, "--n", arguments->n, "Order of the matrix (4096); sparse-lu: blocks on a side of it (20)");
  auto sparse = std::make_shared<SparseLuArguments>();
  add_sparse_lu_options(*command, *sparse);
  add_size(*command, "--tile", arguments->tile, "Columns of a tile; default: by size and GPUs");
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
  add_program_options(*command, arguments->runtime);
  arguments->find_clusters = find_clusters_by_models;
  add_observation_options(*command, arguments->runtime, arguments->metrics);
  add_number(*command, "--repeat", arguments->repeat, 1, 1000000, "Runs; medians are reported");
  command->add_flag("--check", arguments->check, "Compute scaled residuals of the last run, and fail above the bound");
  command->add_flag("--peak", arguments->peak, "Measure the cores' matrix-product rate next to each run");
  command->add_option("--picture", arguments->picture, "Draw the last run: PATH.svg or PATH.png (both are written)")
      ->check(check_file_name);
  add_trace_options(*command, arguments->trace);
  command->add_flag("--json", arguments->json, "Print one JSON object");
  take_environment(*command);
  command->callback([command, arguments, sparse, &chosen] {
    refuse_ignored_accelerator_options(*command, arguments->runtime);
    refuse_ignored_models(*command, arguments->runtime);
    refuse_ignored_trace_options(*command, arguments->trace, !arguments->picture.empty());
    if (arguments->sparse) {
      for (const char* option : kOnlyDense) refuse_ignored(*command, option, false, "cholesky, lu and qr");
      check_sparse_lu_options(*command, *sparse,
                              looks_at_reuse(arguments->runtime.accelerators.eviction, {arguments->runtime.policy}));
      const bool all = sparse->steps == linalg::BlockSteps::all;
      refuse_ignored(*command, "--check", all, "--steps all: products alone factorize nothing");
      refuse_ignored(*command, "--steps", all || !is_structure_file(sparse->structure),
                     "structures that are made for the purpose: products of a file's values alone overflow");
      constexpr std::int64_t kUsualBlocks = 20;
      if (command->count("--n") == 0) arguments->n = kUsualBlocks;
      arguments->sparse = *sparse;
      chosen = [arguments] { return run_sparse_lu(*arguments, *arguments->sparse); };
      return;
    }
    refuse_sparse_lu_options(*command);
    refuse_ignored(*command, "--inner", linalg::eliminates_pairs(arguments->application, arguments->pivoting),
                   "qr and lu --pivoting incremental");
    refuse_ignored(*command, "--pivoting", arguments->application == linalg::Application::lu, "lu");
    chosen = [arguments] { return run(*arguments); };
  });
}

}  // namespace troupe::apps
