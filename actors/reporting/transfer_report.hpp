/// Transfer report: the copies between memory nodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/ids.hpp"
#include "proto/units.hpp"

namespace troupe {

/// The copies from one memory node to another; 0 is host memory.
struct PairTraffic {
  NodeId from;
  NodeId to;
  Bytes bytes;
  std::uint64_t copies = 0;
  /// The time in which at least one copy was under way.
  Duration busy{};
};

/// The traffic of a link that copies share.
struct LinkTraffic {
  std::string name;
  double bandwidth_mb_per_s = 0;
  Bytes bytes;
  Duration busy{};
  /// The highest traffic at one time, as a share of the bandwidth: at most 1, except for rounding.
  double highest_load = 0;
};

/// The use of a memory with a limit.
struct MemoryUse {
  NodeId node;
  Bytes capacity;
  /// The most memory that data have taken at one time.
  Bytes highest;
  /// The memory that data take now.
  Bytes used;
};

struct TransferReport {
  Bytes host_to_device;
  Bytes device_to_host;
  Bytes device_to_device;
  /// The pairs of nodes that copied anything.
  std::vector<PairTraffic> pairs;
  std::vector<LinkTraffic> links;
  std::vector<MemoryUse> memories;
  /// Counts of the memory manager.
  std::uint64_t evictions = 0;
  std::uint64_t write_backs = 0;
  std::uint64_t prefetches = 0;
  std::uint64_t prefetches_used = 0;
  /// Data that tasks on devices with a memory of their own read: those whose content was there when the task was
  /// admitted, and those whose content was still on its way or had to be fetched.
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  /// The number of times that a thread had the memory manager to itself; no other thread can use it meanwhile.
  std::uint64_t manager_passes = 0;

  [[nodiscard]] Bytes total() const { return host_to_device + device_to_host + device_to_device; }
};

/// One copy; it starts when it is asked for.
struct TraceTransfer {
  HandleId handle;
  NodeId from;
  NodeId to;
  Bytes bytes;
  TimeStamp start{};
  TimeStamp end{};
};

}  // namespace troupe
