#include "kernels/checks/pivots.hpp"

#include <atomic>
#include <string>

#include "troupe/errors.hpp"

namespace troupe::kernels {

CheckedPivots::CheckedPivots(std::span<const std::span<const int>> pieces, std::int64_t begin, std::int64_t end) {
  std::size_t count = 0;
  for (const auto& piece : pieces) count += piece.size();
  pivots_.reserve(count);
  for (const auto& piece : pieces) {
    for (const int& given : piece) {
      // Load the value once, atomically: another process may change it, and the checked value must be the used value.
      const int pivot = std::atomic_ref<int>(const_cast<int&>(given)).load(std::memory_order_relaxed);
      if (pivot < begin || pivot >= end) unusable_pivot(size(), begin, end);
      pivots_.push_back(pivot);
    }
  }
}

void unusable_pivot(std::int64_t index, std::int64_t begin, std::int64_t end) {
  throw Error(ErrorCode::bad_input, "pivot " + std::to_string(index) + " is none of the rows " + std::to_string(begin) +
                                        " up to " + std::to_string(end) +
                                        " that the task exchanges: pass pivots as the factorization leaves them");
}

}  // namespace troupe::kernels
