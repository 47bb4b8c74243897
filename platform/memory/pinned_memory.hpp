/// Host memory that GPUs access directly: copies to and from it run at full speed, at the same time as other work.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::platform {

/// Keeps a buffer pinned while it lives: locked in memory, and known to CUDA for all GPUs. Copies from and to memory
/// that is not pinned work too, at a fraction of the speed.
///
/// Whole pages (4 KiB) are pinned. A buffer that shares a page with a buffer that is already pinned is not pinned
/// itself, so pin large buffers whole and not in parts. Pinning takes about a millisecond for ten megabytes, so it
/// suits buffers that live long. The memory must stay allocated while this object lives. May be called from any thread.
class PinnedMemory {
 public:
  /// Makes an object that pins nothing.
  PinnedMemory() = default;

  /// Pins a buffer. Does nothing and succeeds if `open_cuda_accelerator` has opened no GPU. Fails with `out_of_memory`
  /// if the system does not allow pinning this much; the buffer can still be used.
  [[nodiscard]] static Result<PinnedMemory> pin(const std::byte* data, Bytes size);

  PinnedMemory(PinnedMemory&& other) noexcept : first_page_(std::exchange(other.first_page_, nullptr)) {}
  PinnedMemory& operator=(PinnedMemory&& other) noexcept {
    if (this != &other) {
      unpin();
      first_page_ = std::exchange(other.first_page_, nullptr);
    }
    return *this;
  }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  ~PinnedMemory() { unpin(); }

  [[nodiscard]] bool pinned() const { return first_page_ != nullptr; }

 private:
  explicit PinnedMemory(const std::byte* first_page) : first_page_(first_page) {}
  void unpin() noexcept;

  /// The begin of the pinned range; null if nothing is pinned.
  const std::byte* first_page_ = nullptr;
};

}  // namespace troupe::platform
