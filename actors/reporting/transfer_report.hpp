/// What was copied between memory nodes.
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
  /// How long one was under way.
  Duration busy{};
};

/// What passed over a link that copies share.
struct LinkTraffic {
  std::string name;
  double bandwidth_mb_per_s = 0;
  Bytes bytes;
  Duration busy{};
  /// The most that has passed at one time, as a share of the bandwidth: at most 1, but for rounding.
  double highest_load = 0;
};

/// A memory with a limit.
struct MemoryUse {
  NodeId node;
  Bytes capacity;
  /// The most that data have taken at one time.
  Bytes highest;
  /// What they take now.
  Bytes used;
};

struct TransferReport {
  Bytes host_to_device;
  Bytes device_to_host;
  Bytes device_to_device;
  /// Of the pairs that copied anything.
  std::vector<PairTraffic> pairs;
  std::vector<LinkTraffic> links;
  std::vector<MemoryUse> memories;
  /// What the memory manager did.
  std::uint64_t evictions = 0;
  std::uint64_t write_backs = 0;
  std::uint64_t prefetches = 0;
  std::uint64_t prefetches_used = 0;
  /// Data that tasks on devices with a memory of their own asked for and whose content they needed: that was there, or
  /// on its way, and that had to be fetched.
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  /// How often a thread had the memory manager to itself, as nobody else can meanwhile.
  std::uint64_t manager_passes = 0;

  [[nodiscard]] Bytes total() const { return host_to_device + device_to_host + device_to_device; }
};

/// One copy, from when it was asked for.
struct TraceTransfer {
  HandleId handle;
  NodeId from;
  NodeId to;
  Bytes bytes;
  TimeStamp start{};
  TimeStamp end{};
};

}  // namespace troupe
