/// The degree to which a task belongs to the place of its data.
#pragma once

#include <span>
#include <string_view>

#include "actors/scheduler/policy.hpp"

namespace troupe::scheduler {

/// A score of at least 0, the same for all workers of a memory node: the higher, the more the task belongs there; 0: it
/// does not at all. A function of its arguments.
using Affinity = double (*)(const ReadyTask& task, const WorkerState& worker, const Predictions& predictions);

struct AffinityFunction {
  std::string_view name;
  std::string_view summary;
  Affinity score = nullptr;
};

/// All that a user can name; the first is the default.
[[nodiscard]] std::span<const AffinityFunction> known_affinities();

/// Bytes that the task writes and that the worker's node holds ("the amount of data updated", `000`, 3.2).
[[nodiscard]] double written_there(const ReadyTask& task, const WorkerState& worker, const Predictions& predictions);
/// Bytes that the task reads or writes and that the worker's node holds.
[[nodiscard]] double used_there(const ReadyTask& task, const WorkerState& worker, const Predictions& predictions);
/// Bytes that the task reads or writes and that the worker's node holds, or that are on their way there.
[[nodiscard]] double coming_there(const ReadyTask& task, const WorkerState& worker, const Predictions& predictions);

}  // namespace troupe::scheduler
