/// A set of the numbers of ended tasks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

namespace troupe::remote {

/// A set of numbers, counted from 1, that are added roughly in order. The set needs one bit for each number after the
/// first missing number. Not thread-safe.
class EndedNumbers {
 public:
  /// Returns the largest number up to which all numbers are in the set.
  [[nodiscard]] std::uint64_t complete() const { return base_ + trailing_; }
  [[nodiscard]] bool contains(std::uint64_t number) const {
    if (number <= base_) return number != 0;
    const std::uint64_t index = number - base_ - 1;
    return index / 64 < words_.size() && (words_[index / 64] >> (index % 64) & 1U) != 0;
  }
  /// Adds `count` numbers from `first` on.
  void add(std::uint64_t first, std::uint64_t count) {
    if (first <= base_ || count == 0) return;
    const std::uint64_t begin = first - base_ - 1;
    const std::uint64_t end = begin + count;
    if (words_.size() < (end + 63) / 64) words_.resize((end + 63) / 64);
    for (std::uint64_t index = begin; index < end;) {
      const std::uint64_t bit = index % 64;
      const std::uint64_t bits = std::min<std::uint64_t>(64 - bit, end - index);
      words_[index / 64] |= (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1) << bit;
      index += bits;
    }
    while (!words_.empty() && words_.front() == ~std::uint64_t{0}) {
      words_.pop_front();
      base_ += 64;
    }
    trailing_ = words_.empty() ? 0 : static_cast<std::uint64_t>(__builtin_ctzll(~words_.front()));
  }

 private:
  /// All numbers up to `base_`, a multiple of 64, are in the set. `words_` has the bits of the numbers after `base_`.
  std::uint64_t base_ = 0;
  std::uint64_t trailing_ = 0;
  std::deque<std::uint64_t> words_;
};

}  // namespace troupe::remote
