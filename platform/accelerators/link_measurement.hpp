/// Measures how fast an accelerator's copies are, by making some copies.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "platform/accelerators/accelerator.hpp"
#include "troupe/errors.hpp"

namespace troupe::platform {

/// The time that one copy of a size takes while no other copy is under way.
struct CopyTime {
  Bytes size;
  /// The median of the measured times.
  Duration time{};
};

/// Computes the latency (not below zero) and the bytes per second from the line through the smallest and the largest
/// size. With one size, the rate is the size divided by the whole time. Pure. `times` has at least one entry and is
/// sorted by size.
[[nodiscard]] CopySpeed copy_speed_of(std::span<const CopyTime> times);

/// Times copies of several sizes between `host` and the beginning of the accelerator's memory, five of each, one after
/// the other. Nothing else may use this memory during the measurement, and its content is lost. `host` should be like
/// the memory of a run's data (pinned if those data are pinned); 16 MiB are enough. Fails with the failure of a copy,
/// and with `invalid_argument` if there is less than 64 KiB on either side. Blocks; must not be called from one of the
/// accelerator's own threads.
[[nodiscard]] Result<std::vector<CopyTime>> time_copies(Accelerator& accelerator, CopyDirection direction,
                                                        std::span<std::byte> host);

}  // namespace troupe::platform
