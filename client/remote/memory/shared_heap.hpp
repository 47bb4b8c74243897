/// Blocks of memory that the service shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "client/remote/memory/memory_connection.hpp"
#include "proto/errors.hpp"
#include "proto/units.hpp"

namespace troupe::remote {

/// Where memory lies, as the service knows it.
struct SharedAddress {
  std::uint64_t segment = 0;
  /// In bytes from the beginning of the segment.
  std::uint64_t offset = 0;
};

/// Cuts small blocks from segments, which grow with what is in use, and gives large ones a segment of their own.
/// Segments go back to the service when nothing of them is in use. Thread-safe.
class SharedHeap {
 public:
  /// From this size on a block has a segment of its own.
  static constexpr Bytes kLarge{std::uint64_t{16} << 20U};
  /// Of the first segments that are cut; later ones have an eighth of what there is, up to the largest: all pages of a
  /// segment are taken at once, so what is not used costs as much as what is.
  static constexpr Bytes kSmallestArena{std::uint64_t{4} << 20U};
  static constexpr Bytes kLargestArena{std::uint64_t{256} << 20U};

  explicit SharedHeap(std::unique_ptr<SegmentSource> source);
  ~SharedHeap();
  SharedHeap(const SharedHeap&) = delete;
  SharedHeap& operator=(const SharedHeap&) = delete;

  /// A block, aligned to 64 bytes, uninitialized; `size` may be zero. It goes back when the last owner ends, who may
  /// outlive the heap. Fails with `out_of_memory`, or `service_lost`.
  Result<std::shared_ptr<std::byte>> allocate(Bytes size);
  /// Where `size` bytes at `data` lie; nothing where they are not wholly in one segment.
  [[nodiscard]] std::optional<SharedAddress> find(const std::byte* data, Bytes size) const;
  /// Segments that there are now.
  [[nodiscard]] std::size_t segments() const;

 private:
  class Blocks;
  std::shared_ptr<Blocks> blocks_;
};

}  // namespace troupe::remote
