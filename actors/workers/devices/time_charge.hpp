/// Time charges: the parts of a device's time that are charged to the tasks which share the device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "troupe/units.hpp"

namespace troupe::workers {

/// The time charged to one task, by its device's clock.
struct TimeCharge {
  /// The time at which the task began on the device, if known.
  std::optional<Duration> begun;
  /// The task's part of the time up to now.
  Duration charged{};
};

/// Charges the time from `from` to `end`: at any moment the tasks that have begun share it equally. `charge_of(slot)`
/// returns the charge of a slot's task, or null if the slot has no task on the device.
template <class Slots, class ChargeOf>
void charge_time(Duration from, Duration end, Slots& slots, const ChargeOf& charge_of) {
  // One pass for each interval between two begins of tasks: at each begin, one more task shares the time.
  for (Duration to; from < end; from = to) {
    to = end;
    std::int64_t sharing = 0;
    for (auto& slot : slots) {
      const TimeCharge* const charge = charge_of(slot);
      if (charge == nullptr || !charge->begun) continue;
      if (*charge->begun <= from) {
        ++sharing;
      } else {
        to = std::min(to, *charge->begun);
      }
    }
    for (auto& slot : slots) {
      TimeCharge* const charge = charge_of(slot);
      if (charge != nullptr && charge->begun && *charge->begun <= from) charge->charged += (to - from) / sharing;
    }
  }
}

}  // namespace troupe::workers
