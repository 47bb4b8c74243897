/// Host memory for data: aligned, large blocks in huge pages. Pages get memory at first use.
#pragma once

#include <cstddef>
#include <span>

#include "platform/memory/huge_pages.hpp"
#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::platform {

/// Every buffer begins at a multiple of this number, which is at least as large as a cache line, the widest vector
/// register, and the widest type of OpenCL.
inline constexpr Bytes kBufferAlignment{128};

/// Owns a block of host memory, and frees it when destroyed. The contents are undefined at first.
///
/// A block of at least `kHugePage` bytes gets a mapping of its own, begins at a multiple of `kHugePage` and requests
/// huge pages. The system provides a page when a thread first touches it, from the NUMA node of that thread's core. So
/// the allocation of a buffer that is larger than free memory succeeds as long as the kernel believes that the buffer
/// may fit; `read_host_memory` returns how much really fits. A buffer may be moved between threads; it does not
/// synchronise anything.
class HostBuffer {
 public:
  /// Makes an empty buffer: `data()` returns null.
  HostBuffer() = default;

  /// Allocates a buffer. `size` may be zero, which takes no memory. Fails with `out_of_memory`; the message gives the
  /// requested size.
  [[nodiscard]] static Result<HostBuffer> allocate(Bytes size);
  /// Allocates a buffer with pages of its own. All pages come from one NUMA node (by the operating system's index), as
  /// long as the node has memory left. If the system refuses (containers may forbid `mbind`), each page comes from the
  /// node of the thread that first touches it; `placed()` is then false.
  [[nodiscard]] static Result<HostBuffer> allocate_on(Bytes size, int numa_node);

  HostBuffer(HostBuffer&& other) noexcept;
  HostBuffer& operator=(HostBuffer&& other) noexcept;
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  ~HostBuffer();

  [[nodiscard]] std::byte* data() noexcept { return data_; }
  [[nodiscard]] const std::byte* data() const noexcept { return data_; }
  [[nodiscard]] Bytes size() const noexcept { return size_; }
  /// Returns true if the system has agreed to take the buffer's pages from one NUMA node (see `allocate_on`).
  [[nodiscard]] bool placed() const noexcept { return placed_; }
  [[nodiscard]] std::span<std::byte> bytes() noexcept { return {data_, static_cast<std::size_t>(size_.count)}; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return {data_, static_cast<std::size_t>(size_.count)};
  }

 private:
  HostBuffer(std::byte* data, Bytes size, bool mapped) : data_(data), size_(size), mapped_(mapped) {}
  void release() noexcept;

  std::byte* data_ = nullptr;
  Bytes size_;
  /// True if the memory is a mapping of its own; false if it is from the heap.
  bool mapped_ = false;
  bool placed_ = false;
};

}  // namespace troupe::platform
