/// The addresses of the actors of one runtime.
#pragma once

#include <atomic>
#include <caf/all.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include "actors/workers/queues/doorbell.hpp"
#include "proto/messages_actor.hpp"
#include "proto/mutex.hpp"
#include "troupe/ids.hpp"

namespace troupe::workers {

/// A table of actors: the workers by their ids, the scheduler and the memory manager. All code looks up actors here, so
/// that an actor that died can be replaced. Thread-safe. The workers hold references to the table, and the table holds
/// references to the workers: `clear` breaks this cycle.
class Peers {
 public:
  /// `threads` is true if each worker has a thread of its own, which sleeps at the worker's doorbell.
  explicit Peers(std::size_t workers, bool threads = false) : doorbells_(threads ? workers : 0), actors_(workers) {}

  void set(WorkerId worker, caf::actor actor) {
    const LockGuard lock(mutex_);
    actors_[worker.index()] = std::move(actor);
    changes_.fetch_add(1, std::memory_order_release);
  }
  /// Returns a number that changes with every `set` and `clear`. When the number has changed, earlier results of `get`
  /// may be out of date.
  [[nodiscard]] std::uint64_t changes() const { return changes_.load(std::memory_order_acquire); }
  /// Returns null before the worker was started and after `clear`.
  [[nodiscard]] caf::actor get(WorkerId worker) const {
    const LockGuard lock(mutex_);
    return actors_[worker.index()];
  }
  void set_scheduler(caf::actor actor) {
    const LockGuard lock(mutex_);
    scheduler_.swap(actor);
  }
  /// Returns null under a local policy and after `clear`.
  [[nodiscard]] caf::actor scheduler() const {
    const LockGuard lock(mutex_);
    return scheduler_;
  }
  void set_memory(caf::actor actor) {
    const LockGuard lock(mutex_);
    memory_.swap(actor);
  }
  /// Returns null if there is one memory node, and after `clear`.
  [[nodiscard]] caf::actor memory() const {
    const LockGuard lock(mutex_);
    return memory_;
  }
  void clear() {
    std::vector<caf::actor> released;
    caf::actor scheduler;
    caf::actor memory;
    const LockGuard lock(mutex_);
    scheduler.swap(scheduler_);
    memory.swap(memory_);
    released.swap(actors_);
    actors_.resize(released.size());
    changes_.fetch_add(1, std::memory_order_release);
  }
  /// Sends a message without a sender; returns false if the worker is gone.
  template <class Message>
  bool send(WorkerId worker, Message message) const {
    const caf::actor target = get(worker);
    if (!target) return false;
    caf::anon_send(target, std::move(message));
    return true;
  }
  /// Wakes a worker that was taken out of the idle set. A message would take two to three times as long: after a sleep,
  /// the code and data that messages need are in no cache.
  void wake(WorkerId worker) {
    if (!doorbells_.empty()) {
      doorbell(worker).ring();
    } else {
      send(worker, WorkAvailable{});
    }
  }
  /// Returns the worker's doorbell. Must be called only if workers have threads.
  [[nodiscard]] Doorbell& doorbell(WorkerId worker) { return doorbells_[worker.index()].bell; }
  /// Tells the scheduler that there are tasks in the activation queue. If the scheduler's actor has just died, the
  /// actor that replaces it finds the tasks, because they were in the queue before this call.
  template <class Message = TasksActivated>
  void tell_scheduler() const {
    if (const caf::actor target = scheduler()) caf::anon_send(target, Message{});
  }
  /// Tells the memory manager that there are events in the inbox.
  void tell_memory() const {
    if (const caf::actor target = memory()) caf::anon_send(target, DataRequested{});
  }

 private:
  struct alignas(64) Door {
    Doorbell bell;
  };
  std::vector<Door> doorbells_;
  mutable Mutex mutex_;
  std::vector<caf::actor> actors_ TROUPE_GUARDED_BY(mutex_);
  caf::actor scheduler_ TROUPE_GUARDED_BY(mutex_);
  caf::actor memory_ TROUPE_GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> changes_{1};
};

}  // namespace troupe::workers
