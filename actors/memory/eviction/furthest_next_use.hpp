/// Eviction by the tasks that are known to come (L. A. Belady, A study of replacement algorithms for a virtual-storage
/// computer, 1966, as far as the future is known).
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

/// What goes first on a node, of what it holds:
/// 1. what no submitted task uses any more but those that another node expects; of these the least recently used;
/// 2. what tasks use that no node expects yet: those submitted last first where the scheduler places tasks well ahead,
///    so that these are not ready yet; else, when any may come next, what was used longest ago;
/// 3. what tasks use that are expected on this node, those expected last first.
///
/// A task's uses count until it has its data. Tasks of recordings are not known, and count for nothing. Prefetches do
/// not take the place of the third kind, which came before them. Memory: about 100 bytes a task and 32 bytes a use.
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
    /// The number of its first need.
    std::uint64_t needs_begin = 0;
    std::uint32_t needs = 0;
    /// The node that expects it.
    std::uint32_t node = kNobody;
    /// When that began, counted in tasks.
    std::uint64_t turn = 0;
    bool upcoming = false;
  };
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  /// A task will use a handle. Needs are numbered in the order of submission, from the first that ever was; those of a
  /// handle make a list.
  struct Need {
    HandleId handle;
    std::uint64_t task = 0;
    std::uint64_t earlier = kNone;
    std::uint64_t later = kNone;
  };
  /// The needs of a handle that are left.
  struct Future {
    std::uint64_t first = kNone;
    std::uint64_t last = kNone;
    std::uint32_t needs = 0;
    /// How many of them some node expects.
    std::uint32_t expected = 0;
  };

  /// What a node is known to be going to do.
  struct Outlook {
    /// Tasks that it expects and that have not begun.
    std::uint32_t expected = 0;
    /// Of other tasks, those submitted last are taken to come last.
    bool in_order = false;
  };

  void take_submitted();
  /// Does the node look at the order of submission now?
  void look_ahead(NodeId node);
  [[nodiscard]] Outlook& outlook(std::uint64_t node) {
    if (node >= outlooks_.size()) outlooks_.resize(node + 1);
    return outlooks_[node];
  }
  /// An upcoming one, or null.
  [[nodiscard]] const Task* find(std::uint64_t task) const;
  [[nodiscard]] Task* find(std::uint64_t task) { return const_cast<Task*>(std::as_const(*this).find(task)); }
  [[nodiscard]] Need& need(std::uint64_t number) { return needs_[number - first_need_]; }
  [[nodiscard]] const Need& need(std::uint64_t number) const { return needs_[number - first_need_]; }
  void add_need(HandleId handle, std::uint64_t task);
  void remove_need(const Need& gone);
  void forget(Task& task);
  /// The oldest tasks that are not upcoming any more go.
  void trim();

  const std::shared_ptr<UpcomingTasks> upcoming_;
  UpcomingTasks::Batch batch_;
  /// By id, with gaps: those of recordings' tasks, say.
  std::deque<Task> tasks_;
  std::deque<Need> needs_;
  /// The number of the first in `needs_`.
  std::uint64_t first_need_ = 0;
  /// Of handles that upcoming tasks use.
  HandleTable<Future> futures_;
  /// By node.
  std::vector<Outlook> outlooks_;
  std::uint64_t turns_ = 0;
};

}  // namespace troupe::memory
