/// Blocks of memory that the service shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "client/remote/memory/memory_connection.hpp"
#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::remote {

/// The location of memory as the service knows it.
struct SharedAddress {
  std::uint64_t segment = 0;
  /// The offset in bytes from the beginning of the segment.
  std::uint64_t offset = 0;
};

/// Cuts small blocks from segments, whose size grows with the memory in use, and gives each large block a segment of
/// its own. A segment is given back to the service when no part of it is in use. Thread-safe.
class SharedHeap {
 public:
  /// A block of this size or more has a segment of its own.
  static constexpr Bytes kLarge{std::uint64_t{16} << 20U};
  /// The size of the first segments for small blocks, and the largest size. Each later segment has an eighth of the
  /// total size of these segments so far. Segments are not larger, because all pages of a segment are allocated with
  /// it, so that unused memory costs as much as used memory.
  static constexpr Bytes kSmallestArena{std::uint64_t{4} << 20U};
  static constexpr Bytes kLargestArena{std::uint64_t{256} << 20U};

  explicit SharedHeap(std::unique_ptr<SegmentSource> source);
  ~SharedHeap();
  SharedHeap(const SharedHeap&) = delete;
  SharedHeap& operator=(const SharedHeap&) = delete;

  /// Returns an uninitialized block, aligned to 64 bytes; `size` may be zero. The block is freed when its last owner is
  /// destroyed, which may be after the end of the heap. Fails with `out_of_memory` or `service_lost`.
  Result<std::shared_ptr<std::byte>> allocate(Bytes size);
  /// Returns the location of the `size` bytes at `data`; empty if they are not wholly in one segment.
  [[nodiscard]] std::optional<SharedAddress> find(const std::byte* data, Bytes size) const;
  /// Returns the number of segments at present.
  [[nodiscard]] std::size_t segments() const;

 private:
  class Blocks;
  std::shared_ptr<Blocks> blocks_;
};

}  // namespace troupe::remote
