#include "platform/memory/host_buffer.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

namespace troupe::platform {
namespace {

/// The largest size of a buffer: no object can be larger, and the sum of this size and some page sizes does not
/// overflow.
constexpr Bytes kLargest{static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()) - 2 * kHugePage.count};

std::size_t rounded_up(std::size_t size, std::size_t multiple) { return (size + multiple - 1) / multiple * multiple; }

std::size_t mapped_length(Bytes size) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return rounded_up(size.count, page);
}

std::byte* map_huge(Bytes size) {
  const std::size_t length = mapped_length(size);
  std::byte* const data = map_aligned(length, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  // If the kernel has no huge pages, `madvise` fails, and small pages are used.
  if (data != nullptr) (void)madvise(data, length, MADV_HUGEPAGE);
  return data;
}

std::byte* map_small(Bytes size) {
  void* data = mmap(nullptr, mapped_length(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return data == MAP_FAILED ? nullptr : static_cast<std::byte*>(data);
}

std::byte* allocate_small(Bytes size) {
  return static_cast<std::byte*>(
      std::aligned_alloc(kBufferAlignment.count, rounded_up(size.count, kBufferAlignment.count)));
}

/// Asks the kernel to take the pages of this block from NUMA node `node`. Makes the system call directly, so that no
/// library is needed.
bool prefer_numa_node(std::byte* data, std::size_t length, int node) {
#ifdef SYS_mbind
  constexpr int kPreferred = 1;  // The value of MPOL_PREFERRED.
  constexpr int kBits = 64;
  std::array<unsigned long, 16> nodes{};
  if (node < 0 || static_cast<std::size_t>(node) >= nodes.size() * kBits) return false;
  nodes[static_cast<std::size_t>(node / kBits)] = 1UL << static_cast<unsigned>(node % kBits);
  return syscall(SYS_mbind, data, length, kPreferred, nodes.data(), nodes.size() * kBits + 1, 0) == 0;
#else
  (void)data, (void)length, (void)node;
  return false;
#endif
}

Failure no_memory(Bytes size) {
  char amount[64];
  std::snprintf(amount, sizeof amount, "%.1f MiB", static_cast<double>(size.count) / (1 << 20));
  return Failure{ErrorCode::out_of_memory, "cannot allocate " + std::string(amount) + " (" +
                                               std::to_string(size.count) + " bytes) of host memory"};
}

}  // namespace

Result<HostBuffer> HostBuffer::allocate(Bytes size) {
  if (size.count == 0) return HostBuffer();
  if (size > kLargest) return no_memory(size);
  const bool mapped = size >= kHugePage;
  auto* data = mapped ? map_huge(size) : allocate_small(size);
  if (data == nullptr) return no_memory(size);
  return HostBuffer(data, size, mapped);
}

Result<HostBuffer> HostBuffer::allocate_on(Bytes size, int numa_node) {
  if (size.count == 0) return HostBuffer();
  if (size > kLargest) return no_memory(size);
  auto* data = size < kHugePage ? map_small(size) : map_huge(size);
  if (data == nullptr) return no_memory(size);
  HostBuffer buffer(data, size, true);
  buffer.placed_ = prefer_numa_node(data, mapped_length(size), numa_node);
  return buffer;
}

void HostBuffer::release() noexcept {
  if (mapped_) {
    munmap(data_, mapped_length(size_));
  } else {
    std::free(data_);  // NOLINT(cppcoreguidelines-no-malloc): this is the RAII type
  }
}

HostBuffer::HostBuffer(HostBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, Bytes{})),
      mapped_(std::exchange(other.mapped_, false)),
      placed_(std::exchange(other.placed_, false)) {}

HostBuffer& HostBuffer::operator=(HostBuffer&& other) noexcept {
  if (this != &other) {
    release();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, Bytes{});
    mapped_ = std::exchange(other.mapped_, false);
    placed_ = std::exchange(other.placed_, false);
  }
  return *this;
}

HostBuffer::~HostBuffer() { release(); }

}  // namespace troupe::platform
