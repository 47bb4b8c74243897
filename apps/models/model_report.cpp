#include "apps/models/model_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "actors/scheduler/models/history_file.hpp"
#include "proto/json/json.hpp"
#include "traces/text/human.hpp"
#include "traces/text/table.hpp"

namespace troupe::apps {

namespace {

using scheduler::KernelHistory;
using scheduler::KernelKey;
using scheduler::PowerLaw;

/// Returns the shapes by size; equal sizes are in the order of their hash.
std::vector<KernelHistory::Shape> by_size(const KernelHistory& kernel) {
  std::vector<KernelHistory::Shape> shapes;
  for (const auto& [hash, shape] : kernel.shapes()) {
    if (shape.times.count() > 0) shapes.push_back(shape);
  }
  std::stable_sort(shapes.begin(), shapes.end(), [](const auto& a, const auto& b) { return a.size < b.size; });
  return shapes;
}

double gflops(const KernelKey& key, const KernelHistory::Shape& shape) {
  return key.in_flops && shape.times.mean_s() > 0 ? shape.size / shape.times.mean_s() * 1e-9 : 0;
}

std::string size_text(const KernelKey& key, double size) {
  if (!key.in_flops) return traces::human_bytes({static_cast<std::uint64_t>(size)});
  return size >= 1e9 ? fmt::format("{:.4g} GFlop", size / 1e9) : fmt::format("{:.4g} MFlop", size / 1e6);
}

std::string times_table(const KeptModels& models, const std::vector<std::string>& kernels) {
  traces::Table table({"kernel", "device", "element", ">size", ">tasks", ">mean", ">deviation", ">GFlop/s"});
  for (const auto& [key, kernel] : models.history.kernels()) {
    if (!is_chosen(key.name, kernels)) continue;
    for (const KernelHistory::Shape& shape : by_size(kernel)) {
      const double rate = gflops(key, shape);
      table.add_row({key.name, to_string(key.device), element_name(key.element_bytes), size_text(key, shape.size),
                     human_count(shape.times.count()), traces::human_seconds(shape.times.mean_s()),
                     traces::human_seconds(shape.times.deviation_s()), rate > 0 ? fmt::format("{:.4g}", rate) : "-"});
    }
  }
  return table.text(2);
}

/// Returns a table of power laws; empty if no kernel has one.
std::string laws_table(const KeptModels& models, const std::vector<std::string>& kernels) {
  traces::Table table({"kernel", "device", "element", "between sizes", "time, s, for a size s"});
  bool any = false;
  for (const auto& [key, kernel] : models.history.kernels()) {
    const std::optional<PowerLaw> law = scheduler::power_law_through(kernel.law().sums());
    if (!law || !is_chosen(key.name, kernels)) continue;
    any = true;
    table.add_row({key.name, to_string(key.device), element_name(key.element_bytes),
                   size_text(key, law->least_size) + " and " + size_text(key, law->most_size),
                   fmt::format("{:.3e} s^{:.3f}", law->factor_s, law->exponent)});
  }
  return any ? table.text(2) : std::string();
}

std::string links_table(const LinkSpeeds& links) {
  traces::Table table({"from", "to", ">latency", ">bandwidth"});
  for (const auto& [pair, speed] : links) {
    table.add_row({pair.first, pair.second, traces::human_seconds(seconds(speed.latency)),
                   fmt::format("{:.4g} GB/s", speed.bytes_per_s / 1e9)});
  }
  return table.text(2);
}

bool any_chosen(const KeptModels& models, const std::vector<std::string>& kernels) {
  const auto& all = models.history.kernels();
  return std::any_of(all.begin(), all.end(), [&](const auto& entry) { return is_chosen(entry.first.name, kernels); });
}

Json kernel_json(const KernelKey& key, const KernelHistory& kernel) {
  Json json{{"kernel", key.name},
            {"kind", to_string(key.device)},
            {"element_bytes", key.element_bytes},
            {"size_in", key.in_flops ? "flops" : "bytes"},
            {"sizes", Json::array()}};
  for (const KernelHistory::Shape& shape : by_size(kernel)) {
    json["sizes"].push_back({{"size", shape.size},
                             {"tasks", shape.times.count()},
                             {"mean_seconds", shape.times.mean_s()},
                             {"deviation_seconds", shape.times.deviation_s()},
                             {"gflops", gflops(key, shape)}});
  }
  if (const std::optional<PowerLaw> law = scheduler::power_law_through(kernel.law().sums())) {
    json["power_law"] = {{"factor_seconds", law->factor_s},
                         {"exponent", law->exponent},
                         {"least_size", law->least_size},
                         {"most_size", law->most_size}};
  }
  return json;
}

}  // namespace

bool is_chosen(const std::string& kernel, const std::vector<std::string>& kernels) {
  return kernels.empty() || std::find(kernels.begin(), kernels.end(), kernel) != kernels.end();
}

std::string element_name(std::uint64_t element_bytes) {
  if (element_bytes == sizeof(double)) return "double";
  return element_bytes == sizeof(float) ? "float" : fmt::format("{} B", element_bytes);
}

KeptModels read_models(const std::string& folder, const std::string& machine_key) {
  KeptModels models;
  models.times_path = scheduler::history_path(folder, machine_key);
  models.links_path = links_path(folder, machine_key);
  auto history = scheduler::read_history(models.times_path, machine_key);
  if (history) {
    models.history = std::move(history).value();
  } else {
    models.warnings.push_back(history.failure().message);
  }
  auto links = read_links(models.links_path, machine_key);
  if (links) {
    models.links = std::move(links).value();
  } else {
    models.warnings.push_back(links.failure().message);
  }
  return models;
}

bool knows(const KeptModels& models, const std::string& kernel) { return any_chosen(models, {kernel}); }

std::string models_table(const KeptModels& models, const std::vector<std::string>& kernels) {
  if (!any_chosen(models, kernels)) {
    return fmt::format(
        "No kernel times are kept in {}: `troupe model calibrate` measures them, and every run under a placing policy "
        "learns\n",
        models.times_path);
  }
  std::string text = fmt::format("Kernel times in {}\n{}", models.times_path, times_table(models, kernels));
  const std::string laws = laws_table(models, kernels);
  if (!laws.empty()) text += "\nBetween sizes that were measured\n" + laws;
  if (!models.links.empty()) text += fmt::format("\nLinks in {}\n{}", models.links_path, links_table(models.links));
  return text;
}

Json models_as_json(const KeptModels& models, const std::vector<std::string>& kernels) {
  Json json{{"file", models.times_path},
            {"links_file", models.links_path},
            {"kernels", Json::array()},
            {"links", Json::array()}};
  for (const auto& [key, kernel] : models.history.kernels()) {
    if (is_chosen(key.name, kernels)) json["kernels"].push_back(kernel_json(key, kernel));
  }
  for (const auto& [pair, speed] : models.links) {
    json["links"].push_back({{"from", pair.first},
                             {"to", pair.second},
                             {"latency_seconds", seconds(speed.latency)},
                             {"bandwidth_mb_per_s", speed.bytes_per_s / 1e6}});
  }
  for (const std::string& warning : models.warnings) json["warnings"].push_back(warning);
  return json;
}

}  // namespace troupe::apps
