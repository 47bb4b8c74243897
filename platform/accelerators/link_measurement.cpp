#include "platform/accelerators/link_measurement.hpp"

#include <algorithm>
#include <array>
#include <future>

#include "platform/machine/clock.hpp"

namespace troupe::platform {

namespace {

constexpr std::size_t kSmallest = std::size_t{64} << 10U;
/// The factor between the size of one measured copy and the next larger size. A few sizes are enough to show whether
/// the time grows linearly.
constexpr std::size_t kStep = 16;
constexpr std::size_t kLargestCopy = std::size_t{16} << 20U;
constexpr std::size_t kCopies = 5;

Result<Duration> time_one(Accelerator& accelerator, CopyDirection direction, std::span<std::byte> host) {
  std::byte* const device = accelerator.memory();
  const bool to_device = direction == CopyDirection::to_device;
  BlockCopy copy;
  copy.from = to_device ? host.data() : device;
  copy.to = to_device ? device : host.data();
  copy.from_pitch = copy.to_pitch = copy.column_bytes = host.size();
  copy.columns = 1;
  std::promise<Result<void>> done;
  const SteadyClock clock;
  const TimeStamp start = clock.now();
  accelerator.copy(direction, copy, 0, true, [&done](Result<void> outcome) { done.set_value(std::move(outcome)); });
  const Result<void> outcome = done.get_future().get();
  const Duration took = clock.now() - start;
  if (!outcome) return outcome.failure();
  return took;
}

}  // namespace

CopySpeed copy_speed_of(std::span<const CopyTime> times) {
  const CopyTime& least = times.front();
  const CopyTime& most = times.back();
  const auto bytes = static_cast<double>(most.size.count - least.size.count);
  // If there is only one size, or if a disturbance made the large copy seem no slower than the small copy, the rate is
  // the size divided by the whole time.
  const double taken = seconds(most.time - least.time);
  const double rate = taken > 0 ? bytes / taken : static_cast<double>(most.size.count) / seconds(most.time);
  const double latency = seconds(least.time) - static_cast<double>(least.size.count) / rate;
  return {Duration(static_cast<Duration::rep>(std::max(0.0, latency) * 1e9)), rate};
}

Result<std::vector<CopyTime>> time_copies(Accelerator& accelerator, CopyDirection direction,
                                          std::span<std::byte> host) {
  const std::size_t room = std::min<std::size_t>({host.size(), accelerator.capacity().count, kLargestCopy});
  if (room < kSmallest) {
    return Failure{ErrorCode::invalid_argument, accelerator.name() + ": too little memory to measure its links"};
  }
  std::vector<CopyTime> times;
  for (std::size_t size = kSmallest; size <= room; size *= kStep) {
    std::array<Duration, kCopies> taken{};
    for (Duration& one : taken) {
      const auto time = time_one(accelerator, direction, host.first(size));
      if (!time) return time.failure();
      one = std::max(time.value(), Duration(1));
    }
    std::sort(taken.begin(), taken.end());
    times.push_back({{size}, taken[kCopies / 2]});
  }
  return times;
}

}  // namespace troupe::platform
