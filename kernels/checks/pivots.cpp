#include "kernels/checks/pivots.hpp"

#include <atomic>
#include <string>

#include "proto/errors.hpp"

namespace troupe::kernels {

CheckedPivots::CheckedPivots(std::span<const int> given, std::int64_t rows) : pivots_(given.size()) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    // What is checked must be what was read, so the compiler may not read again.
    const int pivot = std::atomic_ref<int>(const_cast<int&>(given[i])).load(std::memory_order_relaxed);
    if (pivot < 0 || pivot >= rows) unusable_pivot(static_cast<std::int64_t>(i), rows);
    pivots_[i] = pivot;
  }
}

void unusable_pivot(std::int64_t index, std::int64_t rows) {
  throw Error(ErrorCode::bad_input, "pivot " + std::to_string(index) + " is none of the " + std::to_string(rows) +
                                        " rows of the matrix: pass pivots as getrf_panel leaves them");
}

}  // namespace troupe::kernels
