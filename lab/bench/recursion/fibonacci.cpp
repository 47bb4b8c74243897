#include "lab/bench/recursion/fibonacci.hpp"

namespace troupe::bench {

std::int64_t fibonacci_without_tasks(std::int64_t n) {
  return n < 2 ? n : fibonacci_without_tasks(n - 1) + fibonacci_without_tasks(n - 2);
}

void Fibonacci::check() const {
  std::int64_t number = 0;
  std::int64_t next = 1;
  for (std::int64_t i = 0; i < n_; ++i) {
    const std::int64_t sum = number + next;
    number = next;
    next = sum;
  }
  require_right(result_ == number, Recursion::fibonacci);
}

}  // namespace troupe::bench
