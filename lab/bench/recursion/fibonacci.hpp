/// Fibonacci numbers by their definition: next to no work, in tasks that return values.
#pragma once

#include <cstdint>

#include "lab/bench/recursion/recursion_case.hpp"

namespace troupe::bench {

/// Returns the Fibonacci number `n`, computed by recursive calls.
[[nodiscard]] std::int64_t fibonacci_without_tasks(std::int64_t n);

/// Computes the Fibonacci number `n`. Numbers below the cut-off are computed without tasks.
class Fibonacci {
 public:
  explicit Fibonacci(const RecursionCase& options) : n_(options.n), cutoff_(options.cutoff) {}

  void prepare() { result_ = 0; }
  template <class Tasks>
  void run(Tasks& tasks) {
    result_ = compute(tasks, n_);
  }
  void check() const;
  [[nodiscard]] std::uint64_t checksum() const { return static_cast<std::uint64_t>(result_); }

 private:
  template <class Tasks>
  std::int64_t compute(Tasks& tasks, std::int64_t n) const {
    if (n < cutoff_) return fibonacci_without_tasks(n);
    typename Tasks::template Sum<1> first(tasks);
    first.add([this, &tasks, n] { return compute(tasks, n - 1); });
    const std::int64_t second = compute(tasks, n - 2);
    return first.wait() + second;
  }

  std::int64_t n_ = 0;
  std::int64_t cutoff_ = 0;
  std::int64_t result_ = 0;
};

}  // namespace troupe::bench
