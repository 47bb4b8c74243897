/// Tracks which host memory this process has pinned.
#pragma once

#include <cstddef>

namespace troupe::platform {

/// Called when a GPU whose context pins memory is opened, and when it is closed.
void cuda_opened(int device);
void cuda_closed(int device);

/// Returns true if some of the range is pinned and some is not, or is pinned by another registration: CUDA refuses to
/// copy such a range in one call where it begins in pinned memory. May be called from any thread.
[[nodiscard]] bool pinned_in_part(const std::byte* data, std::size_t size);

}  // namespace troupe::platform
