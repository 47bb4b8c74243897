/// Waits for the tasks of one factorization or solution.
#pragma once

#include <string>

#include "troupe/data.hpp"
#include "troupe/runtime.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::linalg {

/// Waits until all tasks on the tiles have ended, and brings the tiles to host memory. `acquire_all` acquires all data
/// that the tasks write; it throws if one of the tasks failed. Failures of other tasks, such as those of a
/// factorization in another thread, are not thrown. If a factorization broke down, the message is the fault of the
/// matrix, without the task that found the fault.
template <class AcquireAll>
void wait_for_factors(Runtime& runtime, const AcquireAll& acquire_all) {
  try {
    acquire_all();
  } catch (const Error& own) {
    // A later wait of the program would report this failure again.
    try {
      runtime.wait();
    } catch (const Error& all) {
      // The summary of several failures is thrown whole, so that none is lost.
      const std::string text = all.what();
      if (text.find(" tasks failed") != std::string::npos || text.find(" other failure") != std::string::npos) throw;
    }
    // The kernels' messages begin with this text.
    const std::string text = own.what();
    const auto cause = text.rfind("the matrix is ");
    if (cause != std::string::npos) throw Error(ErrorCode::numerical, text.substr(cause));
    throw;
  }
}

/// Acquires all columns of a matrix that lies in the program's own memory (`TiledMatrix::in_place`).
template <class T>
void acquire_columns(Runtime& runtime, const TiledMatrix<T>& tiles) {
  for (int j = 0; j < tiles.tile_cols(); ++j) (void)runtime.acquire(tiles.column(j), AccessMode::read);
}

}  // namespace troupe::linalg
