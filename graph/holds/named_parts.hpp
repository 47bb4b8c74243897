/// The tasks that name parts which kernels have made.
#pragma once

#include "graph/data/data_record.hpp"
#include "graph/tasks/task.hpp"
#include "troupe/errors.hpp"

namespace troupe::graph {

/// Notes a task that names data, if a kernel has made these data or the data around a halo part: as long as such
/// tasks have not ended, no kernel may replace these parts. Called only if there may be nested tasks.
void note_name(DataRecord& data, Task& task);
/// Calls `note_name` for all data of the task, weak data included.
void note_names(Task& task);
/// Fails if a task that has not ended names a part of the record which a kernel has made, see `note_name`.
Result<void> check_names(const DataRecord& record);

}  // namespace troupe::graph
