/// Scores that tell how well a memory node suits a task, by where the task's data are.
#pragma once

#include <span>
#include <string_view>

#include "actors/scheduler/policy.hpp"

namespace troupe::scheduler {

/// A function that returns a score of at least 0, equal for all workers of a memory node. The higher the score, the
/// better the node suits the task; 0 if none of the task's data favour the node. It depends on its arguments only.
using Affinity = double (*)(const ReadyTask& task, const WorkerState& worker, const Predictions& predictions);

struct AffinityFunction {
  std::string_view name;
  std::string_view summary;
  Affinity score = nullptr;
};

/// Returns all functions that a user can name; the first is the default.
[[nodiscard]] std::span<const AffinityFunction> known_affinities();

/// Returns the bytes that the task writes and that the worker's node holds ("the amount of data updated", Bleuse et
/// al., Euro-Par 2014, section 3.2).
[[nodiscard]] double written_there(const ReadyTask& task, const WorkerState& worker, const Predictions& predictions);
/// Returns the bytes that the task reads or writes and that the worker's node holds.
[[nodiscard]] double used_there(const ReadyTask& task, const WorkerState& worker, const Predictions& predictions);
/// Returns the bytes that the task reads or writes and that the worker's node holds, or that are being copied there.
[[nodiscard]] double coming_there(const ReadyTask& task, const WorkerState& worker, const Predictions& predictions);

}  // namespace troupe::scheduler
