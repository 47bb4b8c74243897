/// This machine's cores as their learned kernel times describe them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "actors/scheduler/models/execution_history.hpp"
#include "apps/simulate/modelled_codelets.hpp"
#include "platform/described/machine_description.hpp"

namespace troupe::apps {

/// The times of one codelet's kernel on cores and clusters of cores, with elements of so many bytes, as far as they are
/// known: at each size that has been measured, where one core's time is known or follows from those of other sizes or
/// numbers of cores. A size counts as the square tile that has as many operations; where operations are not counted,
/// all are one. Nothing where nothing is known.
[[nodiscard]] std::vector<platform::TileTimes> learned_times(const scheduler::ExecutionHistory& history,
                                                             const std::string& codelet, std::size_t element_bytes);

/// A machine of so many cores in one socket without GPUs, which has the kernels of `needed` that something is known of.
[[nodiscard]] platform::MachineDescription learned_machine(const scheduler::ExecutionHistory& history, int cores,
                                                           const std::string& application,
                                                           const std::vector<NeededKernel>& needed,
                                                           const std::string& precision, std::size_t element_bytes);

}  // namespace troupe::apps
