#include "lab/experiments/opencl/opencl_claims.hpp"

#include <fmt/format.h>

#include <array>
#include <set>

#include "lab/experiments/claims/claim_table.hpp"

namespace troupe::apps {

namespace {

const ClaimTable& virtual_claims_table() {
  static const ClaimTable table = ClaimTable::embedded("opencl");
  return table;
}

const ClaimTable& measured_claims_table() {
  static const ClaimTable table = ClaimTable::embedded("opencl_measured");
  return table;
}

// The names in the tables, in the order of the enumerators.
constexpr std::array kProgramNames{"black_scholes", "reuse", "tone_mapping"};
constexpr std::array kSortNames{"blocks", "reuse", "frames", "one range"};

/// Returns the point of a line at a place. If all devices are used, it also has the policy and whether the run ended.
ClaimPoint point_of(const OpenClVirtualResults& results, const OpenClPlace& place, const std::string& line) {
  ClaimPoint values{{"place", place.name()}, {"program", kProgramNames.at(static_cast<std::size_t>(place.program))},
                    {"size", place.size},    {"blocks", place.blocks},
                    {"line", line},          {"compulsory", place.compulsory_bytes()}};
  const OpenClPoint* point = results.point(place, line);
  if (point != nullptr) {
    values["seconds"] = point->seconds.median;
    values["bytes"] = point->bytes.median;
  }
  if (line.starts_with("all, ")) {
    values["policy"] = line.substr(5);
    values["knows_data"] = knows_data(line.substr(5));
    values["ended"] = point != nullptr;
    values["outcome"] = point != nullptr ? fmt::format("{:.2f} s", point->seconds.median) : "failed";
  }
  return values;
}

/// Returns the bytes of the memories of hannibal's GPUs.
double memory_of_gpus() {
  const auto machine = hannibal(OpenClAssumptions());
  double memory = 0;
  // The last accelerator stands for the processors, so its memory is not counted.
  for (std::size_t i = 0; i + 1 < machine.gpus.size(); ++i) memory += static_cast<double>(machine.gpus[i].memory.count);
  return memory;
}

}  // namespace

const std::vector<Claim>& opencl_virtual_claims() { return virtual_claims_table().claims(); }

std::vector<Judgement> judge_opencl(const OpenClVirtualResults& results, const std::string& policy) {
  std::set<OpenClPlace> places;
  std::set<std::string> lines;
  for (const auto& [key, point] : results.points()) {
    places.insert(key.first);
    lines.insert(key.second);
  }
  // A line that is missing at a place failed there.
  std::vector<ClaimPoint> points;
  for (const OpenClPlace& place : places) {
    for (const std::string& line : lines) points.push_back(point_of(results, place, line));
  }
  return virtual_claims_table().judge(points, {{"own", policy}, {"memory", memory_of_gpus()}});
}

const std::vector<Claim>& opencl_measured_claims() { return measured_claims_table().claims(); }

std::vector<Judgement> judge_opencl(const OpenClMeasured& measured) {
  if (!measured.why_not.empty())
    return std::vector<Judgement>(measured_claims_table().claims().size(), {0, 0, "not measured: " + measured.why_not});
  std::vector<ClaimPoint> points;
  for (const OpenClWork& work : measured.works) {
    for (const auto& [key, point] : measured.points) {
      if (key.first != work.name) continue;
      ClaimPoint& values = points.emplace_back(ClaimPoint{{"work", work.name},
                                                          {"sort", kSortNames.at(static_cast<std::size_t>(work.sort))},
                                                          {"way", key.second},
                                                          {"seconds", point.seconds.median}});
      if (point.bytes && work.compulsory_bytes) values["times_copied"] = *point.bytes / *work.compulsory_bytes;
    }
  }
  return measured_claims_table().judge(points, {{"devices", measured.devices.size()}});
}

}  // namespace troupe::apps
