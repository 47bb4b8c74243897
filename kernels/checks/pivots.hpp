/// Pivots that are safe to use, even if another process can write them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace troupe::kernels {

/// A copy of the pivots in `pieces`. Each element is read once, and must be a row from `begin` to `end` - 1; otherwise
/// the constructor throws `bad_input`. Other threads may write the pieces at the same time.
class CheckedPivots {
 public:
  CheckedPivots(std::span<const std::span<const int>> pieces, std::int64_t begin, std::int64_t end);
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(pivots_.size()); }
  [[nodiscard]] std::int64_t operator[](std::int64_t i) const { return pivots_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<int> pivots_;
};

/// Throws `bad_input`; the message says that pivot `index`, counted from 0, is none of the rows `begin` to `end` - 1.
[[noreturn]] void unusable_pivot(std::int64_t index, std::int64_t begin, std::int64_t end);

}  // namespace troupe::kernels
