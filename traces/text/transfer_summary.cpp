#include "traces/text/transfer_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "actors/observation/report_members.hpp"
#include "traces/text/human.hpp"
#include "traces/text/table.hpp"
#include "troupe/devices.hpp"

namespace troupe::traces {

namespace {

std::string name_of(NodeId node, const std::vector<std::string>& names) {
  return node.index() < names.size() ? names[node.index()] : fmt::format("node {}", node.value());
}

/// Returns the mean rate over the time in which copies were running; 0 if there were no copies.
double bytes_per_s(const PairTraffic& pair) {
  return pair.busy > Duration{} ? static_cast<double>(pair.bytes.count) / seconds(pair.busy) : 0;
}

std::string reached(const PairTraffic& pair) {
  const double rate = bytes_per_s(pair);
  return rate > 0 ? fmt::format("{:.3g} GB/s", rate / 1e9) : "-";
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole)) : "-";
}

std::string pairs_text(const TransferReport& transfers, const std::vector<std::string>& names) {
  Table table({"from", "to", ">copies", ">bytes", ">under way", ">reached"});
  for (const PairTraffic& pair : transfers.pairs) {
    table.add_row({name_of(pair.from, names), name_of(pair.to, names), human_count(pair.copies),
                   human_bytes(pair.bytes), human_seconds(seconds(pair.busy)), reached(pair)});
  }
  return table.text(2);
}

std::string memories_text(const TransferReport& transfers, const std::vector<std::string>& names) {
  Table table({"memory", ">for data", ">most in use", ">share"});
  for (const MemoryUse& memory : transfers.memories) {
    table.add_row({name_of(memory.node, names), human_bytes(memory.capacity), human_bytes(memory.highest),
                   percent(memory.highest.count, memory.capacity.count)});
  }
  return table.text(2);
}

}  // namespace

std::vector<std::string> node_names(const RunReport& report) {
  std::vector<std::string> names{"host"};
  for (const WorkerReport& worker : report.workers) {
    if (has_own_memory(worker.kind)) names.push_back(worker.device);
  }
  return names;
}

std::size_t count_accelerators(const RunReport& report) {
  return static_cast<std::size_t>(std::count_if(report.workers.begin(), report.workers.end(),
                                                [](const auto& worker) { return is_accelerator(worker.kind); }));
}

std::size_t count_cores(const RunReport& report) {
  std::size_t cores = 0;
  for (const WorkerReport& worker : report.workers) {
    if (!is_accelerator(worker.kind)) cores += static_cast<std::size_t>(worker.cores);
  }
  return cores;
}

TransferReport difference(const TransferReport& later, const TransferReport& earlier) {
  TransferReport result = later;
  result.host_to_device.count -= earlier.host_to_device.count;
  result.device_to_host.count -= earlier.device_to_host.count;
  result.device_to_device.count -= earlier.device_to_device.count;
  for (PairTraffic& pair : result.pairs) {
    for (const PairTraffic& before : earlier.pairs) {
      if (before.from != pair.from || before.to != pair.to) continue;
      pair.bytes.count -= before.bytes.count;
      pair.copies -= before.copies;
      pair.busy -= before.busy;
    }
  }
  std::erase_if(result.pairs, [](const PairTraffic& pair) { return pair.copies == 0; });
  for (LinkTraffic& link : result.links) {
    for (const LinkTraffic& before : earlier.links) {
      if (before.name != link.name) continue;
      link.bytes.count -= before.bytes.count;
      link.busy -= before.busy;
    }
  }
  subtract(result.manager, earlier.manager);
  return result;
}

std::string transfers_text(const RunReport& report) {
  if (count_accelerators(report) == 0) return {};
  const TransferReport& transfers = report.transfers;
  const std::vector<std::string> names = node_names(report);
  std::string text = fmt::format("Copies between memories, {} in all:\n{}", human_bytes(transfers.total()),
                                 pairs_text(transfers, names));
  if (!transfers.memories.empty())
    text += fmt::format("\nMemories, since the start:\n{}", memories_text(transfers, names));
  text +=
      fmt::format("\n  cache hits   {} of {} uses of data on accelerators ({})\n", human_count(transfers.manager.hits),
                  human_count(transfers.manager.hits + transfers.manager.misses),
                  percent(transfers.manager.hits, transfers.manager.hits + transfers.manager.misses));
  text += fmt::format("  evictions    {}, write-backs {}\n", human_count(transfers.manager.evictions),
                      human_count(transfers.manager.write_backs));
  text += fmt::format("  prefetches   {}, of which used {}\n", human_count(transfers.manager.prefetches),
                      human_count(transfers.manager.prefetches_used));
  text += fmt::format("  memory manager had by one thread after the other {} times\n",
                      human_count(transfers.manager.passes));
  return text;
}

void add_bytes_json(const TransferReport& transfers, Json& json) {
  MemberWriter writer(json);
  byte_members(writer, transfers);
}

void add_transfers_json(const RunReport& report, Json& json) {
  const TransferReport& transfers = report.transfers;
  const std::vector<std::string> names = node_names(report);
  add_bytes_json(transfers, json);
  MemberWriter writer(json);
  members(writer, transfers.manager);
  json["copies"] = Json::array();
  for (const PairTraffic& pair : transfers.pairs) {
    Json one = as_json(pair);
    one["from"] = name_of(pair.from, names);
    one["to"] = name_of(pair.to, names);
    one["bandwidth_mb_per_s"] = bytes_per_s(pair) / 1e6;
    json["copies"].push_back(std::move(one));
  }
  json["memories"] = Json::array();
  for (const MemoryUse& memory : transfers.memories) {
    Json one = as_json(memory);
    one["node"] = name_of(memory.node, names);
    json["memories"].push_back(std::move(one));
  }
}

}  // namespace troupe::traces
