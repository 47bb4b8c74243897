/// Options and checks that several commands share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "apps/arguments/option_values.hpp"
#include "linalg/factorization.hpp"
#include "platform/machine/cluster_candidates.hpp"
#include "platform/machine/topology.hpp"
#include "troupe/errors.hpp"
#include "troupe/runtime_options.hpp"

namespace troupe::apps {

/// The largest order of a matrix, because BLAS takes sizes of 32 bits.
inline constexpr std::int64_t kLargestOrder = 2147483647;

/// Adds an option that takes one of the names of an enumeration's values. `target` and `values` must outlive the
/// parsing.
template <class Target, class Values>
CLI::Option* add_named(CLI::App& command, const std::string& name, Target& target, const Values& values,
                       const std::string& help) {
  std::vector<std::string> names;
  for (const auto value : values) names.emplace_back(to_string(value));
  const auto assign = [&target, values](const std::string& given) {
    for (const auto value : values) {
      if (given == to_string(value)) target = value;
    }
  };
  return command.add_option_function<std::string>(name, assign, help)->check(one_of(names));
}

/// Adds an option for a number within bounds; the help shows its default.
template <class T>
CLI::Option* add_number(CLI::App& command, const std::string& name, T& number, std::type_identity_t<T> least,
                        std::type_identity_t<T> most, const std::string& help) {
  return command.add_option(name, number, help)->transform(number_within(least, most))->capture_default_str();
}

/// Adds the required argument for the application: `cholesky`, `lu` or `qr`. `application` must outlive the parsing.
void add_application(CLI::App& command, linalg::Application& application,
                     const std::string& help = "cholesky, lu (without pivoting) or qr");
/// Adds an option for the size of a matrix or a tile.
CLI::Option* add_size(CLI::App& command, const std::string& name, std::int64_t& size, const std::string& help);
using platform::kAutomaticClusters;
/// Adds `--clusters` for fixed clusters, or `auto`: the best clusters for the work that will run or be measured.
CLI::Option* add_clusters(CLI::App& command, std::string& clusters);
/// Adds `--cores`, a number within the range of a runtime's option, but not 0: without the option the command uses all
/// cores that `help` names.
CLI::Option* add_cores(CLI::App& command, int& cores, const std::string& help);
/// Adds `--seed`.
CLI::Option* add_seed(CLI::App& command, std::uint64_t& seed, const std::string& help);
/// Adds `--precision`: float or double.
void add_precision(CLI::App& command, std::string& precision);
/// Returns the names of the policies, separated by commas.
std::string known_policies();
/// Adds a `--policy` that takes several policies, separated by commas or given several times. A comma starts another
/// policy if the name of a policy follows: "lws,dada:alpha=0.5,cp" are two. `policies` must outlive the parsing.
CLI::Option* add_policies(CLI::App& command, std::vector<std::string>& policies, const std::string& help);

/// Refuses an option that was given but has no effect here (`used` is false). `instead` names the case in which the
/// option has an effect.
void refuse_ignored(const CLI::App& command, const std::string& option, bool used, const std::string& instead);

/// Adds a runtime's options for machine, tasks and accelerators. Warnings go to standard error.
void add_program_options(CLI::App& command, RuntimeOptions& options);

/// Adds `--models`: the folder where placing policies keep the kernel times that they learn, by default in the user's
/// cache. Warnings go to standard error.
void add_model_options(CLI::App& command, RuntimeOptions& options);

/// Refuses a folder for `--models` if nothing in the run reads the folder, because the policy does not place tasks by
/// times and clusters are not `auto`.
void refuse_ignored_models(const CLI::App& command, const RuntimeOptions& options);

/// Adds `--metrics`, and `--why-after`, which reports stalls on standard error.
void add_observation_options(CLI::App& command, RuntimeOptions& options, bool& metrics);

/// The numbers from which `require_memory` computes how much memory a command needs for a factorization.
struct MemoryNeed {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  /// The number of right-hand sides. Each adds a column to every copy.
  std::int64_t right_hand_sides = 0;
  std::size_t element_bytes = sizeof(double);
  linalg::FactorizationOptions factorization;
  std::size_t workers = 1;
  /// The number of dense matrices of `rows` x `cols` that exist at the same time.
  int dense_copies = 2;
  /// The number of tiled matrices of `rows` x `cols` that exist at the same time, in addition to the factors.
  int tiled_copies = 0;
};

/// Returns the cores that a runtime with these options uses, without accelerators. Passes on the errors of
/// `Topology::discover`.
platform::Topology usable_cores(const RuntimeOptions& options);

/// Returns the most workers that a runtime with these options may get.
std::size_t most_workers(const RuntimeOptions& options);

/// Throws `bad_input` if the machine has less free memory than `need` requires.
void require_memory(const MemoryNeed& need);

/// Returns the result of reading a file that the user named, or throws. A file that cannot be opened or read counts as
/// unusable input: `io` becomes `bad_input`.
template <class T>
T usable(Result<T> result) {
  if (!result && result.failure().code == ErrorCode::io) throw Error(ErrorCode::bad_input, result.failure().message);
  return std::move(result).value_or_throw();
}

/// `check_file_name` and `check_policy` check options for CLI11. They return the error message, or an empty text for a
/// valid option.
std::string check_file_name(const std::string& name);
std::string check_policy(const std::string& name);
/// Returns the policies that a value of `--policy` names, without checking them.
std::vector<std::string> split_policies(const std::string& list);
/// Adds `--restrict`, which limits tile kernels to some devices.
void add_restrict(CLI::App& command, std::string& restrictions);

/// Throws `bad_input` if a file cannot be written to `path`. Call this before long work whose result would otherwise be
/// lost.
void check_output_path(const std::string& path);

}  // namespace troupe::apps
