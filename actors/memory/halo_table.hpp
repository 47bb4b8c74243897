/// Halo table: what halo parts overlap. It knows the halo parts that have, or had, buffers on devices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "proto/memory.hpp"

namespace troupe::memory {

/// Like every handle, a halo part has a replica on each node in `ReplicaDirectory`; its replica on a device is a
/// buffer. This table keeps what else is known of halo parts. Lists are iterated over in their order, so that equal
/// events give equal commands.
class HaloTable {
 public:
  struct Buffer {
    /// The transfers that fill the buffer now, as places in the transfer table (`TransferTable::Place`).
    std::vector<std::uint32_t> copies;
    /// True if some content of the buffer is missing, or if the data have been overwritten since they were copied into
    /// the buffer.
    bool spoiled = false;
  };
  struct Halo {
    /// The data that the halo part overlaps.
    std::vector<Use> overlaps;
    /// The buffers, by node.
    std::vector<Buffer> buffers;
  };

  explicit HaloTable(std::size_t nodes) : nodes_(nodes) {}

  /// Returns true if the table has no halo parts. Most programs have none.
  [[nodiscard]] bool empty() const { return halos_.empty(); }
  /// Returns the entry of a halo part; null if the handle has no entry. The pointer stays valid until `remove`.
  [[nodiscard]] Halo* find(HandleId handle) {
    const auto found = halos_.find(handle);
    return found == halos_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const Halo* find(HandleId handle) const {
    const auto found = halos_.find(handle);
    return found == halos_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] Buffer& buffer(HandleId halo, NodeId node) { return halos_.at(halo).buffers[node.index()]; }
  /// Returns true if the halo part's entry names exactly these data, in this order.
  [[nodiscard]] bool overlaps(HandleId halo, std::span<const Use> data) const {
    const Halo* const known = find(halo);
    return known != nullptr && std::ranges::equal(known->overlaps, data, {}, &Use::handle, &Use::handle);
  }
  /// Sets the data that a halo part overlaps; makes an entry if there is none.
  void set(HandleId halo, std::span<const Use> data) {
    Halo& known = halos_[halo];
    leave_lists(halo, known);
    known.overlaps.assign(data.begin(), data.end());
    known.buffers.resize(nodes_);
    for (const Use& use : data) over_[use.handle].push_back(halo);
  }
  /// Removes a halo part's entry. Does nothing if the handle has no entry.
  void remove(HandleId handle) {
    const auto found = halos_.find(handle);
    if (found == halos_.end()) return;
    leave_lists(handle, found->second);
    halos_.erase(found);
  }
  /// Returns the halo parts that overlap the data. Valid until the table changes.
  [[nodiscard]] std::span<const HandleId> over(HandleId data) const {
    const auto found = over_.find(data);
    return found == over_.end() ? std::span<const HandleId>() : std::span<const HandleId>(found->second);
  }

 private:
  void leave_lists(HandleId halo, const Halo& known) {
    for (const Use& use : known.overlaps) {
      const auto list = over_.find(use.handle);
      std::erase(list->second, halo);
      if (list->second.empty()) over_.erase(list);
    }
  }

  std::size_t nodes_;
  std::unordered_map<HandleId, Halo> halos_;
  /// Maps data to the halo parts that overlap them.
  std::unordered_map<HandleId, std::vector<HandleId>> over_;
};

}  // namespace troupe::memory
