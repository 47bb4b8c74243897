/// The last few values of a row.
#pragma once

#include <array>
#include <cstddef>

namespace troupe::workers {

/// Holds the last `kMost` values that were put in; each further value replaces the oldest. Unused places hold `T{}`.
template <class T, std::size_t kMost>
class LastFew {
 public:
  void put(const T& value) { values_[next_++ % kMost] = value; }
  [[nodiscard]] auto begin() { return values_.begin(); }
  [[nodiscard]] auto end() { return values_.end(); }
  [[nodiscard]] auto begin() const { return values_.begin(); }
  [[nodiscard]] auto end() const { return values_.end(); }

 private:
  std::array<T, kMost> values_{};
  std::size_t next_ = 0;
};

}  // namespace troupe::workers
