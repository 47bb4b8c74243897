/// `troupe info`: what this machine offers, and what of it may be used; or a described machine.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "actors/scheduler/policy.hpp"
#include "apps/command_line.hpp"
#include "apps/common_arguments.hpp"
#include "apps/human.hpp"
#include "apps/kept_models.hpp"
#include "apps/machine_summary.hpp"
#include "apps/run_summary.hpp"
#include "client/runtime.hpp"
#include "platform/machine_description.hpp"
#include "platform/topology.hpp"

namespace troupe::apps {

namespace {

using platform::Topology;

nlohmann::json to_json(const Topology& topology) {
  const platform::Machine& machine = topology.machine;
  nlohmann::json json{{"cpu", machine.cpu_model},
                      {"packages", machine.packages},
                      {"cores", machine.cores},
                      {"processing_units", machine.pus.size()},
                      {"usable_cores", topology.cores.size()},
                      {"bindable", topology.bindable},
                      {"limits", topology.limits},
                      {"memory_total_bytes", topology.memory.total.count},
                      {"memory_available_bytes", topology.memory.available.count}};
  for (const platform::CacheLevel& cache : machine.caches) {
    json["caches"].push_back({{"level", cache.level},
                              {"bytes", cache.size.count},
                              {"count", cache.count},
                              {"processing_units_each", cache.pus_each}});
  }
  for (const platform::NumaNode& node : machine.numa_nodes) {
    json["memory_nodes"].push_back({{"kind", "host"}, {"os_index", node.os_index}, {"bytes", node.memory.count}});
  }
  for (std::size_t i = 0; i < topology.cores.size(); ++i) {
    const platform::Core& core = topology.cores[i];
    json["workers"].push_back({{"worker", i},
                               {"processing_unit", core.pu},
                               {"package", core.package},
                               {"numa_node", core.numa_node},
                               {"victims", topology.victim_order(static_cast<int>(i))}});
  }
  for (const scheduler::PolicyDescription& policy : scheduler::known_policies()) {
    json["policies"].push_back({{"name", policy.name}, {"summary", policy.summary}});
  }
  json["models"] = models_json(default_model_folder(), machine);
  return json;
}

std::string listed(const std::vector<std::vector<int>>& rings) {
  std::string text;
  for (const std::vector<int>& ring : rings)
    text += fmt::format("{}{{{}}}", text.empty() ? "" : " ", fmt::join(ring, " "));
  return text.empty() ? "none" : text;
}

void print_text(const Topology& topology) {
  const platform::Machine& machine = topology.machine;
  fmt::print("{}\n", machine.cpu_model.empty() ? "unknown processor" : machine.cpu_model);
  fmt::print("  {} package(s), {} cores, {} processing units\n", machine.packages, machine.cores, machine.pus.size());
  for (const platform::CacheLevel& cache : machine.caches) {
    fmt::print("  L{} cache: {} x {}, each for {} processing unit(s)\n", cache.level, cache.count,
               human_bytes(cache.size), cache.pus_each);
  }
  fmt::print("\nMemory nodes\n");
  for (const platform::NumaNode& node : machine.numa_nodes) {
    fmt::print("  host memory, NUMA node {}: {}\n", node.os_index, human_bytes(node.memory));
  }
  fmt::print("  available now: {} ({})\n", human_bytes(topology.memory.available), topology.memory.limited_by);
  fmt::print("\nWorkers: {} of {} cores\n", topology.cores.size(), machine.cores);
  for (std::size_t i = 0; i < topology.cores.size(); ++i) {
    const platform::Core& core = topology.cores[i];
    fmt::print("  worker {}: processing unit {}, package {}, NUMA node {}; asks for work: {}\n", i, core.pu,
               core.package, core.numa_node, listed(topology.victim_order(static_cast<int>(i))));
  }
  fmt::print("  {}\n", topology.bindable ? "each is bound to its core" : "not bound: " + topology.unbindable_because);
  for (const std::string& limit : topology.limits) fmt::print("  limit: {}\n", limit);
  fmt::print("\nGPUs: none used by this version\n\nPolicies\n");
  for (const scheduler::PolicyDescription& policy : scheduler::known_policies()) {
    fmt::print("  {:<6} {}\n", policy.name, policy.summary);
  }
  fmt::print("\nKernel times that placing policies have learned\n{}", models_text(default_model_folder(), machine));
}

int info(bool json, int cores) {
  platform::TopologyOptions options;
  options.cores = cores;
  const Topology topology = Topology::discover(options).value_or_throw();
  if (json) {
    fmt::print("{}\n", as_text(to_json(topology)));
  } else {
    print_text(topology);
  }
  return kSuccess;
}

int info_on_platform(bool json, const std::string& platform) {
  const platform::MachineDescription machine = usable(platform::load_machine(platform));
  fmt::print("{}", json ? as_text(machine_json(machine)) + '\n' : machine_text(machine));
  return kSuccess;
}

}  // namespace

void add_info_command(CLI::App& application, Command& chosen) {
  struct Arguments {
    bool json = false;
    int cores = 0;
    std::string platform;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      application.add_subcommand("info", "Show the cores, memory and limits of this machine, or a described one");
  CLI::Option* cores =
      command->add_option("--cores", arguments->cores, "Show what a runtime on this many cores would take");
  cores->check(CLI::Range(1, 1 << 20));
  const std::string known = fmt::format("Show a described machine instead: one of {}, or the path of a file",
                                        fmt::join(platform::known_machines(), ", "));
  CLI::Option* platform = command->add_option("--platform", arguments->platform, known);
  platform->type_name("NAME|FILE")->excludes(cores);
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->callback([arguments, platform, &chosen] {
    chosen = [arguments, described = !platform->empty()] {
      return described ? info_on_platform(arguments->json, arguments->platform)
                       : info(arguments->json, arguments->cores);
    };
  });
}

}  // namespace troupe::apps
