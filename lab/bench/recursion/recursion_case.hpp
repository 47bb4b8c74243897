/// The parameters and the timing of the benchmark `recursion`, which runs programs of divide and conquer.
///
/// Each program is written once, as a template: all runtimes run the same recursion with the same cut-off. The template
/// argument is what a runner makes of its runtime, a class `Tasks`:
///
///     tasks.run(f)                     runs a function in the runtime; returns when it and its tasks have ended
///     Tasks::Group group(tasks);       tasks of one function, which has to wait for them:
///     group.run(f); …; group.wait();
///     Tasks::Sum<kMost> sum(tasks);    the same for at most `kMost` functions that return `std::int64_t`:
///     sum.add(f); …; sum.wait()        returns the sum of their values
///
/// Functions are copied. What they refer to lives until `wait` returns.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lab/bench/parameters.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {

enum class Recursion : std::uint8_t {
  fibonacci,
  quicksort,
  queens,
  strassen,
  cholesky,
  barnes_hut,
  fft,
  alignment,
  health,
  floorplan,
  tree,
  knapsack
};

inline constexpr std::array kRecursions{Recursion::fibonacci, Recursion::quicksort, Recursion::queens,
                                        Recursion::strassen,  Recursion::cholesky,  Recursion::barnes_hut,
                                        Recursion::fft,       Recursion::alignment, Recursion::health,
                                        Recursion::floorplan, Recursion::tree,      Recursion::knapsack};

[[nodiscard]] const char* to_string(Recursion program);

struct RecursionCase {
  Recursion program = Recursion::fibonacci;
  /// The size of the input; each program says what it counts.
  std::int64_t n = 0;
  /// The size from which on a part is computed without tasks; for `queens`, `floorplan`, `tree` and `knapsack`
  /// the depth of the tasks.
  std::int64_t cutoff = 0;
  int cores = 1;
};

/// Reads the parameters `program n cutoff cores`. By default, the sizes are those of `RecursionSizes`.
[[nodiscard]] RecursionCase recursion_case(Parameters& parameters);

struct RecursionSizes {
  std::int64_t n = 0;
  std::int64_t cutoff = 0;
  /// An input that only shows that everything works.
  std::int64_t tiny_n = 0;
};
[[nodiscard]] RecursionSizes recursion_sizes(Recursion program);

/// The times of the runs of one program. The first run is a warm-up.
class RecursionTimes {
 public:
  /// Returns true until there are enough runs: as many as fit into 0.5 s, at least three and at most 25.
  [[nodiscard]] bool wants_more() const;
  void start() { start_ = std::chrono::steady_clock::now(); }
  void stop();
  /// Figures: `seconds` and `ms` (the median), `runs` and `checksum`.
  [[nodiscard]] Json figures(std::uint64_t checksum) const;

 private:
  std::chrono::steady_clock::time_point start_;
  bool warm_ = false;
  std::vector<double> seconds_;
  double total_ = 0;
};

/// Returns a checksum of the bits of these values. All runtimes compute the same bits, because a recursion has the same
/// order of operations in all of them.
[[nodiscard]] std::uint64_t checksum_of(std::span<const double> values);

/// Throws std::runtime_error that says which program was wrong, if `right` is false.
void require_right(bool right, Recursion program);

/// A `Tasks::Sum` that is made of a `Tasks::Group`.
template <class Group, std::size_t kMost>
class GroupSum {
 public:
  template <class Tasks>
  explicit GroupSum(Tasks& tasks) : group_(tasks) {}
  template <class F>
  void add(const F& function) {
    group_.run([function, value = &values_[count_++]] { *value = function(); });
  }
  std::int64_t wait() {
    group_.wait();
    return std::accumulate(values_.begin(), values_.begin() + count_, std::int64_t{0});
  }

 private:
  std::array<std::int64_t, kMost> values_;
  std::ptrdiff_t count_ = 0;
  Group group_;
};

/// Measures a program: an object with `prepare()`, `run(tasks)`, `check()`, which throws if the result is wrong, and
/// `checksum()` of the result. Only `run` is timed.
template <class Tasks, class Program>
Json measure_program(Tasks& tasks, Program&& program) {
  RecursionTimes times;
  while (times.wants_more()) {
    program.prepare();
    times.start();
    tasks.run([&] { program.run(tasks); });
    times.stop();
    program.check();
  }
  return times.figures(program.checksum());
}

}  // namespace troupe::bench
