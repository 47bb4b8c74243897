#include "apps/models/link_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "actors/scheduler/models/history_file.hpp"
#include "apps/models/kept_links.hpp"
#include "platform/accelerators/emulated_accelerator.hpp"
#include "platform/cuda/cuda_devices.hpp"
#include "platform/machine/topology.hpp"
#include "proto/json/json.hpp"
#include "traces/text/human.hpp"
#include "traces/text/table.hpp"

namespace troupe::apps {

namespace {

using platform::CopyDirection;

constexpr std::array kDirections{CopyDirection::to_device, CopyDirection::to_host};
/// The size of a GPU's memory while its link is measured. It is enough for the largest measured copy.
constexpr Bytes kGpuMemory{std::uint64_t{64} << 20U};
constexpr std::size_t kHostMemory = std::size_t{16} << 20U;

MeasuredLink named(const platform::Accelerator& accelerator, CopyDirection direction) {
  const bool to_device = direction == CopyDirection::to_device;
  MeasuredLink link;
  link.from = to_device ? "host" : accelerator.name();
  link.to = to_device ? accelerator.name() : "host";
  return link;
}

/// Removes the injected faults, because nothing can be measured with copies that fail on purpose.
platform::EmulationOptions without_faults(platform::EmulationOptions options) {
  options.faults = {};
  return options;
}

void add_emulated(const RuntimeOptions& options, std::vector<MeasuredLink>& links) {
  std::vector<std::byte> host(options.accelerators.emulated_gpus.empty() ? 0 : kHostMemory);
  for (std::size_t i = 0; i < options.accelerators.emulated_gpus.size(); ++i) {
    const auto made =
        platform::EmulatedAccelerator::make(static_cast<int>(i), without_faults(options.accelerators.emulated_gpus[i]));
    if (!made) throw Error(made.failure());
    for (const CopyDirection direction : kDirections) {
      MeasuredLink link = named(*made.value(), direction);
      link.times = platform::time_copies(*made.value(), direction, host).value_or_throw();
      link.speed = platform::copy_speed_of(link.times);
      links.push_back(std::move(link));
    }
  }
}

void add_gpus(const RuntimeOptions& options, std::vector<MeasuredLink>& links) {
  for (int i = 0; i < options.gpus; ++i) {
    const auto opened = platform::open_cuda_accelerator(i, kGpuMemory);
    if (!opened) throw Error(opened.failure());
    for (const CopyDirection direction : kDirections) {
      MeasuredLink link = named(*opened.value(), direction);
      link.speed = opened.value()->speed(direction);
      link.real = true;
      links.push_back(std::move(link));
    }
  }
}

}  // namespace

std::vector<MeasuredLink> calibrate_links(const RuntimeOptions& options) {
  std::vector<MeasuredLink> links;
  add_emulated(options, links);
  add_gpus(options, links);
  return links;
}

bool keep_links(const std::vector<MeasuredLink>& links, const RuntimeOptions& options) {
  if (options.placement.models.empty() || std::ranges::none_of(links, &MeasuredLink::real)) return true;
  const auto warn = [&](const std::string& what) {
    if (options.observation.on_warning) options.observation.on_warning(what);
  };
  const std::string key = scheduler::machine_key(platform::Topology::discover({}).value_or_throw().machine);
  const std::string path = links_path(options.placement.models, key);
  auto kept = read_links(path, key);
  if (!kept) warn(kept.failure().message + "; links are measured anew");
  LinkSpeeds speeds = kept ? std::move(kept).value() : LinkSpeeds{};
  for (const MeasuredLink& link : links) {
    if (link.real) speeds[{link.from, link.to}] = link.speed;
  }
  const auto written = write_links(path, key, speeds);
  if (!written) warn(written.failure().message + "; the links that were measured are lost");
  return written.ok();
}

std::string measured_links_text(const std::vector<MeasuredLink>& links) {
  if (links.empty()) return {};
  traces::Table table({"from", "to", ">latency", ">bandwidth", "single copies"});
  for (const MeasuredLink& link : links) {
    std::string times;
    for (const platform::CopyTime& one : link.times) {
      times += fmt::format("{}{}: {}", times.empty() ? "" : ", ", traces::human_bytes(one.size),
                           traces::human_seconds(seconds(one.time)));
    }
    table.add_row({link.from, link.to, traces::human_seconds(seconds(link.speed.latency)),
                   fmt::format("{:.4g} GB/s", link.speed.bytes_per_s / 1e9), times});
  }
  return "Links, as measured\n" + table.text(2);
}

Json measured_links_json(const std::vector<MeasuredLink>& links) {
  Json json = Json::array();
  for (const MeasuredLink& link : links) {
    Json one{{"from", link.from},
             {"to", link.to},
             {"latency_seconds", seconds(link.speed.latency)},
             {"bandwidth_mb_per_s", link.speed.bytes_per_s / 1e6},
             {"copies", Json::array()}};
    for (const platform::CopyTime& copy : link.times) {
      one["copies"].push_back({{"bytes", copy.size.count}, {"seconds", seconds(copy.time)}});
    }
    json.push_back(std::move(one));
  }
  return json;
}

}  // namespace troupe::apps
