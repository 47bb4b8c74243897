/// Time charges: divides the time of a device among the tasks that use the device at the same time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "troupe/units.hpp"

namespace troupe::workers {

/// The time charged to one task, in the time of the device's clock.
struct TimeCharge {
  /// The time at which the task began on the device, if known.
  std::optional<Duration> begun;
  /// The time that the task has been charged up to now.
  Duration charged{};
};

/// Charges the time from `from` to `end`: at any moment, the tasks that have begun are charged equally.
/// `charge_of(slot)` returns the charge of a slot's task, or null if the slot has no task on the device.
template <class Slots, class ChargeOf>
void charge_time(Duration from, Duration end, Slots& slots, const ChargeOf& charge_of) {
  // One pass for each interval between two begins of tasks: after each begin, the time is divided among one more task.
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
