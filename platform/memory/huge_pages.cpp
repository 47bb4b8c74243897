#include "platform/memory/huge_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

// The headers of some systems do not have these constants yet.
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

namespace troupe::platform {
namespace {

constexpr int kAccess = PROT_READ | PROT_WRITE;

/// Returns the number of bytes from an address to the next multiple of a huge page.
std::size_t to_next_huge_page(const void* address) {
  const auto beyond = reinterpret_cast<std::uintptr_t>(address) % kHugePage.count;
  return beyond == 0 ? 0 : kHugePage.count - beyond;
}

}  // namespace

std::byte* map_aligned(std::size_t length, int flags, int descriptor) noexcept {
  void* where = nullptr;
  if (length >= kHugePage.count) {
    // Reserves more than `length`, and then releases the pages before the first multiple of a huge page and the pages
    // after the end.
    const std::size_t reserve = length + kHugePage.count;
    void* const raw = ::mmap(nullptr, reserve, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED) return nullptr;
    auto* const begin = static_cast<std::byte*>(raw);
    const std::size_t before = to_next_huge_page(raw);
    const std::size_t after = reserve - before - length;
    if (before > 0) ::munmap(begin, before);
    if (after > 0) ::munmap(begin + before + length, after);
    where = begin + before;
    flags |= MAP_FIXED;
  }
  void* const mapped = ::mmap(where, length, kAccess, flags, descriptor, 0);
  if (mapped != MAP_FAILED) return static_cast<std::byte*>(mapped);
  const int error = errno;
  if (where != nullptr) ::munmap(where, length);
  errno = error;
  return nullptr;
}

void make_huge(std::byte* data, std::size_t length) noexcept {
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t before = to_next_huge_page(data);
  if (length < before + kHugePage.count) return;
  std::byte* const begin = data + before;
  const std::size_t whole = (length - before) / kHugePage.count * kHugePage.count;
  // Touches one page in each huge page: the system makes a huge page only if at least one of its pages exists.
  for (std::size_t offset = 0; offset < whole; offset += kHugePage.count) {
    if (::madvise(begin + offset, page, MADV_POPULATE_WRITE) != 0) return;
  }
  (void)::madvise(begin, whole, MADV_COLLAPSE);
}

}  // namespace troupe::platform
