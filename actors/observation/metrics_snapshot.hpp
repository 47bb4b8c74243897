/// Metrics snapshot: the measurements of every actor's mailbox at one moment, as plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/units.hpp"

namespace troupe {

/// Percentiles are upper bounds, at most an eighth too large and never above `max`. All fields are zero if `count` is.
struct LatencySummary {
  std::uint64_t count = 0;
  Duration mean{};
  Duration p50{};
  Duration p90{};
  Duration p99{};
  Duration max{};
};

/// One actor, from the runtime's start. A worker's counts go on when its actor dies and is replaced.
struct MailboxMetrics {
  /// The actor's name: "worker 3", "scheduler", "supervisor".
  std::string actor;
  /// Messages sent to it. `received - processed - dropped == depth` in every snapshot.
  std::uint64_t received = 0;
  /// Messages that it has taken out of its mailbox, or answered at delivery.
  std::uint64_t processed = 0;
  /// Messages that were lost with an actor that died, or that came when it had ended.
  std::uint64_t dropped = 0;
  /// The number of messages that wait now, and the largest such number so far.
  std::uint64_t depth = 0;
  std::uint64_t peak_depth = 0;
  /// Steal requests answered at delivery, in the thief's thread.
  std::uint64_t answered_at_delivery = 0;
  /// Messages that waited behind so many others that their time of arrival was not kept.
  std::uint64_t unmeasured = 0;
  /// The time from sending to the beginning of the handler.
  LatencySummary waiting;
  /// The time from the beginning of the handler to its end, or until the worker starts the first task that the message
  /// brought: kernels do not count as handling.
  LatencySummary handling;
  /// The time to answer a steal request at delivery, measured for one in eight.
  LatencySummary answering;
};

struct MetricsSnapshot {
  /// The workers by id, then the supervisor, then the scheduler and the memory manager if there are any.
  std::vector<MailboxMetrics> mailboxes;
};

}  // namespace troupe
