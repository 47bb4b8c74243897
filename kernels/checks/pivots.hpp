/// Pivots that are safe to follow, wherever they come from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace troupe::kernels {

/// A copy of `given`, each element read once and checked: all of them are rows of a matrix of `rows` rows. Throws
/// `bad_input` where one is not. Others may write `given` at the same time.
class CheckedPivots {
 public:
  CheckedPivots(std::span<const int> given, std::int64_t rows);
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(pivots_.size()); }
  [[nodiscard]] std::int64_t operator[](std::int64_t i) const { return pivots_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<int> pivots_;
};

/// Throws `bad_input`: pivot number `index`, counted from 0, is no row.
[[noreturn]] void unusable_pivot(std::int64_t index, std::int64_t rows);

}  // namespace troupe::kernels
