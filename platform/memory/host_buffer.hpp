/// Host memory for data: aligned, large blocks in huge pages, untouched until used.
#pragma once

#include <cstddef>
#include <span>

#include "platform/memory/huge_pages.hpp"
#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::platform {

/// Every buffer begins at a multiple of this, which is at least a cache line, the widest vector register, and the
/// widest type of OpenCL.
inline constexpr Bytes kBufferAlignment{128};

/// Owns a block of host memory, and gives it back when destroyed. The contents are undefined at first.
///
/// A block of at least `kHugePage` is mapped by itself, begins at a multiple of it and asks for huge pages. Its pages
/// are taken from the system when they are first touched, and come from the NUMA node of the core that touches them. So
/// allocating a buffer that is larger than free memory succeeds as long as the kernel believes that it may fit;
/// `read_host_memory` says how much does fit. A buffer may be moved between threads; it does not synchronise anything.
class HostBuffer {
 public:
  /// Makes an empty buffer, whose `data()` is null.
  HostBuffer() = default;

  /// Allocates a buffer. `size` may be zero, which takes no memory. Fails with `out_of_memory`; the message says how
  /// much was asked for.
  [[nodiscard]] static Result<HostBuffer> allocate(Bytes size);
  /// Allocates a buffer with pages of its own. They come from a NUMA node (by the operating system's index), whichever
  /// thread touches them first, as long as the node has memory left. If the system refuses (containers may forbid
  /// `mbind`), the thread that touches a page first decides; `placed()` is then false.
  [[nodiscard]] static Result<HostBuffer> allocate_on(Bytes size, int numa_node);

  HostBuffer(HostBuffer&& other) noexcept;
  HostBuffer& operator=(HostBuffer&& other) noexcept;
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  ~HostBuffer();

  [[nodiscard]] std::byte* data() noexcept { return data_; }
  [[nodiscard]] const std::byte* data() const noexcept { return data_; }
  [[nodiscard]] Bytes size() const noexcept { return size_; }
  /// Returns true if the system has agreed to take the buffer's pages from a chosen NUMA node.
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
  /// True if the memory is mapped by itself; false if it is from the heap.
  bool mapped_ = false;
  bool placed_ = false;
};

}  // namespace troupe::platform
