/// What a run has copied between memories, for people and for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "actors/reporting/run_report.hpp"

namespace troupe::traces {

/// The memory nodes of a run, by number: "host", then the devices with a memory of their own, "emulated GPU 0".
[[nodiscard]] std::vector<std::string> node_names(const RunReport& report);

/// The workers whose devices have memories of their own, and the cores of the others.
[[nodiscard]] std::size_t count_accelerators(const RunReport& report);
[[nodiscard]] std::size_t count_cores(const RunReport& report);

/// What was copied between two reports of one runtime. Peaks of memories are those since its start.
[[nodiscard]] TransferReport difference(const TransferReport& later, const TransferReport& earlier);

/// Copies between each two memories, the use of the devices' memories, and what the memory manager did, each line
/// indented. Empty where there is host memory alone.
[[nodiscard]] std::string transfers_text(const RunReport& report);

/// Adds `bytes_host_to_device`, `bytes_device_to_host` and `bytes_device_to_device`.
void add_bytes_json(const TransferReport& transfers, nlohmann::json& json);
/// Adds these, what the memory manager did, `copies` and `memories`.
void add_transfers_json(const RunReport& report, nlohmann::json& json);

}  // namespace troupe::traces
