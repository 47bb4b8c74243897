/// Records the task graph of a factorization as it is submitted.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "apps/bounds/bytes_bound.hpp"
#include "apps/bounds/lower_bounds.hpp"
#include "graph/data/size_classes.hpp"
#include "graph/submission_observer.hpp"
#include "proto/memory.hpp"
#include "troupe/handle.hpp"
#include "troupe/ids.hpp"

namespace troupe::apps {

/// The task graph of one factorization. The graph is the same for every policy and every number of GPUs.
struct FactorizationGraph {
  /// Tasks belong to one kind if they are timed as the same kernel, have the same number of operations, and have
  /// codelets for the same devices. The codelets' names do not matter.
  struct Kind {
    /// `CodeletDefinition::timed_as`; empty for tasks that the runtime submits for itself, which take no time.
    std::string timed_as;
    double flops = 0;
    /// These are true if the kind's codelets can run on cores and on GPUs, respectively.
    bool on_cores = true;
    bool on_gpus = true;
    /// The most cores of a cluster that the kind's codelets use.
    int most_cores = 1;
    friend bool operator==(const Kind&, const Kind&) = default;
  };
  std::vector<Kind> kinds;
  /// The tasks in the order of submission.
  std::vector<BoundTask> tasks;
  /// The id of each task in the graph of the run.
  std::vector<TaskId> ids;
  /// The tiles that each task reads and overwrites.
  std::vector<BytesTask> uses;
  /// The tiles in the order of their first use.
  std::vector<BytesTile> tiles;
};

/// Records tasks and their predecessors. The predecessors follow from the tasks' data as in the runtime's graph:
/// readers wait for the last writer, and writers wait for the last writer and its readers. Commuting tasks count as
/// writers in the order of submission, which is one of the allowed orders; reductions are left out. For one runtime and
/// one thread that submits.
class GraphRecorder final : public graph::SubmissionObserver {
 public:
  void submitted(const graph::Task& task) noexcept override;

  /// Records the place of a tile in the matrix. Does nothing if no task has used the tile.
  void place(const Handle& tile, int row, int column);
  /// Returns the graph; called when all tasks have been submitted.
  [[nodiscard]] FactorizationGraph take() { return std::move(graph_); }

 private:
  static constexpr std::uint32_t kNone = ~0U;

  /// The users of a tile: the last writer, and the readers since then.
  struct Version {
    std::uint32_t writer = kNone;
    std::vector<std::uint32_t> readers;
  };

  [[nodiscard]] std::uint32_t kind_of(const graph::Task& task);
  [[nodiscard]] std::uint32_t tile_of(const memory::Use& use);
  void wait_for_users(std::uint32_t task, std::uint32_t tile, AccessMode mode);

  FactorizationGraph graph_;
  graph::SizeClasses classes_;
  std::vector<std::uint32_t> kind_of_class_;
  /// The number of each handle's tile. This map is never iterated, so its unspecified order does not matter.
  std::unordered_map<HandleId, std::uint32_t> tile_of_handle_;
  /// The last users of each tile, indexed by tile.
  std::vector<Version> versions_;
  /// The uses of the task that is being recorded. This is a member so that its memory is reused.
  std::vector<memory::Use> uses_;
};

}  // namespace troupe::apps
