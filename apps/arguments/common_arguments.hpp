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

/// The largest order of a matrix: BLAS takes sizes of 32 bits.
inline constexpr std::int64_t kLargestOrder = 2147483647;

/// Adds an option that takes one of the names of an enumeration's values. `target` and `values` outlive the parsing.
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

/// Adds a number within bounds; the help shows its default.
template <class T>
CLI::Option* add_number(CLI::App& command, const std::string& name, T& number, std::type_identity_t<T> least,
                        std::type_identity_t<T> most, const std::string& help) {
  return command.add_option(name, number, help)->transform(number_within(least, most))->capture_default_str();
}

/// Adds the application: `cholesky`, `lu` or `qr`, required. `application` outlives the parsing.
void add_application(CLI::App& command, linalg::Application& application,
                     const std::string& help = "cholesky, lu (without pivoting) or qr");
/// Adds a size of a matrix or a tile.
CLI::Option* add_size(CLI::App& command, const std::string& name, std::int64_t& size, const std::string& help);
using platform::kAutomaticClusters;
/// The further values that `--clusters` accepts, besides fixed clusters.
enum class Automatic {
  /// `auto`: the best clusters for the work that is to run, or to be measured.
  allowed,
  /// `auto`, or stages (`platform::parse_cluster_stages`).
  or_stages
};
/// Adds `--clusters`.
CLI::Option* add_clusters(CLI::App& command, std::string& clusters, Automatic automatic);
/// Adds `--seed`.
CLI::Option* add_seed(CLI::App& command, std::uint64_t& seed, const std::string& help);
/// Adds `--precision`: float or double.
void add_precision(CLI::App& command, std::string& precision);
/// Returns the names of the policies, separated by commas.
std::string known_policies();
/// Adds a `--policy` that takes several policies, separated by commas or given several times. A comma starts another
/// policy if a policy's name follows it: "lws,dada:alpha=0.5,cp" are two. `policies` outlives the parsing.
CLI::Option* add_policies(CLI::App& command, std::vector<std::string>& policies, const std::string& help);

/// Refuses an option that was given but has no effect here (`used` is false). `instead` says where it has an effect.
void refuse_ignored(const CLI::App& command, const std::string& option, bool used, const std::string& instead);

/// Adds the options of a runtime about the machine, tasks and accelerators. Warnings go to standard error.
void add_program_options(CLI::App& command, RuntimeOptions& options);

/// Adds `--models`: the folder where placing policies keep what they learn, by default in the user's cache. Warnings go
/// to standard error.
void add_model_options(CLI::App& command, RuntimeOptions& options);

/// Refuses a folder for `--models` if nothing reads it: the policy does not place tasks by times, and clusters are not
/// `auto`.
void refuse_ignored_models(const CLI::App& command, const RuntimeOptions& options);

/// Adds `--metrics` and `--why-after`, which reports stalls on standard error.
void add_observation_options(CLI::App& command, RuntimeOptions& options, bool& metrics);

/// The memory that a factorization and its surroundings will use.
struct MemoryNeed {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  /// Additional columns of every dense copy.
  std::int64_t right_hand_sides = 0;
  std::size_t element_bytes = sizeof(double);
  linalg::FactorizationOptions factorization;
  std::size_t workers = 1;
  /// The number of dense matrices of this size that exist at the same time, besides the tiles.
  int dense_copies = 2;
  /// The number of tiled matrices of this size that exist at the same time, besides the factors.
  int tiled_copies = 0;
};

/// Returns the cores that a runtime with these options uses, without accelerators. Throws the failures of
/// `Topology::discover`.
platform::Topology usable_cores(const RuntimeOptions& options);

/// Returns the most workers that a runtime with these options may get.
std::size_t most_workers(const RuntimeOptions& options);

/// Throws `bad_input` if the need does not fit into the memory that is left.
void require_memory(const MemoryNeed& need);

/// Returns the content of a file that the user named. A file that cannot be opened or read counts as unusable input:
/// `io` becomes `bad_input`.
template <class T>
T usable(Result<T> result) {
  if (!result && result.failure().code == ErrorCode::io) throw Error(ErrorCode::bad_input, result.failure().message);
  return std::move(result).value_or_throw();
}

/// These functions check options for CLI11. Each returns what is wrong, or an empty text.
std::string check_file_name(const std::string& name);
std::string check_policy(const std::string& name);
/// Returns the policies that a value of `--policy` names, without checking them.
std::vector<std::string> split_policies(const std::string& list);
/// Adds `--restrict`: the tile kernels that only some devices may run.
void add_restrict(CLI::App& command, std::string& restrictions);

/// Throws `bad_input` if a file cannot be written to `path`. Called before long work, which would otherwise be lost.
void check_output_path(const std::string& path);

}  // namespace troupe::apps
