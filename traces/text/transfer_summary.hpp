/// A summary of the copies between memories during a run, as text for people and as JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "proto/json/json.hpp"
#include "troupe/report.hpp"

namespace troupe::traces {

/// Returns the names of a run's memory nodes, by number: "host", then the devices with memory of their own, such as
/// "emulated GPU 0".
[[nodiscard]] std::vector<std::string> node_names(const RunReport& report);

/// `count_accelerators` returns the number of workers that drive accelerators. `count_cores` returns the number of
/// cores of all other workers.
[[nodiscard]] std::size_t count_accelerators(const RunReport& report);
[[nodiscard]] std::size_t count_cores(const RunReport& report);

/// Returns the copies that were made between two reports of one runtime. Only the peak uses of memories are those since
/// the start of the runtime.
[[nodiscard]] TransferReport difference(const TransferReport& later, const TransferReport& earlier);

/// Returns indented lines: the copies between each pair of memories, the use of the devices' memories, and what the
/// memory manager did. Returns an empty text if there is no accelerator.
[[nodiscard]] std::string transfers_text(const RunReport& report);

/// Adds the members `bytes_host_to_device`, `bytes_device_to_host` and `bytes_device_to_device` to `json`.
void add_bytes_json(const TransferReport& transfers, Json& json);
/// Adds to `json` the members of `add_bytes_json`, the counts of what the memory manager did, `copies` and `memories`.
void add_transfers_json(const RunReport& report, Json& json);

}  // namespace troupe::traces
