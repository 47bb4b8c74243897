#include "apps/arguments/common_arguments.hpp"
#include "apps/arguments/option_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <set>
#include <thread>

#include "actors/options/option_table.hpp"
#include "actors/options/option_values.hpp"
#include "actors/scheduler/policy.hpp"
#include "apps/arguments/accelerator_arguments.hpp"
#include "apps/arguments/environment_arguments.hpp"
#include "apps/arguments/runtime_arguments.hpp"
#include "apps/terminal/standard_error.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/restrictions.hpp"
#include "kernels/sparse/super_block_codelets.hpp"
#include "kernels/tile_kernels.hpp"
#include "platform/files/atomic_file.hpp"
#include "platform/machine/cluster_plan.hpp"
#include "platform/machine/host_memory.hpp"
#include "proto/tokens.hpp"
#include "traces/text/human.hpp"
#include "troupe/errors.hpp"
#include "troupe/runtime.hpp"

namespace troupe::apps {

void add_application(CLI::App& command, linalg::Application& application, const std::string& help) {
  constexpr std::array kApplications{linalg::Application::cholesky, linalg::Application::lu, linalg::Application::qr};
  add_named(command, "application", application, kApplications, help)->required();
}

void refuse_ignored(const CLI::App& command, const std::string& option, bool used, const std::string& instead) {
  if (used || command.count(option) == 0) return;
  throw CLI::ValidationError(option, "has no effect here: it is for " + instead + environment_note(command));
}

CLI::Option* add_size(CLI::App& command, const std::string& name, std::int64_t& size, const std::string& help) {
  return command.add_option(name, size, help)->transform(number_within(std::int64_t{1}, kLargestOrder));
}

CLI::Option* add_clusters(CLI::App& command, std::string& clusters) {
  const auto assign = [&clusters](const RuntimeOptions& given) { clusters = given.clusters; };
  return add_runtime_option(command, "clusters", assign)->check([](const std::string& text) -> std::string {
    const auto fixed = platform::parse_clusters(text == kAutomaticClusters ? "single" : text);
    return fixed ? std::string() : fixed.failure().message;
  });
}

CLI::Option* add_cores(CLI::App& command, int& cores, const std::string& help) {
  const RuntimeOption& option = *option_of("cores");
  return command.add_option(option.flag(), cores, help)->transform(number_within(1, static_cast<int>(option.most)));
}

void add_precision(CLI::App& command, std::string& precision) {
  command.add_option("--precision", precision, "float or double")->transform(precision_name())->capture_default_str();
}

std::string known_policies() {
  std::string names;
  for (const scheduler::PolicyDescription& policy : scheduler::known_policies()) {
    names += (names.empty() ? "" : ", ") + std::string(policy.name);
  }
  return names;
}

std::string check_policy(const std::string& name) { return check_runtime_option(*option_of("policy"), name); }

std::vector<std::string> split_policies(const std::string& list) {
  std::vector<std::string> policies;
  for (const std::string& part : CLI::detail::split(list, ',')) {
    const std::string name = part.substr(0, part.find(':'));
    const bool begins =
        std::ranges::any_of(scheduler::known_policies(), [&](const auto& policy) { return policy.name == name; });
    if (begins || policies.empty() || policies.back().find(':') == std::string::npos) {
      policies.push_back(part);
    } else {
      policies.back() += ',' + part;
    }
  }
  return policies;
}

CLI::Option* add_policies(CLI::App& command, std::vector<std::string>& policies, const std::string& help) {
  const auto assign = [&policies](const std::vector<std::string>& given) {
    policies.clear();
    for (const std::string& list : given) {
      for (std::string& policy : split_policies(list)) policies.push_back(std::move(policy));
    }
  };
  const auto check = [](const std::string& list) {
    for (const std::string& policy : split_policies(list)) {
      if (std::string wrong = check_policy(policy); !wrong.empty()) return wrong;
    }
    return list.empty() ? "names no policy: give one of " + known_policies() : std::string();
  };
  return command.add_option_function<std::vector<std::string>>("--policy", assign, help)
      ->check(check)
      ->allow_extra_args(false);
}

void add_restrict(CLI::App& command, std::string& restrictions) {
  const RuntimeOption& option = *option_of("restrict");
  const auto check = [&option](const std::string& text) -> std::string {
    if (std::string wrong = check_runtime_option(option, text); !wrong.empty()) return wrong;
    std::set<std::string> known;
    for (const auto& entry : kernels::tile_kernels<double>()) {
      known.insert((kernels::codelets<double>().*entry.codelet).name());
    }
    for (const auto tasks : {kernels::SuperTasks::whole, kernels::SuperTasks::pieces}) {
      const auto& super = kernels::super_block_codelets<double>(tasks);
      for (const Codelet* codelet : {&super.factorize, &super.solve_upper, &super.solve_lower, &super.multiply}) {
        known.insert(codelet->name());
      }
    }
    for (const auto& [name, devices] : parse_restrictions(text).value_or_throw()) {
      if (!known.contains(name))
        return fmt::format("no kernel is called '{}'; known are {}", name, fmt::join(known, ", "));
    }
    return {};
  };
  add_text_list(command, option.flag(), restrictions, ';', option.help())->check(check);
}

CLI::Option* add_seed(CLI::App& command, std::uint64_t& seed, const std::string& help) {
  return add_number(command, "--seed", seed, 0, std::numeric_limits<std::uint64_t>::max(), help);
}

namespace {

void say_warnings(RuntimeOptions& options) {
  options.observation.on_warning = [](const std::string& what) { say(fmt::format("troupe: warning: {}\n", what)); };
}

}  // namespace

void add_program_options(CLI::App& command, RuntimeOptions& options) {
  say_warnings(options);
  add_restrict(command, options.placement.restrict);
  CLI::Option* const policy = add_runtime_option(command, "policy", options);
  policy->description(policy->get_description() + "; known are " + known_policies());
  add_model_options(command, options);
  for (const OptionGroup group : {OptionGroup::machine, OptionGroup::tasks, OptionGroup::accelerators}) {
    add_runtime_options(command, group, options);
  }
}

void add_model_options(CLI::App& command, RuntimeOptions& options) {
  options.placement.models = default_model_folder();
  say_warnings(options);
  const auto assign = [&options](const RuntimeOptions& given) {
    options.placement.models = model_folder_of(given.placement.models);
  };
  add_runtime_option(command, "models", assign)
      ->default_str(options.placement.models.empty() ? "none" : options.placement.models);
}

void refuse_ignored_models(const CLI::App& command, const RuntimeOptions& options) {
  const auto policy = scheduler::make_policy(options.policy, {}, uses_accelerators(options));
  // `--models none` is allowed even if the policy learns nothing.
  const bool none = command.count("--models") > 0 && command.get_option("--models")->results().back() == "none";
  const bool learns = none || options.clusters == kAutomaticClusters || !policy || policy.value().placing;
  refuse_ignored(command, "--models", learns,
                 fmt::format("policies that learn kernel times, such as heft, and --clusters auto; policy {} does not",
                             policy ? policy.value().name : options.policy));
}

void add_observation_options(CLI::App& command, RuntimeOptions& options, bool& metrics) {
  command.add_flag("--metrics", metrics, "Print every actor's mailbox figures");
  add_runtime_option(command, "why_after", [&options](const RuntimeOptions& given) {
    options.observation.why_after = given.observation.why_after;
    options.observation.on_stall = [](const WhyReport& report) { say("troupe: stalled\n" + report.to_text()); };
  });
}

namespace {

/// The bytes that the runtime keeps for each tile: its registration, its name and the overhead of the allocator.
constexpr double kBytesPerTile = 640;

double tile_count(std::int64_t size, std::int64_t tile) {
  return static_cast<double>(size / tile + (size % tile != 0 ? 1 : 0));
}

std::int64_t tile_rows_of(const MemoryNeed& need) {
  const linalg::FactorizationOptions& options = need.factorization;
  return options.tile_rows > 0 ? options.tile_rows : linalg::default_tile_rows(need.cols, options.tile, need.workers);
}

double tile_count(const MemoryNeed& need) {
  return tile_count(need.rows, tile_rows_of(need)) * tile_count(need.cols, need.factorization.tile);
}

/// Returns the bytes that a factorization needs in addition to the dense matrix, which it overwrites with the factors:
/// records of the tiles and, for QR, the triangular factors of the tiles' reflectors and a copy of the reflectors of
/// the diagonal tiles.
double bytes_of_factors(const MemoryNeed& need) {
  const double tiles = tile_count(need) * kBytesPerTile;
  if (need.factorization.application != linalg::Application::qr) return tiles;
  const auto cols = static_cast<double>(need.cols);
  const auto edge = static_cast<double>(std::min(need.factorization.tile, need.cols));
  const std::int64_t tile_rows = tile_rows_of(need);
  const std::int64_t chosen = need.factorization.inner > 0 ? need.factorization.inner
                                                           : linalg::default_inner(tile_rows, need.factorization.tile);
  const double inner = std::min(static_cast<double>(chosen), edge);
  const double elements =
      tile_count(need.rows, tile_rows) * inner * cols + static_cast<double>(std::min(tile_rows, need.rows)) * cols;
  return elements * static_cast<double>(need.element_bytes) + 2 * tiles;
}

std::string readable(double bytes) {
  return bytes < 0x1p63 ? traces::human_bytes({static_cast<std::uint64_t>(bytes)}) : "more than 8 EiB";
}

}  // namespace

platform::Topology usable_cores(const RuntimeOptions& options) {
  platform::TopologyOptions topology;
  topology.cores = options.cores;
  topology.use_hyperthreads = options.threads.hyperthreads;
  topology.restrict_to = options.threads.cpus;
  return platform::Topology::discover(topology).value_or_throw();
}

std::size_t most_workers(const RuntimeOptions& options) {
  return static_cast<std::size_t>(
      options.cores > 0 ? options.cores : std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
}

void require_memory(const MemoryNeed& need) {
  const platform::HostMemory memory = platform::read_host_memory();
  const double matrix = static_cast<double>(need.rows) * static_cast<double>(need.cols + need.right_hand_sides) *
                        static_cast<double>(need.element_bytes);
  const double total = matrix * (need.dense_copies + need.tiled_copies) + bytes_of_factors(need) +
                       tile_count(need) * kBytesPerTile * need.tiled_copies;
  if (total <= static_cast<double>(memory.available.count)) return;
  throw Error(ErrorCode::bad_input,
              "a dense matrix of " + std::to_string(need.rows) + " x " + std::to_string(need.cols) + " in tiles of " +
                  std::to_string(need.factorization.tile) +
                  (need.right_hand_sides > 1 ? " with " + std::to_string(need.right_hand_sides) + " right-hand sides"
                                             : std::string()) +
                  " needs " + readable(total) + " of memory, copies included, but only " +
                  traces::human_bytes(memory.available) + " are available (" + memory.limited_by +
                  "): use a smaller matrix, larger tiles, --precision float, or a larger machine");
}

std::string check_file_name(const std::string& name) { return name.empty() ? "the file's name is empty" : ""; }

void check_output_path(const std::string& path) {
  if (const auto writable = platform::check_writable(path); !writable) {
    throw Error(ErrorCode::bad_input, writable.failure().message);
  }
}

}  // namespace troupe::apps
