/// Measured times of tasks that should take equally long.
#pragma once

#include <cstdint>

namespace troupe::scheduler {

/// Count, mean and standard deviation of times, in seconds (Welford's method).
///
/// *Ageing*: from `kMemory` times on, each new time has the weight 1/`kMemory`, and the older times fade. So the mean
/// follows a machine that has changed, and no wrong time has an effect for ever.
///
/// *Strange times*: the first task of a kind, with cold caches and untouched memory, can take ten times as long as the
/// next. A time that is `kStrange` times longer or shorter than the mean is set aside. If as many strange times come in
/// a row as there are times in the mean (`kInARow` suffice), the mean was wrong, and the strange times replace it. A
/// time that is not strange ends the row, and the strange times of the row are dropped. If times vary so much that more
/// than a quarter were strange, strange times are no exceptions: from then on all times count. So the mean and the
/// deviation leave out rare exceptions only, and no time is dropped because earlier times were wrong.
class TimeStatistics {
 public:
  static constexpr std::uint64_t kMemory = 100;
  static constexpr double kStrange = 3;
  static constexpr std::uint64_t kInARow = 3;

  TimeStatistics() = default;
  /// Makes statistics from numbers that were saved earlier; a `count` of 0 makes empty statistics.
  TimeStatistics(std::uint64_t count, double mean_s, double deviation_s, std::uint64_t strange);

  void add(double time_s);

  /// Returns the number of times in the mean, including those that have faded.
  [[nodiscard]] std::uint64_t count() const { return settled_.count; }
  [[nodiscard]] double mean_s() const { return settled_.mean_s; }
  /// Returns the sample standard deviation of the times; 0 for fewer than two times.
  [[nodiscard]] double deviation_s() const;
  /// Returns the weight of all measurements in the mean, at most `kMemory`.
  [[nodiscard]] double weight() const;
  /// Returns the number of strange times, set aside or not, since `kInARow` or more strange times last replaced the
  /// mean.
  [[nodiscard]] std::uint64_t strange() const { return strange_; }

 private:
  struct Moments {
    std::uint64_t count = 0;
    double mean_s = 0;
    /// Sum of squared distances from the mean.
    double squares = 0;
    void add(double time_s);
    [[nodiscard]] double weight() const;
  };

  [[nodiscard]] bool is_strange(double time_s) const;

  Moments settled_;
  /// The strange times since the last time that was not strange.
  Moments strangers_;
  std::uint64_t strange_ = 0;
};

}  // namespace troupe::scheduler
