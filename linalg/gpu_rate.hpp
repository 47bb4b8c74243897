/// The GPUs of this machine, and the tiles that a runtime's devices want.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "linalg/factorization.hpp"
#include "troupe/runtime.hpp"
#include "troupe/tiled_matrix.hpp"
#include "troupe/units.hpp"

namespace troupe::linalg {

/// Returns the rate and memory of the first `count` CUDA GPUs of this process, for a matrix of float (`element_bytes`
/// 4) or double (8). `memory`: the least memory that an accelerator has for data; nothing: not known. The rate is 0 if
/// one of the GPUs is not there. Takes up to some milliseconds per GPU. May be called from any thread.
[[nodiscard]] GpuRate rate_of_gpus(std::size_t count, std::optional<Bytes> memory, std::size_t element_bytes);

/// Returns the tiles of a matrix with `n` columns for all devices of the runtime. `tile`: the number of columns that
/// the caller has chosen; 0: `default_tile`. In virtual time and on a service,
/// where rates are not known, GPUs do not count.
[[nodiscard]] TileSize default_tile_size(const Runtime& runtime, Application application, std::int64_t n,
                                         std::size_t element_bytes, std::int64_t tile);

}  // namespace troupe::linalg
