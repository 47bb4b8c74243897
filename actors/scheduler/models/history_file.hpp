/// Reads and writes histories of kernel times.
#pragma once

#include <string>

#include "actors/scheduler/models/execution_history.hpp"
#include "platform/machine/machine.hpp"
#include "troupe/errors.hpp"

namespace troupe::scheduler {

/// Returns the properties that machines share if they should be equally fast: "amd-epyc-9654-2x96c384t" (processor,
/// packages, cores of all of them, processing units). It consists of letters, digits and dashes.
[[nodiscard]] std::string machine_key(const platform::Machine& machine);

/// Returns the path, in a folder, of the file with the histories of machines with this key.
[[nodiscard]] std::string history_path(const std::string& folder, const std::string& machine_key);

/// The limits of a file: the number of shapes of each kernel, and the numbers of shapes and kernels in all. The law
/// through all measurements is kept with the kernel, so a shape that is dropped is still predicted. The first to be
/// dropped are the shapes that no run has used for longest, and of these the ones that were measured least.
struct HistoryBounds {
  std::size_t shapes_of_kernel = 32;
  std::size_t shapes = 2048;
  std::size_t kernels = 256;
};

/// Reads a history: a JSON object with a version, the machine's key and a checksum. If there is no such file, the
/// result is an empty history. Fails with `io` if the file cannot be read; with `bad_input` if it is larger than 64
/// MiB, is of an unknown version or of another machine, or is damaged. Files of version 1, which have no laws, are
/// read: the laws then follow from the means. `ExecutionHistory::run` counts on from the last run in the file.
[[nodiscard]] Result<ExecutionHistory> read_history(const std::string& path, const std::string& machine_key);

/// Replaces the file atomically, within the bounds: a program that reads it meanwhile sees the old or the new one; of
/// several writers the last one wins. Makes the folder if there is none. Fails with `io`.
[[nodiscard]] Result<void> write_history(const std::string& path, const std::string& machine_key,
                                         const ExecutionHistory& history, const HistoryBounds& bounds = {});

}  // namespace troupe::scheduler
