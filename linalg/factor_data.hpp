/// Data that belong to a factorization besides the matrix itself.
#pragma once

#include <algorithm>
#include <cstdint>

#include "troupe/tiled_matrix.hpp"

namespace troupe::linalg {

/// Returns an uninitialized block in memory that the runtime allocates, or without memory if `storage` is `none`.
template <class T>
Data factor_data(Runtime& runtime, std::int64_t rows, std::int64_t cols, const char* name, TileStorage storage) {
  return storage == TileStorage::none ? runtime.matrix<T>(nullptr, rows, cols, std::max<std::int64_t>(rows, 1), name)
                                      : runtime.allocate_matrix<T>(rows, cols, name);
}

}  // namespace troupe::linalg
