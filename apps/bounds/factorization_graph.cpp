#include "apps/bounds/factorization_graph.hpp"

#include <algorithm>
#include <limits>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/data/working_set.hpp"
#include "troupe/codelet.hpp"

namespace troupe::apps {

void GraphRecorder::submitted(const graph::Task& task) noexcept {
  const auto index = static_cast<std::uint32_t>(graph_.tasks.size());
  const std::uint32_t kind = kind_of(task);
  graph_.tasks.push_back({kind, {}});
  graph_.ids.push_back(task.task_id());
  BytesTask& node = graph_.uses.emplace_back(BytesTask{kind, {}, {}});
  uses_.clear();
  graph::append_working_set(task, uses_);
  for (const memory::Use& use : uses_) {
    const std::uint32_t tile = tile_of(use);
    wait_for_users(index, tile, use.mode);
    if (!reads(use.mode)) {
      node.overwrites.push_back(tile);
    } else {
      // Insert the updated tile in front. If a task updates several tiles, the last of them comes first, because a
      // kernel lists last the tile that only this task updates.
      node.reads.insert(writes(use.mode) ? node.reads.begin() : node.reads.end(), tile);
    }
  }
  std::vector<std::uint32_t>& predecessors = graph_.tasks.back().predecessors;
  std::sort(predecessors.begin(), predecessors.end());
  predecessors.erase(std::unique(predecessors.begin(), predecessors.end()), predecessors.end());
}

void GraphRecorder::wait_for_users(std::uint32_t task, std::uint32_t tile, AccessMode mode) {
  Version& version = versions_[tile];
  std::vector<std::uint32_t>& predecessors = graph_.tasks[task].predecessors;
  // If there are readers, they already wait for the last writer.
  if (version.writer != kNone && (!writes(mode) || version.readers.empty())) predecessors.push_back(version.writer);
  if (!writes(mode)) {
    version.readers.push_back(task);
    return;
  }
  predecessors.insert(predecessors.end(), version.readers.begin(), version.readers.end());
  version.readers.clear();
  version.writer = task;
}

/// Returns the task's kind. The size class of a task has the number of operations that a simulation assumes for the
/// task.
std::uint32_t GraphRecorder::kind_of(const graph::Task& task) {
  const SizeClassId id = classes_.classify(task);
  if (id.index() < kind_of_class_.size()) return kind_of_class_[id.index()];
  const graph::SizeClass& made = classes_[id];
  auto& kinds = graph_.kinds;
  FactorizationGraph::Kind kind{made.codelet->timed_as, made.flops, made.runs_on(DeviceKind::cpu_core),
                                made.runs_on(DeviceKind::cuda),
                                made.codelet->cores_used({DeviceKind::cpu_core, std::numeric_limits<int>::max()})};
  const auto found = std::find(kinds.begin(), kinds.end(), kind);
  kind_of_class_.push_back(static_cast<std::uint32_t>(found - kinds.begin()));
  if (found == kinds.end()) kinds.push_back(std::move(kind));
  return kind_of_class_.back();
}

std::uint32_t GraphRecorder::tile_of(const memory::Use& use) {
  const auto [found, is_new] = tile_of_handle_.try_emplace(use.handle, static_cast<std::uint32_t>(graph_.tiles.size()));
  if (is_new) {
    graph_.tiles.push_back({use.bytes, -1, -1});
    versions_.emplace_back();
  }
  return found->second;
}

void GraphRecorder::place(const Handle& tile, int row, int column) {
  const auto found = tile_of_handle_.find(tile.id());
  if (found == tile_of_handle_.end()) return;
  graph_.tiles[found->second].row = row;
  graph_.tiles[found->second].column = column;
}

}  // namespace troupe::apps
