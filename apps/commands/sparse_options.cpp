#include "apps/commands/sparse_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "actors/scheduler/policy.hpp"
#include "apps/arguments/block_arguments.hpp"
#include "apps/arguments/common_arguments.hpp"
#include "apps/arguments/option_values.hpp"

namespace troupe::apps {

namespace {

constexpr const char* kSparseLu = "sparse-lu";
constexpr std::array kGrains{SparseGrain::fine, SparseGrain::coarse, SparseGrain::multi};
constexpr std::array kSteps{linalg::BlockSteps::all, linalg::BlockSteps::products};
constexpr std::array kReuses{linalg::BlockReuse::position, linalg::BlockReuse::uses};
constexpr std::array kOnlySparse{"--structure", "--block", "--super", "--grain", "--ordering", "--steps", "--reuse"};

}  // namespace

void add_application_or_sparse(CLI::App& command, linalg::Application& application,
                               std::optional<SparseLuArguments>& sparse) {
  constexpr std::array kDense{linalg::Application::cholesky, linalg::Application::lu, linalg::Application::qr};
  std::vector<std::string> names{kSparseLu};
  for (const linalg::Application dense : kDense) names.emplace_back(to_string(dense));
  const auto assign = [&application, &sparse, kDense](const std::string& given) {
    if (given == kSparseLu) sparse.emplace();
    for (const linalg::Application dense : kDense) {
      if (given == to_string(dense)) application = dense;
    }
  };
  command.add_option_function<std::string>("application", assign, "cholesky, lu, qr or sparse-lu")
      ->check(one_of(names))
      ->required();
}

void add_sparse_lu_options(CLI::App& command, SparseLuArguments& sparse) {
  command
      .add_option("--structure", sparse.structure,
                  "sparse-lu: third, third-closed, bots, band:W or a Matrix Market file (*.mtx)")
      ->check(check_file_name)
      ->capture_default_str();
  add_block_options(command, sparse.block, sparse.super, "192; for a file: by predicted time",
                    "5; for a file: by --block");
  add_named(command, "--grain", sparse.grain, kGrains,
            "sparse-lu: a task for each block (fine), for each super-block (coarse), or for each super-block in pieces "
            "that other cores help with (multi)");
  add_named(command, "--ordering", sparse.ordering, linalg::kOrderings,
            "sparse-lu of a file: auto (the default), natural, rcm or amd");
  add_named(command, "--steps", sparse.steps, kSteps,
            "sparse-lu: all (the default), or 3: products alone, with the panels taken as done");
  add_named(command, "--reuse", sparse.reuse, kReuses,
            "sparse-lu: a super-block's index of reuse: position (row + column, the default), or uses (how many tasks "
            "use it)");
}

bool looks_at_reuse(const std::string& eviction, const std::vector<std::string>& policies) {
  return eviction == "reuse" || std::ranges::any_of(policies, [](const std::string& name) {
           const auto policy = scheduler::make_policy(name, {}, true);
           return policy && policy.value().placing && policy.value().placing->policy_traits().asks_reuse;
         });
}

void check_sparse_lu_options(const CLI::App& command, const SparseLuArguments& sparse, bool reuse) {
  const bool is_file = is_structure_file(sparse.structure);
  refuse_ignored(command, "--super", sparse.grain != SparseGrain::fine, "--grain coarse and multi");
  refuse_ignored(command, "--ordering", is_file, "--structure FILE.mtx");
  refuse_ignored(command, "--reuse", reuse, "--eviction reuse and --policy multigrain");
  refuse_ignored(command, "--n", !is_file, "structures that are made for the purpose: a file has its size");
}

void refuse_sparse_lu_options(const CLI::App& command) {
  for (const char* option : kOnlySparse) refuse_ignored(command, option, false, kSparseLu);
}

}  // namespace troupe::apps
