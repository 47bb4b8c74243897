/// The copies of a run between memories, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "proto/json/json.hpp"
#include "troupe/report.hpp"

namespace troupe::traces {

/// Returns the memory nodes of a run, by number: "host", then the devices with a memory of their own, such as "emulated
/// GPU 0".
[[nodiscard]] std::vector<std::string> node_names(const RunReport& report);

/// Count the workers whose devices have a memory of their own, and the cores of all other workers.
[[nodiscard]] std::size_t count_accelerators(const RunReport& report);
[[nodiscard]] std::size_t count_cores(const RunReport& report);

/// Returns the copies between two reports of one runtime. Peaks of memories cover the time since its start.
[[nodiscard]] TransferReport difference(const TransferReport& later, const TransferReport& earlier);

/// Returns the copies between each two memories, the use of the devices' memories, and the actions of the memory
/// manager, each line indented. Empty if there is only host memory.
[[nodiscard]] std::string transfers_text(const RunReport& report);

/// Adds `bytes_host_to_device`, `bytes_device_to_host` and `bytes_device_to_device`.
void add_bytes_json(const TransferReport& transfers, Json& json);
/// Adds the members of `add_bytes_json`, the actions of the memory manager, `copies` and `memories`.
void add_transfers_json(const RunReport& report, Json& json);

}  // namespace troupe::traces
