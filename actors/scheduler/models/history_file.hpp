/// Execution histories on disk.
#pragma once

#include <string>

#include "actors/scheduler/models/execution_history.hpp"
#include "platform/machine/machine.hpp"
#include "proto/errors.hpp"

namespace troupe::scheduler {

/// What machines that should be equally fast have in common: "amd-epyc-9654-2x96c384t" (processor, packages, cores of
/// all of them, processing units). Letters, digits and dashes.
[[nodiscard]] std::string machine_key(const platform::Machine& machine);

/// The file for histories of such machines in a folder.
[[nodiscard]] std::string history_path(const std::string& folder, const std::string& machine_key);

/// A JSON object with a version, the machine's key and a checksum. Where there is no such file: an empty history. Fails
/// with `io` where it cannot be read; with `bad_input` where it is larger than 64 MiB, is of another version or
/// machine, or is damaged.
[[nodiscard]] Result<ExecutionHistory> read_history(const std::string& path, const std::string& machine_key);

/// Replaces the file in one go: whoever reads it meanwhile sees the old one or the new one; of several writers the last
/// one wins. Makes the folder. Fails with `io`.
[[nodiscard]] Result<void> write_history(const std::string& path, const std::string& machine_key,
                                         const ExecutionHistory& history);

}  // namespace troupe::scheduler
