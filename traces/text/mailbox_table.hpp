/// Mailbox figures for people and for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "actors/observation/metrics_snapshot.hpp"

namespace troupe::traces {

/// A heading and a table with a row per actor.
[[nodiscard]] std::string mailbox_table(const MetricsSnapshot& metrics);
/// `{"mailboxes": [...]}`, times in seconds.
[[nodiscard]] nlohmann::json metrics_as_json(const MetricsSnapshot& metrics);

}  // namespace troupe::traces
