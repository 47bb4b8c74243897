/// Where data lie in host memory, for those who copy them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/data/data_record.hpp"
#include "graph/tasks/task.hpp"
#include "proto/ids.hpp"
#include "proto/memory.hpp"
#include "proto/mutex.hpp"

namespace troupe::actors {

/// A program may give back memory as soon as it has released its registration, so a copy that uses that memory borrows
/// it first, and forgetting waits for what is borrowed, or leaves the memory to it. Thread-safe.
class HostViews {
 public:
  /// The data of a task, part by part, from before anything of them is copied.
  void know(const graph::Task& task) {
    const LockGuard lock(mutex_);
    for (const graph::TaskAccess& access : task.data()) {
      access.data()->visit_data([this](const graph::DataRecord& part) TROUPE_REQUIRES(mutex_) { know_locked(part); });
    }
  }
  void know(const graph::DataRecord& part) {
    const LockGuard lock(mutex_);
    know_locked(part);
  }
  /// Of these, the data of a graph that the program may look at without holding them, to be read.
  [[nodiscard]] std::vector<memory::Use> in_sight(std::span<const HandleId> handles, const graph::TaskOwner& graph) {
    std::vector<memory::Use> uses;
    const LockGuard lock(mutex_);
    for (const HandleId handle : handles) {
      const auto found = views_.find(handle);
      if (found == views_.end() || found->second.owner != nullptr || found->second.seen_by != &graph) continue;
      uses.push_back({handle, AccessMode::read, found->second.view.layout.payload()});
    }
    return uses;
  }
  /// Nothing where the data have been forgotten: nobody wants the content.
  [[nodiscard]] std::optional<DataView> borrow(HandleId handle) {
    const LockGuard lock(mutex_);
    const auto found = views_.find(handle);
    if (found == views_.end() || found->second.owner != nullptr) return std::nullopt;
    ++found->second.borrowed;
    return found->second.view;
  }
  void give_back(HandleId handle) {
    const LockGuard lock(mutex_);
    const auto found = views_.find(handle);
    if (--found->second.borrowed > 0) return;
    if (found->second.owner != nullptr) views_.erase(found);
    given_back_.notify_all();
  }
  /// From when it returns on, nobody uses the memory, or not for longer than the owner lives. Waits where there is no
  /// owner, which is null then.
  void forget(HandleId handle, std::shared_ptr<void> owner) {
    UniqueLock lock(mutex_);
    const auto found = views_.find(handle);
    if (found == views_.end()) return;
    if (owner != nullptr && found->second.borrowed > 0) {
      found->second.owner = std::move(owner);
      return;
    }
    given_back_.wait(lock, [&]() TROUPE_REQUIRES(mutex_) { return views_.at(handle).borrowed == 0; });
    views_.erase(handle);
  }

 private:
  struct View {
    DataView view;
    /// Null where only tasks and who holds the data see them.
    const graph::TaskOwner* seen_by = nullptr;
    std::uint32_t borrowed = 0;
    /// The data have been forgotten; what is borrowed keeps the memory. Else null.
    std::shared_ptr<void> owner;
  };

  void know_locked(const graph::DataRecord& part) TROUPE_REQUIRES(mutex_) {
    views_.try_emplace(part.handle_id(), View{part.view, part.hidden ? nullptr : part.owner, 0, nullptr});
  }

  Mutex mutex_;
  std::condition_variable given_back_;
  /// Looked up only.
  std::unordered_map<HandleId, View> views_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::actors
