/// Describes this machine's cores by their learned kernel times.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "actors/scheduler/models/execution_history.hpp"
#include "apps/simulate/modelled_codelets.hpp"
#include "troupe/machine.hpp"

namespace troupe::apps {

/// Returns the known times of one codelet's kernel on cores and clusters of cores, with elements of `element_bytes`.
/// The result has an entry for each measured size for which one core's time is known, or follows from other sizes or
/// other numbers of cores. A size is expressed as the square tile with the same number of operations; if operations are
/// not counted, all sizes count as one. The result is empty if no times are known.
[[nodiscard]] std::vector<platform::TileTimes> learned_times(const scheduler::ExecutionHistory& history,
                                                             const std::string& codelet, std::size_t element_bytes);

/// Returns a machine of `cores` cores in one socket without GPUs. The machine has those kernels of `needed` whose times
/// are known.
[[nodiscard]] platform::MachineDescription learned_machine(const scheduler::ExecutionHistory& history, int cores,
                                                           const std::string& application,
                                                           const std::vector<NeededKernel>& needed,
                                                           const std::string& precision, std::size_t element_bytes);

}  // namespace troupe::apps
