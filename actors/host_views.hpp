/// Host views: the addresses of data in host memory, for the code that copies the data.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/data/data_record.hpp"
#include "graph/data/halo_overlaps.hpp"
#include "graph/tasks/task.hpp"
#include "proto/memory.hpp"
#include "proto/mutex.hpp"
#include "troupe/ids.hpp"

namespace troupe::actors {

/// A program may free memory as soon as it has released the data in this memory. So each copy first borrows the memory
/// that it uses. `forget` waits until borrowed memory has been given back, or keeps the memory's owner alive until
/// then. Thread-safe.
class HostViews {
 public:
  /// The elements that a halo part and some data have in common: a block of the data, which is also a block of the halo
  /// part, and the halo part's host memory.
  struct Overlap {
    HandleId data;
    Block in_data;
    Block in_halo;
    DataView halo;
  };

  /// Notes the host memory of each part of a task's data, and what the task's halo parts overlap. Must be called before
  /// any of these data are copied.
  void know(const graph::Task& task) {
    const LockGuard lock(mutex_);
    for (const graph::TaskAccess& access : task.data()) {
      if (access.data()->is_halo) know_halo(*access.data());
      access.data()->visit_data([this](const graph::DataRecord& part) TROUPE_REQUIRES(mutex_) { know_locked(part); });
    }
  }
  void know(const graph::DataRecord& part) {
    const LockGuard lock(mutex_);
    know_locked(part);
  }
  /// Selects from `handles` those whose data the program of `graph` may read without acquiring the data. Returns one
  /// `Use` with mode `read` for each selected handle.
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
  /// Borrows the memory of the data. Returns nothing if the data have been forgotten, because then no code needs their
  /// content any more.
  [[nodiscard]] std::optional<DataView> borrow(HandleId handle) {
    const LockGuard lock(mutex_);
    const auto found = views_.find(handle);
    if (found == views_.end() || found->second.owner != nullptr) return std::nullopt;
    ++found->second.borrowed;
    return found->second.view;
  }
  /// Returns what the halo part and the data have in common, as `know` noted it for the last task on the halo part.
  /// Returns nothing if the halo part has been forgotten or no longer overlaps the data.
  [[nodiscard]] std::optional<Overlap> overlap(HandleId halo, HandleId data) {
    const LockGuard lock(mutex_);
    const auto found = halos_.find(halo);
    if (found == halos_.end()) return std::nullopt;
    const auto one = std::ranges::find(found->second, data, &Overlap::data);
    return one == found->second.end() ? std::nullopt : std::optional(*one);
  }
  void give_back(HandleId handle) {
    const LockGuard lock(mutex_);
    const auto found = views_.find(handle);
    if (--found->second.borrowed > 0) return;
    if (found->second.owner != nullptr) views_.erase(found);
    given_back_.notify_all();
  }
  /// Ends the use of the data's memory. If `owner` is null, waits until all borrowers have given the memory back.
  /// Otherwise does not wait, and keeps `owner` alive until the last borrower has given the memory back.
  void forget(HandleId handle, std::shared_ptr<void> owner) {
    UniqueLock lock(mutex_);
    halos_.erase(handle);
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
    /// The graph whose program may read the data without acquiring them; null if only tasks, and code that has acquired
    /// the data, may read them.
    const graph::TaskOwner* seen_by = nullptr;
    std::uint32_t borrowed = 0;
    /// If the data have been forgotten while borrowed: the object that keeps the memory alive for the borrowers.
    /// Otherwise null.
    std::shared_ptr<void> owner;
  };

  void know_locked(const graph::DataRecord& part) TROUPE_REQUIRES(mutex_) {
    views_.try_emplace(part.handle_id(), View{part.view, part.hidden ? nullptr : part.owner, 0, nullptr});
  }

  void know_halo(const graph::DataRecord& halo) TROUPE_REQUIRES(mutex_) {
    std::vector<Overlap>& known = halos_[halo.handle_id()];
    const auto id_of = [](const graph::DataRecord* data) { return data->handle_id(); };
    // If parts of the data are released and made again, the new parts have other handles: so equal handles mean equal
    // overlaps.
    if (std::ranges::equal(known, halo.children, {}, &Overlap::data, id_of)) return;
    known.clear();
    for (const graph::HaloOverlap& overlap : graph::overlaps_of(halo)) {
      known.push_back({overlap.data->handle_id(), overlap.in_data, overlap.in_halo, halo.view});
    }
  }

  Mutex mutex_;
  std::condition_variable given_back_;
  /// Entries are only looked up by their handles: the map is never iterated over.
  std::unordered_map<HandleId, View> views_ TROUPE_GUARDED_BY(mutex_);
  /// Maps each halo part to what it overlaps. This map is never iterated over, either.
  std::unordered_map<HandleId, std::vector<Overlap>> halos_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::actors
