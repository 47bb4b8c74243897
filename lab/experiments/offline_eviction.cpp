#include "lab/experiments/offline_eviction.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "actors/memory/offset_allocator.hpp"

namespace troupe::apps {

void AccessLog::admitted(NodeId node, std::span<const memory::Use> uses) {
  requests_.push_back({node, uses_.size()});
  uses_.insert(uses_.end(), uses.begin(), uses.end());
}

void AccessLog::written(NodeId node, HandleId handle, Bytes bytes) {
  if (handle.index() >= not_on_host_.size()) not_on_host_.resize(handle.index() + 1);
  not_on_host_[handle.index()] = node == memory::kHost ? Bytes{} : bytes;
}

void AccessLog::moved(NodeId to, HandleId handle, Bytes bytes) {
  moved_ += bytes;
  if (to == memory::kHost && handle.index() < not_on_host_.size()) not_on_host_[handle.index()] = {};
}

AccessLog::Access AccessLog::operator[](std::size_t i) const {
  const std::size_t end = i + 1 < requests_.size() ? requests_[i + 1].uses_begin : uses_.size();
  return {requests_[i].node, {uses_.data() + requests_[i].uses_begin, end - requests_[i].uses_begin}};
}

Bytes AccessLog::not_on_host() const {
  Bytes sum;
  for (const Bytes bytes : not_on_host_) sum += bytes;
  return sum;
}

namespace {

constexpr std::size_t kNoNextUse = std::numeric_limits<std::size_t>::max();

std::size_t handles_in(const AccessLog& log) {
  std::size_t handles = 0;
  for (std::size_t i = 0; i < log.size(); ++i) {
    for (const memory::Use& use : log[i].uses) handles = std::max(handles, use.handle.index() + 1);
  }
  return handles;
}

class Replay {
 public:
  Replay(const AccessLog& log, std::span<const memory::NodeDescription> nodes)
      : log_(log),
        nodes_(nodes),
        handles_(handles_in(log)),
        replicas_(handles_ * nodes.size()),
        bytes_(handles_),
        valid_(handles_, 1),
        used_(nodes.size()),
        order_(nodes.size()) {
    for (std::size_t handle = 0; handle < handles_; ++handle) at(handle, 0).valid = true;
    find_next_uses();
  }

  OfflineTraffic run() {
    for (std::size_t i = 0; i < log_.size(); ++i) access(i);
    for (std::size_t handle = 0; handle < handles_; ++handle) {
      if (!at(handle, 0).valid) traffic_.brought_home += bytes_[handle];
    }
    return traffic_;
  }

 private:
  struct Replica {
    bool valid = false;
    std::size_t next_use = kNoNextUse;
  };
  using Order = std::set<std::pair<std::size_t, std::size_t>>;

  Replica& at(std::size_t handle, std::size_t node) { return replicas_[handle * nodes_.size() + node]; }

  /// Finds, for each use in the log, the next request in which the same node uses the handle.
  void find_next_uses() {
    std::vector<std::size_t> next(handles_ * nodes_.size(), kNoNextUse);
    std::vector<std::vector<std::size_t>> all(log_.size());
    for (std::size_t i = log_.size(); i-- > 0;) {
      const auto [node, uses] = log_[i];
      for (const memory::Use& use : uses) {
        std::size_t* row = &next[use.handle.index() * nodes_.size()];
        all[i].push_back(row[node.index()]);
        if (writes(use.mode)) std::fill_n(row, nodes_.size(), kNoNextUse);  // Other nodes' replicas are outdated.
        row[node.index()] = i;
      }
    }
    next_uses_ = std::move(all);
  }

  void access(std::size_t i) {
    const auto [id, uses] = log_[i];
    const std::size_t node = id.index();
    // Replicas that the access uses must not be evicted during the access. Afterwards they become evictable again, with
    // their next use.
    for (const memory::Use& use : uses) {
      bytes_[use.handle.index()] = use.bytes;
      if (at(use.handle.index(), node).valid) take_out(use.handle.index(), node);
    }
    for (std::size_t u = 0; u < uses.size(); ++u) {
      const std::size_t handle = uses[u].handle.index();
      Replica& replica = at(handle, node);
      if (!replica.valid) {
        make_room(node, memory::OffsetAllocator::rounded(bytes_[handle]));
        if (reads(uses[u].mode)) traffic_.loaded += bytes_[handle];
        used_[node] += memory::OffsetAllocator::rounded(bytes_[handle]);
        replica.valid = true;
        ++valid_[handle];
      }
      if (writes(uses[u].mode)) outdate_others(handle, node);
    }
    for (std::size_t u = 0; u < uses.size(); ++u) {
      const std::size_t handle = uses[u].handle.index();
      at(handle, node).next_use = next_uses_[i][u];
      order_[node].insert({next_uses_[i][u], handle});
    }
  }

  void make_room(std::size_t node, Bytes wanted) {
    if (!nodes_[node].limited) return;
    while (used_[node] + wanted > nodes_[node].capacity) {
      assert(!order_[node].empty() && "each request fits");
      const std::size_t victim = order_[node].rbegin()->second;
      if (valid_[victim] == 1) {
        traffic_.written_back += bytes_[victim];
        at(victim, 0).valid = true;
        order_[0].insert({at(victim, 0).next_use, victim});
        ++valid_[victim];
      }
      take_out(victim, node);
      invalidate(victim, node);
    }
  }

  void take_out(std::size_t handle, std::size_t node) { order_[node].erase({at(handle, node).next_use, handle}); }

  void invalidate(std::size_t handle, std::size_t node) {
    at(handle, node).valid = false;
    --valid_[handle];
    used_[node].count -= std::min(used_[node].count, memory::OffsetAllocator::rounded(bytes_[handle]).count);
  }

  void outdate_others(std::size_t handle, std::size_t writer) {
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      if (node == writer || !at(handle, node).valid) continue;
      take_out(handle, node);
      invalidate(handle, node);
    }
  }

  const AccessLog& log_;
  const std::span<const memory::NodeDescription> nodes_;
  const std::size_t handles_;
  std::vector<Replica> replicas_;
  std::vector<Bytes> bytes_;
  /// The number of nodes that have a valid replica of each handle, indexed by handle.
  std::vector<std::uint32_t> valid_;
  std::vector<Bytes> used_;
  /// The replicas that each node may evict, ordered by their next use. The replica whose next use is furthest comes
  /// last. Indexed by node.
  std::vector<Order> order_;
  std::vector<std::vector<std::size_t>> next_uses_;
  OfflineTraffic traffic_;
};

}  // namespace

OfflineTraffic furthest_next_use_offline(const AccessLog& log, std::span<const memory::NodeDescription> nodes) {
  return Replay(log, nodes).run();
}

}  // namespace troupe::apps
