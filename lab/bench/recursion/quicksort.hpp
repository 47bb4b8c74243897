/// Quicksort of random numbers: the parts differ in size, and the first steps have little parallelism.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/bench/recursion/recursion_case.hpp"

namespace troupe::bench {

/// Moves the numbers so that none before the returned place is larger than any from there on. Both parts have at least
/// one number; there must be at least three. The pivot is the median of the first, the middle and the last number.
[[nodiscard]] double* split_for_quicksort(double* first, double* last);
void sort_without_tasks(double* first, double* last);

/// Sorts `n` numbers. Parts of at most `cutoff` numbers are sorted by `std::sort`.
class Quicksort {
 public:
  explicit Quicksort(const RecursionCase& options);

  void prepare() { values_ = original_; }
  template <class Tasks>
  void run(Tasks& tasks) {
    sort(tasks, values_.data(), values_.data() + values_.size());
  }
  void check() const { require_right(values_ == sorted_, Recursion::quicksort); }
  [[nodiscard]] std::uint64_t checksum() const { return checksum_of(values_); }

 private:
  template <class Tasks>
  void sort(Tasks& tasks, double* first, double* last) const {
    if (last - first <= cutoff_) return sort_without_tasks(first, last);
    double* middle = split_for_quicksort(first, last);
    typename Tasks::Group group(tasks);
    group.run([this, &tasks, first, middle] { sort(tasks, first, middle); });
    sort(tasks, middle, last);
    group.wait();
  }

  std::int64_t cutoff_ = 0;
  std::vector<double> original_;
  std::vector<double> sorted_;
  std::vector<double> values_;
};

}  // namespace troupe::bench
