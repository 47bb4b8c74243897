#include "lab/bench/recursion/quicksort.hpp"

#include <algorithm>
#include <random>

namespace troupe::bench {

double* split_for_quicksort(double* first, double* last) {
  const double a = *first;
  const double b = first[(last - first) / 2];
  const double c = last[-1];
  const double pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
  double* low = first;
  double* high = last - 1;
  while (true) {
    while (*low < pivot) ++low;
    while (pivot < *high) --high;
    if (low >= high) return high + 1;
    std::swap(*low++, *high--);
  }
}

void sort_without_tasks(double* first, double* last) { std::sort(first, last); }

Quicksort::Quicksort(const RecursionCase& options) : cutoff_(std::max<std::int64_t>(options.cutoff, 2)) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  original_.resize(static_cast<std::size_t>(options.n));
  for (double& value : original_) value = uniform(random);
  sorted_ = original_;
  std::sort(sorted_.begin(), sorted_.end());
}

}  // namespace troupe::bench
