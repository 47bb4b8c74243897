#include "apps/models/machine_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "platform/machine/cpu_set.hpp"
#include "proto/json/json.hpp"
#include "traces/text/human.hpp"
#include "traces/text/table.hpp"

namespace troupe::apps {
namespace {

using platform::DescribedGpu;
using platform::DescribedLink;
using platform::DescribedRoute;
using platform::KernelTime;
using platform::KernelTimes;
using platform::MachineDescription;

constexpr std::size_t kIndent = 2;

std::string node_name(std::size_t node) { return node == 0 ? "host" : fmt::format("gpu{}", node - 1); }

double microseconds(Duration duration) { return static_cast<double>(duration.count()) / 1e3; }

std::string gigabytes_per_s(double mb_per_s) { return fmt::format("{:.4g}", mb_per_s / 1e3); }

std::string gpu_table(const MachineDescription& machine) {
  traces::Table table({"GPU", "model", ">memory", "nearest cores"});
  for (std::size_t gpu = 0; gpu < machine.gpus.size(); ++gpu) {
    const DescribedGpu& described = machine.gpus[gpu];
    const std::vector<int>& near = described.near_cores;
    table.add_row({node_name(gpu + 1), described.model, traces::human_bytes(described.memory),
                   near.empty() ? "not said" : platform::to_string(near)});
  }
  return table.text(kIndent);
}

std::string link_table(const MachineDescription& machine) {
  traces::Table table({"link", ">GB/s"});
  for (const DescribedLink& link : machine.links) table.add_row({link.name, gigabytes_per_s(link.bandwidth_mb_per_s)});
  return table.text(kIndent);
}

/// Returns a matrix of routes: one row for each source node of copies, one column for each target node.
std::string route_matrix(const MachineDescription& machine,
                         const std::function<std::string(const DescribedRoute&)>& cell) {
  std::vector<std::string> columns{"from \\ to"};
  for (std::size_t to = 0; to < machine.node_count(); ++to) columns.push_back(">" + node_name(to));
  traces::Table table(std::move(columns));
  for (std::size_t from = 0; from < machine.node_count(); ++from) {
    std::vector<std::string> cells{node_name(from)};
    for (std::size_t to = 0; to < machine.node_count(); ++to) {
      cells.push_back(from == to ? "-" : cell(machine.route(from, to)));
    }
    table.add_row(std::move(cells));
  }
  return table.text(kIndent);
}

std::string transfer_text(const MachineDescription& machine) {
  std::string text = "\nLinks (what all copies across one share)\n" + link_table(machine);
  text += "\nOne copy alone, GB/s\n" +
          route_matrix(machine, [](const DescribedRoute& route) { return gigabytes_per_s(route.bandwidth_mb_per_s); });
  text += "\nLatency of a copy, us\n" + route_matrix(machine, [](const DescribedRoute& route) {
            return fmt::format("{:.4g}", microseconds(route.latency));
          });
  return text;
}

/// Returns the speed of GPUs relative to one core by tile, such as "19.7 at 320, 30.1 at 640".
std::string speed_ups(const MachineDescription& machine, const KernelTimes& kernel) {
  if (!kernel.on_gpus()) return "runs on cores only";
  if (!kernel.on_cpu()) return "runs on GPUs only";
  std::string text;
  for (const double edge : kernel.edges()) {
    text += fmt::format("{}{:.3g} at {:g}", text.empty() ? "" : ", ", *gpu_over_core(machine, kernel, edge), edge);
  }
  return text;
}

/// Returns the speed of clusters relative to one core, by cores and tile, such as "10: 7.77 at 960, 8.56 at 1920".
std::string cluster_speed_ups(const KernelTimes& kernel) {
  std::string text;
  for (const int cores : kernel.core_counts()) {
    if (cores == 1) continue;
    text += fmt::format("{}{}: ", text.empty() ? "" : "; ", cores);
    for (const double edge : kernel.edges()) {
      const double faster = kernel.cpu(edge).mean_us / kernel.cluster(cores, edge).mean_us;
      text += fmt::format("{}{:.3g} at {:g}", text.ends_with(": ") ? "" : ", ", faster, edge);
    }
  }
  return text.empty() ? "-" : text;
}

/// Returns the name of the precision that options and other outputs use.
std::string precision_of(const KernelTimes& kernel) {
  return kernel.precision() == "single" ? "float" : kernel.precision();
}

std::string kernel_table(const MachineDescription& machine) {
  const bool gpus = !machine.gpus.empty();
  const bool clusters = std::ranges::any_of(machine.kernels, &KernelTimes::on_clusters);
  std::vector<std::string> columns{"application", "kernel", "precision", "tiles"};
  if (gpus) columns.emplace_back("times as fast as one core");
  if (clusters) columns.emplace_back("clusters of so many cores");
  traces::Table table(std::move(columns));
  for (const KernelTimes& kernel : machine.kernels) {
    std::string tiles;
    for (const double edge : kernel.edges()) tiles += fmt::format("{}{:g}", tiles.empty() ? "" : " ", edge);
    std::vector<std::string> cells{kernel.application(), kernel.kernel(), precision_of(kernel), tiles};
    if (gpus) cells.push_back(speed_ups(machine, kernel));
    if (clusters) cells.push_back(cluster_speed_ups(kernel));
    table.add_row(std::move(cells));
  }
  return table.text(kIndent);
}

Json matrix_json(const MachineDescription& machine, const std::function<double(const DescribedRoute&)>& value) {
  Json matrix = Json::array();
  for (std::size_t from = 0; from < machine.node_count(); ++from) {
    Json row = Json::array();
    for (std::size_t to = 0; to < machine.node_count(); ++to) {
      row.push_back(from == to ? 0.0 : value(machine.route(from, to)));
    }
    matrix.push_back(std::move(row));
  }
  return matrix;
}

Json routes_json(const MachineDescription& machine) {
  Json routes = Json::array();
  for (std::size_t from = 0; from < machine.node_count(); ++from) {
    for (std::size_t to = 0; to < machine.node_count(); ++to) {
      if (from == to) continue;
      Json links = Json::array();
      for (const std::uint32_t link : machine.route(from, to).links) links.push_back(machine.links[link].name);
      routes.push_back({{"from", node_name(from)}, {"to", node_name(to)}, {"links", std::move(links)}});
    }
  }
  return routes;
}

Json time_json(const KernelTime& time) { return {{"mean_us", time.mean_us}, {"deviation_us", time.deviation_us}}; }

Json kernel_json(const MachineDescription& machine, const KernelTimes& kernel) {
  Json json{{"app", kernel.application()},
            {"kernel", kernel.kernel()},
            {"precision", precision_of(kernel)},
            {"flops_per_cube", kernel.flops_per_cube()},
            {"tiles", Json::array()}};
  for (const double edge : kernel.edges()) {
    Json tile{{"tile", edge}};
    if (kernel.on_cpu()) tile["cpu_us"] = time_json(kernel.cpu(edge));
    for (const int cores : kernel.core_counts()) {
      if (cores == 1) continue;
      Json time = time_json(kernel.cluster(cores, edge));
      time["cores"] = cores;
      tile["cluster_us"].push_back(std::move(time));
    }
    for (std::size_t gpu = 0; kernel.on_gpus() && gpu < machine.gpus.size(); ++gpu) {
      Json time = time_json(kernel.gpu(gpu, edge));
      time["gpu"] = gpu;
      tile["gpu_us"].push_back(std::move(time));
    }
    if (const auto ratio = gpu_over_core(machine, kernel, edge)) tile["gpu_over_core"] = *ratio;
    json["tiles"].push_back(std::move(tile));
  }
  return json;
}

}  // namespace

std::optional<double> gpu_over_core(const MachineDescription& machine, const KernelTimes& kernel, double edge) {
  if (!kernel.on_cpu() || !kernel.on_gpus()) return std::nullopt;
  double gpus_us = 0;
  for (std::size_t gpu = 0; gpu < machine.gpus.size(); ++gpu) gpus_us += kernel.gpu(gpu, edge).mean_us;
  return kernel.cpu(edge).mean_us * static_cast<double>(machine.gpus.size()) / gpus_us;
}

std::string machine_text(const MachineDescription& machine) {
  std::string text = machine.name + '\n';
  if (!machine.description.empty()) text += fmt::format("  {}\n", machine.description);
  if (!machine.source.empty()) text += fmt::format("  Source: {}\n", machine.source);
  text += fmt::format("\nCores: {} in {} socket(s){}\n", machine.cores, machine.sockets,
                      machine.cpu_model.empty() ? "" : ", " + machine.cpu_model);
  if (machine.gpus.empty()) {
    text += "GPUs: none\n";
  } else {
    text += "\nGPUs\n" + gpu_table(machine) + transfer_text(machine);
  }
  return text + "\nKernels\n" + kernel_table(machine);
}

Json machine_json(const MachineDescription& machine) {
  Json json{{"platform", machine.name},     {"description", machine.description},
            {"source", machine.source},     {"cpu", machine.cpu_model},
            {"cores", machine.cores},       {"sockets", machine.sockets},
            {"gpu_devices", Json::array()}, {"links", Json::array()},
            {"kernels", Json::array()}};
  for (std::size_t gpu = 0; gpu < machine.gpus.size(); ++gpu) {
    const DescribedGpu& described = machine.gpus[gpu];
    json["gpu_devices"].push_back({{"gpu", gpu},
                                   {"model", described.model},
                                   {"memory_bytes", described.memory.count},
                                   {"near_cores", described.near_cores},
                                   {"launch_us", microseconds(described.launch)},
                                   {"notice_us", microseconds(described.notice)}});
  }
  for (const DescribedLink& link : machine.links) {
    json["links"].push_back({{"name", link.name},
                             {"bandwidth_mb_per_s", link.bandwidth_mb_per_s},
                             {"latency_us", microseconds(link.latency)}});
  }
  json["bandwidth_matrix_mb_per_s"] =
      matrix_json(machine, [](const DescribedRoute& route) { return route.bandwidth_mb_per_s; });
  json["latency_matrix_us"] =
      matrix_json(machine, [](const DescribedRoute& route) { return microseconds(route.latency); });
  json["routes"] = routes_json(machine);
  for (const KernelTimes& kernel : machine.kernels) json["kernels"].push_back(kernel_json(machine, kernel));
  return json;
}

}  // namespace troupe::apps
