#include "platform/described/description_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "proto/edit_distance.hpp"

namespace troupe::platform {
namespace {

using Keys = std::vector<std::string_view>;

struct KnownKeys {
  DescribedObject object;
  const char* name;
  Keys read;
  Keys remarks;
};

const KnownKeys& known_keys(DescribedObject object) {
  using enum DescribedObject;
  static const std::vector<KnownKeys> all{
      {machine,
       "a machine",
       {"name", "description", "source", "cpu", "gpus", "transfers", "pci", "kernels"},
       {"assumptions", "flop_formulas", "software"}},
      {cpu, "cpu", {"cores", "sockets", "model"}, {}},
      {gpu, "a GPU", {"id", "model", "memory_bytes", "near_cores", "launch_us", "notice_us"}, {"core_preference"}},
      {transfers,
       "transfers",
       {"bandwidth_mb_per_s", "latency_us", "latency_us_fix"},
       {"index", "bandwidth_unit", "gpu_to_gpu"}},
      {latency_fix, "latency_us_fix", {"row", "values"}, {"why"}},
      {pci, "pci", {"links", "routes"}, {"tree_recorded"}},
      {link, "a link", {"name", "bandwidth_mb_per_s", "latency_us"}, {"gpus_behind"}},
      {route, "a route", {"from", "to", "links"}, {}},
      {kernel,
       "a kernel",
       {"application", "kernel", "precision", "tile", "flops", "cpu_us", "cluster_us", "gpu_us"},
       {"bytes", "shape", "core_gflop_per_s", "gpu_over_core", "cluster_over_core"}},
      {time, "a time", {"mean", "dev"}, {"samples"}},
      {cluster_time, "a cluster's time", {"cores", "mean", "dev"}, {"samples"}},
      {gpu_time, "a GPU's time", {"gpu", "mean", "dev"}, {"samples"}}};
  return *std::ranges::find(all, object, &KnownKeys::object);
}

bool is_remark(std::string_view key, const KnownKeys& known) {
  if (std::ranges::find(known.remarks, key) != known.remarks.end()) return true;
  return key == "note" || key == "comment" || key == "origin" || key.ends_with("_note") || key.ends_with("_origin");
}

/// Returns the beginning of a key, so that messages do not get very long.
std::string_view shortened(std::string_view key) { return key.substr(0, 64); }

}  // namespace

std::optional<std::string> cores_in_key(std::string_view key) {
  constexpr std::string_view kStart = "cluster_";
  constexpr std::string_view kEnd = "_cores_us";
  if (!key.starts_with(kStart) || !key.ends_with(kEnd) || key.size() <= kStart.size() + kEnd.size()) return {};
  const std::string_view number = key.substr(kStart.size(), key.size() - kStart.size() - kEnd.size());
  if (number.find_first_not_of("0123456789") != std::string_view::npos) return {};
  return std::string(number);
}

void check_keys(const JsonField& field, DescribedObject object) {
  const KnownKeys& known = known_keys(object);
  for (const std::string& key : field.keys()) {
    if (std::ranges::find(known.read, key) != known.read.end() || is_remark(key, known)) continue;
    if (object == DescribedObject::kernel && cores_in_key(key)) continue;
    const auto nearest = std::ranges::min_element(
        known.read, {}, [&](std::string_view other) { return edit_distance(shortened(key), other); });
    field.member(key).fail(
        fmt::format("{} has no such field; did you mean \"{}\"? It may have {}; a remark is called note, or ends in "
                    "_note or _origin",
                    known.name, *nearest, fmt::join(known.read, ", ")));
  }
}

}  // namespace troupe::platform
