/// The figures of mailboxes, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "actors/observation/metrics_snapshot.hpp"

namespace troupe::traces {

/// Returns a heading and a table with one row per actor.
[[nodiscard]] std::string mailbox_table(const MetricsSnapshot& metrics);
/// Returns `{"mailboxes": [...]}`, with times in seconds.
[[nodiscard]] nlohmann::json metrics_as_json(const MetricsSnapshot& metrics);

}  // namespace troupe::traces
