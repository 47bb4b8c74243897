/// The measured cost of a copy.
#pragma once

#include "platform/accelerators/accelerator.hpp"
#include "platform/cuda/cuda_api.hpp"

namespace troupe::platform {

/// Measures the copies of `size` bytes on the stream: makes a few copies of all bytes, and more copies of a small part.
/// Takes a few milliseconds for 16 MiB. Both places must hold `size` bytes; the target is overwritten.
[[nodiscard]] Result<CopySpeed> measure_copies(const CudaApi& api, cudaStream_t stream, std::byte* to,
                                               const std::byte* from, Bytes size, cudaMemcpyKind kind);

}  // namespace troupe::platform
