#include "actors/scheduler/policies/affinity.hpp"

#include <array>

namespace troupe::scheduler {

namespace {

constexpr auto kAffinities = std::to_array<AffinityFunction>({
    {"written", "bytes that the task writes and that the worker's memory node holds", written_there},
    {"used", "bytes that the task reads or writes and that the worker's memory node holds", used_there},
    {"coming", "bytes that the task reads or writes and that the worker's memory node holds or will", coming_there},
});

/// Returns how many bytes the node holds of the data whose use `counts(use)` accepts. For a halo part, the data that it
/// overlaps count, and its buffer does not.
template <class Counts>
double bytes(const ReadyTask& task, NodeId node, Counts&& counts) {
  std::uint64_t sum = 0;
  for (const memory::Use& use : task.data) {
    if (!use.is_buffer() && counts(use)) sum += use.copied_to(node).count;
  }
  return static_cast<double>(sum);
}

}  // namespace

double written_there(const ReadyTask& task, const WorkerState& worker, const Predictions& predictions) {
  return bytes(task, worker.node, [&](const memory::Use& use) {
    return writes(use.mode) && predictions.replicas.valid(use.handle, worker.node);
  });
}

double used_there(const ReadyTask& task, const WorkerState& worker, const Predictions& predictions) {
  return bytes(task, worker.node,
               [&](const memory::Use& use) { return predictions.replicas.valid(use.handle, worker.node); });
}

double coming_there(const ReadyTask& task, const WorkerState& worker, const Predictions& predictions) {
  return bytes(task, worker.node, [&](const memory::Use& use) {
    return predictions.replicas.valid(use.handle, worker.node) ||
           predictions.replicas.incoming(use.handle, worker.node);
  });
}

std::span<const AffinityFunction> known_affinities() { return kAffinities; }

}  // namespace troupe::scheduler
