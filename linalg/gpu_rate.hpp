/// The speed of this machine's GPUs, and the size of tiles for the devices of a runtime.
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
/// 4) or double (8). `memory` is the smallest memory for data of all accelerators; empty if it is not known. The rate
/// is 0 if one of the GPUs does not exist. Takes up to a few milliseconds per GPU. May be called from any thread.
[[nodiscard]] GpuRate rate_of_gpus(std::size_t count, std::optional<Bytes> memory, std::size_t element_bytes);

/// Returns the tile size for a matrix with `n` columns that suits all devices of the runtime. `tile` is the number of
/// columns that the caller has chosen; 0: `default_tile`. In virtual time and on a service, the rates of GPUs are not
/// known, so the choice ignores GPUs.
[[nodiscard]] TileSize default_tile_size(const Runtime& runtime, Application application, std::int64_t n,
                                         std::size_t element_bytes, std::int64_t tile);

}  // namespace troupe::linalg
