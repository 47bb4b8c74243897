/// Memory in huge pages: fewer pages to look up, and to make.
#pragma once

#include <cstddef>

#include "troupe/units.hpp"

namespace troupe::platform {

/// The size of a huge page.
inline constexpr Bytes kHugePage{std::uint64_t{2} << 20};

/// Maps (`mmap`) whole pages to read and write, from the descriptor's beginning (-1: none, with MAP_ANONYMOUS). The
/// address is a multiple of `kHugePage` where the mapping is at least that long, so that huge pages fit. Returns null
/// on failure, with the reason in errno.
[[nodiscard]] std::byte* map_aligned(std::size_t length, int flags, int descriptor) noexcept;

/// Takes huge pages for as much of shared memory as they fit into, all at once, whatever the system's setting for
/// faults in shared memory, which is "never" on most systems. The content stays. Where the system does not know how
/// (Linux before 6.1) or has none left, the pages stay small, and some of the memory may still have none.
void make_huge(std::byte* data, std::size_t length) noexcept;

}  // namespace troupe::platform
