/// Latency histogram: a distribution of durations in fixed memory.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "troupe/report.hpp"
#include "troupe/units.hpp"

namespace troupe::observation {

/// The ranges between powers of two are each cut into eight equal buckets, so that a percentile is at most an eighth
/// too large. Durations below 8 ns are exact; all durations from 2^40 ns (18 minutes) on share one bucket. The size is
/// 2.3 KiB.
///
/// Any thread may add, and any thread may read meanwhile. All atomic operations are relaxed: the counters publish no
/// other data, and a snapshot taken while others add may lack the newest durations.
class LatencyHistogram {
 public:
  /// Adds a duration. Negative durations count as zero.
  void note(Duration duration) noexcept;
  [[nodiscard]] LatencySummary summary() const;

  static constexpr std::size_t kPerRange = 8;
  static constexpr std::size_t kLargestPower = 40;
  static constexpr std::size_t kBuckets = (kLargestPower - 2) * kPerRange + 1;
  /// `bucket_of` returns the bucket of a duration, `last_of` the largest duration in a bucket. Public only for tests.
  [[nodiscard]] static std::size_t bucket_of(std::uint64_t ns) noexcept;
  [[nodiscard]] static std::uint64_t last_of(std::size_t bucket) noexcept;

 private:
  std::array<std::atomic<std::uint64_t>, kBuckets> counts_{};
  std::atomic<std::uint64_t> total_ns_{0};
  std::atomic<std::uint64_t> longest_ns_{0};
};

}  // namespace troupe::observation
