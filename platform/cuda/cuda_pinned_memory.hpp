/// Tracks which host memory this process has pinned.
#pragma once

#include <cstddef>

namespace troupe::platform {

/// `cuda_opened` is called when a GPU is opened, `cuda_closed` when a GPU is closed. Memory can be pinned as long as at
/// least one GPU is open.
void cuda_opened(int device);
void cuda_closed(int device);

/// Returns true if some of the range is pinned, and the rest is not pinned or belongs to another registration. CUDA
/// refuses to copy such a range in one call if it begins in pinned memory. May be called from any thread.
[[nodiscard]] bool pinned_in_part(const std::byte* data, std::size_t size);

}  // namespace troupe::platform
