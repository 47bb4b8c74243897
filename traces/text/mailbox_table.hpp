/// The latencies of the actors' mailboxes, as a table for people and as JSON for programs.
#pragma once

#include <string>

#include "proto/json/json.hpp"
#include "troupe/report.hpp"

namespace troupe::traces {

/// Returns a heading and a table with one row per actor.
[[nodiscard]] std::string mailbox_table(const MetricsSnapshot& metrics);
/// Returns `{"mailboxes": [...]}`, with times in seconds.
[[nodiscard]] Json metrics_as_json(const MetricsSnapshot& metrics);

}  // namespace troupe::traces
