#include "actors/observation/latency_histogram.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace troupe::observation {

std::size_t LatencyHistogram::bucket_of(std::uint64_t ns) noexcept {
  if (ns < kPerRange) return static_cast<std::size_t>(ns);
  if (ns >= (std::uint64_t{1} << kLargestPower)) return kBuckets - 1;
  // The first range that is cut into eight buckets is 8 … 15.
  const auto power = static_cast<std::size_t>(std::bit_width(ns)) - 1;
  const std::size_t place = static_cast<std::size_t>(ns >> (power - 3)) & (kPerRange - 1);
  return (power - 2) * kPerRange + place;
}

std::uint64_t LatencyHistogram::last_of(std::size_t bucket) noexcept {
  if (bucket < kPerRange) return bucket;
  if (bucket >= kBuckets - 1) return std::numeric_limits<std::uint64_t>::max();
  const std::size_t shift = bucket / kPerRange - 1;
  return ((kPerRange + bucket % kPerRange + 1) << shift) - 1;
}

void LatencyHistogram::note(Duration duration) noexcept {
  const auto ns = static_cast<std::uint64_t>(std::max<Duration::rep>(duration.count(), 0));
  counts_[bucket_of(ns)].fetch_add(1, std::memory_order_relaxed);
  total_ns_.fetch_add(ns, std::memory_order_relaxed);
  std::uint64_t longest = longest_ns_.load(std::memory_order_relaxed);
  while (ns > longest && !longest_ns_.compare_exchange_weak(longest, ns, std::memory_order_relaxed)) {
  }
}

LatencySummary LatencyHistogram::summary() const {
  std::array<std::uint64_t, kBuckets> counts{};
  LatencySummary summary;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    counts[i] = counts_[i].load(std::memory_order_relaxed);
    summary.count += counts[i];
  }
  if (summary.count == 0) return summary;
  const std::uint64_t longest = longest_ns_.load(std::memory_order_relaxed);
  const auto percentile = [&](std::uint64_t percent) {
    // Returns the largest duration of the bucket that contains the percentile, but at most the longest duration seen.
    const std::uint64_t rank = (summary.count * percent + 99) / 100;
    std::uint64_t seen = 0;
    std::size_t bucket = 0;
    while (bucket + 1 < kBuckets && (seen += counts[bucket]) < rank) ++bucket;
    return Duration(static_cast<Duration::rep>(std::min(last_of(bucket), longest)));
  };
  summary.p50 = percentile(50);
  summary.p90 = percentile(90);
  summary.p99 = percentile(99);
  summary.max = Duration(static_cast<Duration::rep>(longest));
  summary.mean = Duration(static_cast<Duration::rep>(total_ns_.load(std::memory_order_relaxed) / summary.count));
  return summary;
}

}  // namespace troupe::observation
