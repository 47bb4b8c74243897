#include "platform/host_buffer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

namespace troupe::platform {
namespace {

/// No object can be larger, and sums of it with page sizes do not overflow.
constexpr Bytes kLargest{static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()) - 2 * kHugePage.count};

std::size_t rounded_up(std::size_t size, std::size_t multiple) { return (size + multiple - 1) / multiple * multiple; }

std::size_t mapped_length(Bytes size) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return rounded_up(size.count, page);
}

/// Maps more than needed, and gives back what lies before the first multiple of a huge page and after the end.
std::byte* map_huge(Bytes size) {
  const std::size_t length = mapped_length(size);
  const std::size_t reserve = length + kHugePage.count;
  void* raw = mmap(nullptr, reserve, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(raw);
  const std::size_t before =
      rounded_up(reinterpret_cast<std::uintptr_t>(raw), kHugePage.count) - reinterpret_cast<std::uintptr_t>(raw);
  const std::size_t after = reserve - before - length;
  if (before > 0) munmap(begin, before);
  if (after > 0) munmap(begin + before + length, after);
  // Without huge pages in the kernel this fails, and everything works with small ones.
  (void)madvise(begin + before, length, MADV_HUGEPAGE);
  return begin + before;
}

std::byte* allocate_small(Bytes size) {
  return static_cast<std::byte*>(
      std::aligned_alloc(kBufferAlignment.count, rounded_up(size.count, kBufferAlignment.count)));
}

void release(std::byte* data, Bytes size) noexcept {
  if (size < kHugePage) {
    std::free(data);  // NOLINT(cppcoreguidelines-no-malloc): this is the RAII type
  } else if (data != nullptr) {
    munmap(data, mapped_length(size));
  }
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
  auto* data = size < kHugePage ? allocate_small(size) : map_huge(size);
  if (data == nullptr) return no_memory(size);
  return HostBuffer(data, size);
}

HostBuffer::HostBuffer(HostBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, Bytes{})) {}

HostBuffer& HostBuffer::operator=(HostBuffer&& other) noexcept {
  if (this != &other) {
    release(data_, size_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, Bytes{});
  }
  return *this;
}

HostBuffer::~HostBuffer() { release(data_, size_); }

}  // namespace troupe::platform
