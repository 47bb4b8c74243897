/// Reads and writes histories of kernel times.
#pragma once

#include <string>

#include "actors/scheduler/models/execution_history.hpp"
#include "platform/machine/machine.hpp"
#include "troupe/errors.hpp"

namespace troupe::scheduler {

/// Returns a key that is the same for machines that should be equally fast, for example "amd-epyc-9654-2x96c384t"
/// (processor, packages, cores of all packages, processing units). It consists of letters, digits and dashes.
[[nodiscard]] std::string machine_key(const platform::Machine& machine);

/// Returns the path, in this folder, of the history file for machines with this key.
[[nodiscard]] std::string history_path(const std::string& folder, const std::string& machine_key);

/// The limits of a file: the number of shapes of each kernel, and the total numbers of shapes and of kernels. The law
/// through all measurements is kept with the kernel, so the time of a dropped shape can still be predicted. Shapes
/// whose last use is the oldest are dropped first; if these are equal, shapes with the fewest measurements.
struct HistoryBounds {
  std::size_t shapes_of_kernel = 32;
  std::size_t shapes = 2048;
  std::size_t kernels = 256;
};

/// Reads a history: a JSON object with a version, the machine's key and a checksum. If there is no such file, the
/// result is an empty history. Fails with `io` if the file cannot be read; with `bad_input` if the file is larger than
/// 64 MiB, is of an unknown version or of another machine, or is damaged. Files of version 1 contain no laws; the laws
/// are then fitted to the means. `ExecutionHistory::run` continues after the last run in the file.
[[nodiscard]] Result<ExecutionHistory> read_history(const std::string& path, const std::string& machine_key);

/// Replaces the file atomically, within the bounds. A program that reads the file meanwhile sees the old or the new
/// version. If there are several writers, the last writer wins. Makes the folder if there is none. Fails with `io`.
[[nodiscard]] Result<void> write_history(const std::string& path, const std::string& machine_key,
                                         const ExecutionHistory& history, const HistoryBounds& bounds = {});

}  // namespace troupe::scheduler
