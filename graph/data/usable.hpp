/// Checks for data that may not be read yet, because the runtime allocated them and nobody has written them (a reader
/// would see old content of that memory), and for data that may not be written, because the program registered them as
/// const.
#pragma once

#include <string>

#include "graph/data/data_registry.hpp"
#include "troupe/access.hpp"
#include "troupe/errors.hpp"

namespace troupe::graph {

// Data have no content at first if the runtime allocated them, and after the program has discarded their content.
//
// Data count as written as soon as a task that writes them is submitted, or the program acquires them for writing. If
// that task fails, the data still count as written, but are poisoned (`DataRecord::poisoned`). Writing a whole also
// writes its parts and the elements between the parts. All functions are called under the lock of the registry; calls
// are needed only if `DataRegistry::any_to_check` is true.

/// Returns true if an access in this mode reads the content. A reduction of undivided data does not need the content:
/// if there is none, the first combination begins with the neutral element.
[[nodiscard]] bool needs_content(const DataRecord& record, AccessMode mode);

/// These functions return texts such as "'x' has no valid content: …" and "'x' was registered as const: …".
[[nodiscard]] std::string never_written(const DataRecord& unwritten);
[[nodiscard]] std::string registered_as_const(const DataRecord& record);

/// Fails with `invalid_argument` if a task must not use the data in this mode because they are a halo part.
Result<void> check_halo(const DataRecord& record, AccessMode mode);

/// These functions return the failures of a discard that is refused.
[[nodiscard]] Failure discards_const(const DataRecord& record);
[[nodiscard]] Failure discards_declared(const DataRecord& record);
[[nodiscard]] Failure discards_in_recording(const DataRecord& record);

/// Returns true if an access in this mode begins a reduction of data that have no content. The combination then begins
/// with the neutral element.
[[nodiscard]] bool reduces_without_content(const DataRecord& record, AccessMode mode);

/// Fails with `invalid_argument` if the data must not be written, and the access writes them.
Result<void> check_writable(const DataRecord& record, AccessMode mode);
/// Checks one access of the program, by `acquire` or `wait`. Fails with `invalid_argument`.
Result<void> check_usable(const DataRecord& record, AccessMode mode);

/// Records that an access has been accepted: if it writes, the data count as written from now on.
void note_written(DataRegistry& registry, DataRecord& record, AccessMode mode);

}  // namespace troupe::graph
