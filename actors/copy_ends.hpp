/// The two ends of a transfer between memory nodes.
#pragma once

#include <optional>
#include <span>

#include "actors/host_views.hpp"
#include "actors/memory/memory_command.hpp"
#include "actors/memory_nodes.hpp"
#include "graph/data/blocks.hpp"
#include "platform/accelerators/block_copy.hpp"
#include "troupe/layout.hpp"

namespace troupe::actors {

/// A transfer copies data from one node to another. A transfer for a halo part copies only the elements that the halo
/// part overlaps, into the halo part's buffer.
class CopyEnds {
 public:
  /// Makes the ends of a transfer that copies nothing.
  CopyEnds() : data_{nullptr, {.rows = 0, .cols = 0, .ld = 1, .element_size = 1, .element_tag = 0}} {}

  /// Borrows the data's host memory (`HostViews::borrow`). Returns nothing if the data or the halo part have been
  /// forgotten, because then nobody needs the copy.
  [[nodiscard]] static std::optional<CopyEnds> borrow(HostViews& views, const memory::Command& transfer) {
    const auto data = views.borrow(transfer.handle);
    if (!data) return std::nullopt;
    CopyEnds ends;
    ends.data_ = *data;
    if (!transfer.halo.valid()) return ends;
    ends.overlap_ = views.overlap(transfer.halo, transfer.handle);
    if (ends.overlap_) return ends;
    views.give_back(transfer.handle);
    return std::nullopt;
  }

  /// Returns the layout of the copied elements without gaps between them.
  [[nodiscard]] Layout packed() const {
    return overlap_ ? graph::view_of_block(data_, overlap_->in_data).layout.packed() : data_.layout.packed();
  }
  /// The first function returns the copy from the source to the target, the second the copy from the source to
  /// `between`, the third the copy from `between` to the target. `between` has the layout `packed()`.
  [[nodiscard]] platform::BlockCopy copy(const MemoryNodes& nodes, const memory::Command& transfer) const {
    return copy(from(nodes, transfer), to(nodes, transfer));
  }
  [[nodiscard]] platform::BlockCopy copy(const MemoryNodes& nodes, const memory::Command& transfer,
                                         const DataView& between) const {
    return copy(from(nodes, transfer), {between, {}});
  }
  [[nodiscard]] platform::BlockCopy copy(const DataView& between, const MemoryNodes& nodes,
                                         const memory::Command& transfer) const {
    return copy({between, {}}, to(nodes, transfer));
  }

 private:
  struct End {
    DataView view;
    /// The memory of all the data of which `view` is a block; empty if `view` is not a block but all the data.
    std::span<const std::byte> data;
  };

  [[nodiscard]] static platform::BlockCopy copy(const End& from, const End& to) {
    platform::BlockCopy copy = platform::block_copy(from.view, to.view);
    copy.from_data = from.data;
    copy.to_data = to.data;
    return copy;
  }
  [[nodiscard]] static End block_of(const DataView& data, const Block& block) {
    const auto bytes = static_cast<std::size_t>(data.layout.extent()) * data.layout.element_size;
    return {graph::view_of_block(data, block), {data.data, bytes}};
  }
  [[nodiscard]] End from(const MemoryNodes& nodes, const memory::Command& transfer) const {
    if (data_.data == nullptr) return {data_, {}};
    const DataView data = nodes.replica(data_, transfer.from, transfer.from_offset);
    return overlap_ ? block_of(data, overlap_->in_data) : End{data, {}};
  }
  [[nodiscard]] End to(const MemoryNodes& nodes, const memory::Command& transfer) const {
    if (data_.data == nullptr) return {data_, {}};
    if (!overlap_) return {nodes.replica(data_, transfer.to, transfer.to_offset), {}};
    return block_of(nodes.replica(overlap_->halo, transfer.to, transfer.to_offset), overlap_->in_halo);
  }

  DataView data_;
  std::optional<HostViews::Overlap> overlap_;
};

}  // namespace troupe::actors
