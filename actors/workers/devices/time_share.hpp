/// Time shares: the parts of a device's time that are charged to the tasks which share the device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "troupe/units.hpp"

namespace troupe::workers {

/// The share of one task, by its device's clock.
struct TimeShare {
  /// The time at which the task began on the device, if known.
  std::optional<Duration> begun;
  /// The task's part of the time up to now.
  Duration charged{};
};

/// Charges the time from `from` to `end`: at any moment the tasks that have begun share it equally. `share_of(slot)`
/// returns the share of a slot's task, or null if the slot has no task on the device.
template <class Slots, class ShareOf>
void share_time(Duration from, Duration end, Slots& slots, const ShareOf& share_of) {
  // One pass for each interval between two begins of tasks: at each begin, one more task shares the time.
  for (Duration to; from < end; from = to) {
    to = end;
    std::int64_t sharing = 0;
    for (auto& slot : slots) {
      const TimeShare* const share = share_of(slot);
      if (share == nullptr || !share->begun) continue;
      if (*share->begun <= from) {
        ++sharing;
      } else {
        to = std::min(to, *share->begun);
      }
    }
    for (auto& slot : slots) {
      TimeShare* const share = share_of(slot);
      if (share != nullptr && share->begun && *share->begun <= from) share->charged += (to - from) / sharing;
    }
  }
}

}  // namespace troupe::workers
