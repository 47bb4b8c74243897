/// Memory in huge pages, so that the system has fewer pages to create and to look up.
#pragma once

#include <cstddef>

#include "troupe/units.hpp"

namespace troupe::platform {

/// The size of a huge page.
inline constexpr Bytes kHugePage{std::uint64_t{2} << 20};

/// Maps (`mmap`) whole pages to read and write, from the beginning of the file `descriptor` (-1 with MAP_ANONYMOUS, if
/// there is no file). If the mapping has at least `kHugePage` bytes, the address is a multiple of `kHugePage`, so that
/// huge pages fit. Returns null on failure, with the reason in errno.
[[nodiscard]] std::byte* map_aligned(std::size_t length, int flags, int descriptor) noexcept;

/// Puts as much of shared memory as possible into huge pages, all at once. This also works on systems that do not use
/// huge pages for shared memory on their own, which is the setting of most systems. The content stays. If the system
/// cannot do this (Linux before 6.1) or has no huge pages left, the pages stay small, and some of the memory may still
/// have no pages.
void make_huge(std::byte* data, std::size_t length) noexcept;

}  // namespace troupe::platform
