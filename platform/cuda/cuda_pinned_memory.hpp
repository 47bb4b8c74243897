/// Which host memory this process has pinned.
#pragma once

#include <cstddef>

namespace troupe::platform {

/// A GPU whose context pins memory, from its opening to its closing.
void cuda_opened(int device);
void cuda_closed(int device);

/// Whether some of the range is pinned and some is not, or by another registration: CUDA refuses to copy such a range
/// in one call where it begins in what is pinned. Any thread.
[[nodiscard]] bool pinned_in_part(const std::byte* data, std::size_t size);

}  // namespace troupe::platform
