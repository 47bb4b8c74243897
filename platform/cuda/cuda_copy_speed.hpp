/// The measured cost of a copy.
#pragma once

#include "platform/accelerators/accelerator.hpp"
#include "platform/cuda/cuda_api.hpp"

namespace troupe::platform {

/// Copies `size` bytes a few times on the stream, and a small part of them more often: a few milliseconds for 16 MiB.
/// Both places must hold `size` bytes; the target is overwritten.
[[nodiscard]] Result<CopySpeed> measure_copies(const CudaApi& api, cudaStream_t stream, std::byte* to,
                                               const std::byte* from, Bytes size, cudaMemcpyKind kind);

}  // namespace troupe::platform
