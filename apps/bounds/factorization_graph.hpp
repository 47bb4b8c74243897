/// The task graph of a factorization, written down as it is submitted.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "apps/bounds/bytes_bound.hpp"
#include "apps/bounds/lower_bounds.hpp"
#include "graph/codelets/handle.hpp"
#include "graph/data/size_classes.hpp"
#include "graph/submission_observer.hpp"
#include "proto/ids.hpp"
#include "proto/memory.hpp"

namespace troupe::apps {

/// That of any policy and any number of GPUs.
struct FactorizationGraph {
  /// Tasks that are timed as one kernel and have as many operations are of one kind, whatever their codelets' names,
  /// where these run on the same devices.
  struct Kind {
    /// `CodeletDefinition::timed_as`; empty for what the runtime submits for itself, which takes no time.
    std::string timed_as;
    double flops = 0;
    /// Where its codelets run.
    bool on_cores = true;
    bool on_gpus = true;
    /// How many cores of a cluster its codelets use at most.
    int most_cores = 1;
    friend bool operator==(const Kind&, const Kind&) = default;
  };
  std::vector<Kind> kinds;
  /// In the order of submission.
  std::vector<BoundTask> tasks;
  /// What the graph of the run calls each of them.
  std::vector<TaskId> ids;
  /// What each of them does with its tiles.
  std::vector<BytesTask> uses;
  /// In the order of their first use.
  std::vector<BytesTile> tiles;
};

/// Writes down tasks and what they wait for, which follows from their data as it does in the graph: readers wait for
/// the last writer, writers for it and its readers. Commuting tasks count as writers in this order, which is one of
/// those allowed; reductions are left out. For one runtime and one thread that submits.
class GraphRecorder final : public graph::SubmissionObserver {
 public:
  void submitted(const graph::Task& task) noexcept override;

  /// Where in the matrix a tile lies; nothing happens where no task has used it.
  void place(const Handle& tile, int row, int column);
  /// When all is submitted.
  [[nodiscard]] FactorizationGraph take() { return std::move(graph_); }

 private:
  static constexpr std::uint32_t kNone = ~0U;

  /// Who has used a tile: the last writer, and the readers since then.
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
  /// Looked up only.
  std::unordered_map<HandleId, std::uint32_t> tile_of_handle_;
  /// By tile.
  std::vector<Version> versions_;
  /// Of the task that is submitted: kept for its memory.
  std::vector<memory::Use> uses_;
};

}  // namespace troupe::apps
