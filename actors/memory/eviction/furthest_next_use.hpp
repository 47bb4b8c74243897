/// Evicts the data that are needed last, as far as coming tasks are known (L. A. Belady, A study of replacement
/// algorithms for a virtual-storage computer, 1966).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "actors/memory/eviction/ranked_eviction.hpp"
#include "actors/memory/eviction/upcoming_tasks.hpp"
#include "proto/handle_table.hpp"

namespace troupe::memory {

/// A node expects a task if data were prefetched or requested there for the task. The handles that a node holds are
/// evicted in this order:
/// 1. handles that no submitted task uses any more, not counting tasks that another node expects; the least
/// recently used first;
/// 2. handles of tasks that no node expects yet. If the scheduler places tasks well ahead, these tasks are not ready
/// yet, and the handles of the task submitted last go first. Otherwise any of these tasks may come next, and the least
/// recently used handle goes first;
/// 3. handles of tasks that this node expects; the handles that the node expects to need last go first.
/// The uses of a task count until the task's request is admitted. The policy does not know tasks of recordings, so the
/// uses of these tasks never count. Prefetches do not evict handles of the third kind, because the data of these
/// handles were requested earlier. Memory: about 100 bytes per task and 32 bytes per use.
class FurthestNextUse final : public RankedEviction {
 public:
  explicit FurthestNextUse(std::shared_ptr<UpcomingTasks> upcoming);

  void expected(NodeId node, TaskId task, std::span<const Use> uses) override;
  void begun(TaskId task) override;
  [[nodiscard]] HandleId next_victim(NodeId node, const Candidate& candidate, std::size_t look_at) override;
  [[nodiscard]] bool gives_way_to_prefetches(NodeId node, HandleId handle) override;

 protected:
  [[nodiscard]] std::uint64_t rank(NodeId node, HandleId handle) const override;

 private:
  static constexpr std::uint32_t kNobody = 0xffffffff;

  struct Task {
    std::uint64_t id = 0;
    /// The number of the task's first need (see `Need`).
    std::uint64_t needs_begin = 0;
    std::uint32_t needs = 0;
    /// The node that expects the task, or `kNobody`.
    std::uint32_t node = kNobody;
    /// The task's number in the order in which nodes began to expect tasks.
    std::uint64_t turn = 0;
    bool upcoming = false;
  };
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  /// A use of a handle by a future task. The needs of a run are numbered in the order of submission; the needs of one
  /// handle form a list.
  struct Need {
    HandleId handle;
    std::uint64_t task = 0;
    std::uint64_t earlier = kNone;
    std::uint64_t later = kNone;
  };
  /// The remaining needs (`Need`) of a handle.
  struct Future {
    std::uint64_t first = kNone;
    std::uint64_t last = kNone;
    std::uint32_t needs = 0;
    /// The number of the handle's needs whose tasks some node expects.
    std::uint32_t expected = 0;
  };

  /// The expected work of a node.
  struct Outlook {
    /// The number of tasks that the node expects and that have not begun.
    std::uint32_t expected = 0;
    /// True if tasks that no node expects are assumed to come in the order of submission.
    bool in_order = false;
  };

  void take_submitted();
  /// Decides whether this node assumes from now on that tasks which no node expects come in the order of submission.
  void look_ahead(NodeId node);
  [[nodiscard]] Outlook& outlook(std::uint64_t node) {
    if (node >= outlooks_.size()) outlooks_.resize(node + 1);
    return outlooks_[node];
  }
  /// Returns an upcoming task, or null.
  [[nodiscard]] const Task* find(std::uint64_t task) const;
  [[nodiscard]] Task* find(std::uint64_t task) { return const_cast<Task*>(std::as_const(*this).find(task)); }
  [[nodiscard]] Need& need(std::uint64_t number) { return needs_[number - first_need_]; }
  [[nodiscard]] const Need& need(std::uint64_t number) const { return needs_[number - first_need_]; }
  void add_need(HandleId handle, std::uint64_t task);
  void remove_need(const Need& gone);
  void forget(Task& task);
  /// Removes tasks from the front of `tasks_`, up to the first task that is still upcoming.
  void trim();

  const std::shared_ptr<UpcomingTasks> upcoming_;
  UpcomingTasks::Batch batch_;
  /// The tasks in the order of their ids. Ids have gaps: for example, tasks of recordings are missing.
  std::deque<Task> tasks_;
  std::deque<Need> needs_;
  /// The number of the first entry in `needs_`.
  std::uint64_t first_need_ = 0;
  /// Maps each handle that upcoming tasks use to its remaining needs (`Need`).
  HandleTable<Future> futures_;
  /// The outlook of each node.
  std::vector<Outlook> outlooks_;
  std::uint64_t turns_ = 0;
};

}  // namespace troupe::memory
