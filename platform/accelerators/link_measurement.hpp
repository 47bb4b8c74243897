/// How fast an accelerator's copies are, found out by making some.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "platform/accelerators/accelerator.hpp"
#include "proto/errors.hpp"

namespace troupe::platform {

/// What copies of one size took, each alone.
struct CopyTime {
  Bytes size;
  /// The median.
  Duration time{};
};

/// The line through the smallest and the largest size: latency, not below zero, and bytes per second; of one size, all
/// of the time is the bytes'. Pure. `times`: at least one, by rising size.
[[nodiscard]] CopySpeed copy_speed_of(std::span<const CopyTime> times);

/// Copies of several sizes between `host` and the beginning of the accelerator's memory, which nobody else uses
/// meanwhile, five of each, one after the other; what they overwrite is lost. `host`: as the data of a run will lie
/// (pinned where these are); 16 MiB say enough. Fails with what a copy fails with, and with `invalid_argument` where
/// there is less than 64 KiB on either side. Blocks; not from one of the accelerator's own threads.
[[nodiscard]] Result<std::vector<CopyTime>> time_copies(Accelerator& accelerator, CopyDirection direction,
                                                        std::span<std::byte> host);

}  // namespace troupe::platform
