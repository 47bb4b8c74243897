/// `troupe info`: describes this machine and the cores that this process may use, or a machine from a file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "actors/scheduler/models/history_file.hpp"
#include "actors/scheduler/policy.hpp"
#include "apps/arguments/common_arguments.hpp"
#include "apps/command_line.hpp"
#include "apps/commands/opencl_section.hpp"
#include "apps/models/kept_links.hpp"
#include "apps/models/kept_models.hpp"
#include "apps/models/machine_summary.hpp"
#include "apps/run/remarks.hpp"
#include "apps/run/run_summary.hpp"
#include "apps/terminal/standard_error.hpp"
#include "client/environment/environment.hpp"
#include "kernels/checks/catalogue.hpp"
#include "platform/cuda/cuda_devices.hpp"
#include "platform/machine/cluster_candidates.hpp"
#include "platform/machine/cluster_plan.hpp"
#include "platform/machine/topology.hpp"
#include "proto/json/json.hpp"
#include "traces/text/human.hpp"
#include "traces/text/table.hpp"
#include "troupe/machine.hpp"
#include "troupe/runtime.hpp"
#include "troupe/version.hpp"

namespace troupe::apps {

namespace {

using platform::Topology;

Json version_json() {
  const Version& v = version();
  return {{"version", v.number},        {"commit", v.commit},   {"compiler", v.compiler},
          {"build_type", v.build_type}, {"service", v.service}, {"cuda", v.cuda},
          {"opencl", v.opencl},         {"python", v.python},   {"sanitizers", v.sanitizers}};
}

/// Adds the GPUs as devices. `troupe info` also lists their memories as memory nodes.
void add_gpus(Json& json) {
  json["gpu_devices"] = Json::array();
  const auto gpus = platform::list_cuda_devices();
  if (!gpus) {
    json["no_gpus_because"] = gpus.failure().message;
    return;
  }
  for (const platform::CudaDeviceInfo& gpu : gpus.value()) {
    json["gpu_devices"].push_back({{"index", gpu.index},
                                   {"name", gpu.name},
                                   {"memory_bytes", gpu.memory.count},
                                   {"compute_capability", fmt::format("{}.{}", gpu.major, gpu.minor)},
                                   {"multiprocessors", gpu.multiprocessors},
                                   {"bus", gpu.bus_id},
                                   {"numa_node", gpu.numa_node}});
    json["memory_nodes"].push_back({{"kind", "gpu"}, {"gpu", gpu.index}, {"bytes", gpu.memory.count}});
  }
}

/// Returns the environment variables that runtimes read, with a remark on each variable that has no effect.
Json environment_json() {
  Json json = Json::array();
  for (const client::SetVariable& variable : client::set_variables()) {
    json.push_back({{"name", variable.name}, {"setting", variable.value}});
    if (!variable.remark.empty()) json.back()["remark"] = variable.remark;
  }
  return json;
}

void print_environment() {
  const std::vector<client::SetVariable> variables = client::set_variables();
  if (variables.empty()) return;
  fmt::print("\nEnvironment (docs/environment.md)\n");
  for (const client::SetVariable& variable : variables) {
    fmt::print("  {}={}{}\n", variable.name, variable.value, variable.remark.empty() ? "" : "    " + variable.remark);
  }
}

int count_cores(const Topology& topology) {
  int cores = 0;
  for (const platform::Core& core : topology.cores) cores += core.size();
  return cores;
}

/// A runtime's cores, and the clusters that they can form at each level of the machine.
struct Plan {
  Topology topology;
  std::vector<platform::ClusterLevel> levels;
  /// The clusters from which `auto` chooses; filled only if the user requests them.
  std::vector<std::string> candidates = {};
};

Json to_json(const Plan& plan) {
  const Topology& topology = plan.topology;
  const platform::Machine& machine = topology.machine;
  Json json{{"cpu", machine.cpu_model},
            {"packages", machine.packages},
            {"cores", machine.cores},
            {"processing_units", machine.pus.size()},
            {"usable_cores", count_cores(topology)},
            {"bindable", topology.bindable},
            {"limits", topology.limits},
            {"memory_total_bytes", topology.memory.total.count},
            {"memory_available_bytes", topology.memory.available.count}};
  // Virtual machines may tell of no cache.
  json["caches"] = Json::array();
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
                               {"device", platform::worker_name(core)},
                               {"cores", core.size()},
                               {"processing_unit", core.pu},
                               {"helper_processing_units", core.helper_pus},
                               {"package", core.package},
                               {"numa_node", core.numa_node},
                               {"victims", topology.victim_order(static_cast<int>(i))}});
  }
  json["cluster_levels"] = Json::object();
  for (const platform::ClusterLevel& level : plan.levels) json["cluster_levels"][level.name] = level.clusters;
  if (!plan.candidates.empty()) json["automatic_clusters"] = plan.candidates;
  for (const scheduler::PolicyDescription& policy : scheduler::known_policies()) {
    json["policies"].push_back({{"name", policy.name}, {"summary", policy.summary}});
  }
  add_gpus(json);
  add_opencl(json);
  json["environment"] = environment_json();
  json["models"] = models_json(default_model_folder(), machine);
  json["troupe"] = version_json();
  return json;
}

std::string listed(const std::vector<std::vector<int>>& rings) {
  std::string text;
  for (const std::vector<int>& ring : rings)
    text += fmt::format("{}{{{}}}", text.empty() ? "" : " ", fmt::join(ring, " "));
  return text.empty() ? "none" : text;
}

void print_gpus() {
  const auto gpus = platform::list_cuda_devices();
  if (!gpus) {
    fmt::print("\nGPUs: none that could be used: {}\n", gpus.failure().message);
    return;
  }
  fmt::print("\nGPUs\n");
  for (const platform::CudaDeviceInfo& gpu : gpus.value()) {
    fmt::print("  GPU {}: {}, {}, compute capability {}.{}, {} multiprocessors, bus {}{}\n", gpu.index, gpu.name,
               traces::human_bytes(gpu.memory), gpu.major, gpu.minor, gpu.multiprocessors, gpu.bus_id,
               gpu.numa_node >= 0 ? fmt::format(", NUMA node {}", gpu.numa_node) : "");
  }
}

void print_links(const std::string& folder, const platform::Machine& machine) {
  if (folder.empty()) return;
  const std::string key = scheduler::machine_key(machine);
  const auto links = read_links(links_path(folder, key), key);
  if (!links) {
    fmt::print("\nLinks\n  {}\n", links.failure().message);
    return;
  }
  if (links.value().empty()) return;
  fmt::print("\nLinks, as measured\n");
  for (const auto& [pair, speed] : links.value()) {
    fmt::print("  {} to {}: {:.4g} GB/s after {}\n", pair.first, pair.second, speed.bytes_per_s / 1e9,
               traces::human_seconds(seconds(speed.latency)));
  }
}

void print_workers(const Plan& plan) {
  const Topology& topology = plan.topology;
  fmt::print("\nWorkers: {} of {}\n", count_cores(topology),
             counted(static_cast<std::uint64_t>(topology.machine.cores), "core"));
  for (std::size_t i = 0; i < topology.cores.size(); ++i) {
    const platform::Core& core = topology.cores[i];
    const std::string where =
        core.size() > 1 ? platform::worker_name(core) : fmt::format("processing unit {}", core.pu);
    fmt::print("  worker {}: {}, package {}, NUMA node {}; asks for work: {}\n", i, where, core.package, core.numa_node,
               listed(topology.victim_order(static_cast<int>(i))));
  }
  fmt::print("  {}\n", topology.bindable ? "each is bound to its core" : "not bound: " + topology.unbindable_because);
  for (const std::string& limit : topology.limits) fmt::print("  limit: {}\n", limit);
  std::string levels;
  for (const platform::ClusterLevel& level : plan.levels) {
    levels += fmt::format("{}{} ({})", levels.empty() ? "" : ", ", level.name, level.clusters);
  }
  if (!levels.empty()) fmt::print("  clusters that --clusters can form by level: {}\n", levels);
  if (!plan.candidates.empty()) fmt::print("  clusters that auto chooses from: {}\n", fmt::join(plan.candidates, ", "));
}

void print_text(const Plan& plan) {
  const Topology& topology = plan.topology;
  const platform::Machine& machine = topology.machine;
  fmt::print("{}\n", machine.cpu_model.empty() ? "unknown processor" : machine.cpu_model);
  fmt::print("  {}, {}, {}\n", counted(static_cast<std::uint64_t>(machine.packages), "package"),
             counted(static_cast<std::uint64_t>(machine.cores), "core"),
             counted(machine.pus.size(), "processing unit"));
  for (const platform::CacheLevel& cache : machine.caches) {
    fmt::print("  L{} cache: {} x {}, each for {} processing unit(s)\n", cache.level, cache.count,
               traces::human_bytes(cache.size), cache.pus_each);
  }
  fmt::print("\nMemory nodes\n");
  for (const platform::NumaNode& node : machine.numa_nodes) {
    fmt::print("  host memory, NUMA node {}: {}\n", node.os_index, traces::human_bytes(node.memory));
  }
  fmt::print("  available now: {} ({})\n", traces::human_bytes(topology.memory.available), topology.memory.limited_by);
  print_workers(plan);
  print_gpus();
  fmt::print("\n{}", opencl_text());
  fmt::print("\nPolicies\n");
  for (const scheduler::PolicyDescription& policy : scheduler::known_policies()) {
    fmt::print("  {:<11} {}\n", policy.name, policy.summary);
  }
  print_environment();
  print_links(default_model_folder(), machine);
  fmt::print("\nKernel times that placing policies have learned\n{}", models_text(default_model_folder(), machine));
}

int info(bool json, int cores, const std::string& clusters) {
  platform::TopologyOptions options;
  options.cores = cores;
  Plan plan{Topology::discover(options).value_or_throw(), {}};
  plan.levels = platform::cluster_levels(plan.topology.cores, plan.topology.machine);
  if (clusters == kAutomaticClusters) {
    for (const auto& one : platform::cluster_candidates(plan.topology.cores, plan.topology.machine)) {
      plan.candidates.push_back(one.workers);
    }
  } else {
    plan.topology.form_clusters(clusters).value_or_throw();
  }
  for (const std::string& warning : plan.topology.warnings) say(fmt::format("troupe: warning: {}\n", warning));
  remark_on_blas_kernels();
  if (json) {
    fmt::print("{}\n", as_text(to_json(plan)));
  } else {
    print_text(plan);
  }
  return kSuccess;
}

const char* to_string(ViewShape shape) {
  switch (shape) {
    case ViewShape::scalar: return "scalar";
    case ViewShape::vector: return "vector";
    case ViewShape::matrix: return "matrix";
    case ViewShape::volume: return "volume";
    case ViewShape::any: break;
  }
  return "any";
}

Json to_json(const kernels::CatalogueEntry& entry) {
  Json json{
      {"name", entry.name}, {"description", entry.description}, {"data", Json::array()}, {"arguments", Json::array()}};
  for (const kernels::CatalogueData& data : entry.data) {
    json["data"].push_back({{"name", data.name},
                            {"mode", troupe::to_string(data.mode)},
                            {"shape", to_string(data.shape)},
                            {"element", data.element},
                            {"repeated", data.repeated}});
  }
  for (const kernels::CatalogueArgument& argument : entry.arguments) {
    json["arguments"].push_back({{"name", argument.name}, {"type", argument.type}});
  }
  return json;
}

/// Returns the data parameters of a kernel, such as "A read, C... read_write".
std::string data_text(const kernels::CatalogueEntry& entry) {
  std::string text;
  for (const kernels::CatalogueData& data : entry.data) {
    text += fmt::format("{}{}{} {}", text.empty() ? "" : ", ", data.name, data.repeated ? "..." : "",
                        troupe::to_string(data.mode));
  }
  return text;
}

/// Returns the value arguments of a kernel, such as "offset int64, first int64".
std::string arguments_text(const kernels::CatalogueEntry& entry) {
  std::string text;
  for (const kernels::CatalogueArgument& argument : entry.arguments) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", argument.name, argument.type);
  }
  return text;
}

int list_kernels(bool json) {
  Json list = Json::array();
  traces::Table table({"name", "data and access modes", "arguments", "what it does"});
  for (const kernels::CatalogueEntry& entry : kernels::catalogue()) {
    list.push_back(to_json(entry));
    table.add_row({entry.name, data_text(entry), arguments_text(entry), entry.description});
  }
  fmt::print("{}", json ? as_text({{"kernels", list}}) + '\n' : table.text());
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
    bool kernels = false;
    int cores = 0;
    std::string clusters;
    std::string platform;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      application.add_subcommand("info", "Show the cores, memory and limits of this machine, or a described one");
  CLI::Option* cores = add_cores(*command, arguments->cores, "Show what a runtime on this many cores would take");
  CLI::Option* clusters = add_clusters(*command, arguments->clusters);
  clusters->description(
      "Show which workers these clusters of cores would make: 2x10, 1x16+4x1, socket, numa or l3; or, of auto, what it "
      "chooses from");
  const std::string known = fmt::format("Show a described machine instead: one of {}, or the path of a file",
                                        fmt::join(platform::known_machines(), ", "));
  CLI::Option* platform = command->add_option("--platform", arguments->platform, known);
  platform->type_name("NAME|FILE")->excludes(cores)->excludes(clusters);
  command
      ->add_flag("--kernels", arguments->kernels,
                 "List the built-in codelets by the names that a service knows them by, with their access modes and "
                 "arguments")
      ->excludes(cores)
      ->excludes(clusters)
      ->excludes(platform);
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->callback([arguments, platform, &chosen] {
    chosen = [arguments, described = !platform->empty()] {
      if (arguments->kernels) return list_kernels(arguments->json);
      return described ? info_on_platform(arguments->json, arguments->platform)
                       : info(arguments->json, arguments->cores, arguments->clusters);
    };
  });
}

}  // namespace troupe::apps
