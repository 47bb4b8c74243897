/// The window of tasks in flight, and the threads that wait for it.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>

#include "graph/tasks/completion_counter.hpp"
#include "proto/mutex.hpp"
#include "troupe/report.hpp"

namespace troupe::graph {

/// Counts the tasks that were submitted and those that have ended. `note_submitted` is called under the submission
/// lock, all other functions by any thread.
class Window {
 public:
  /// `limit` is the number of tasks that may be in flight (`GraphOptions::window`).
  Window(std::uint64_t limit, const CompletionCounter& ended) : limit_(limit), ended_(ended) {}

  /// Tasks are counted before they can end, so a thread that sees a task as ended also sees it as submitted.
  void note_submitted(std::uint64_t tasks) {
    submitted_.store(submitted_.load(std::memory_order_relaxed) + tasks, std::memory_order_release);
  }
  [[nodiscard]] Progress progress() const {
    // The number of ended tasks is read first: in the other order it could be larger than the number of submitted
    // tasks.
    const std::uint64_t ended = ended_.total();
    return {submitted_.load(std::memory_order_seq_cst), ended};
  }
  /// Returns an upper bound of the number of tasks in flight.
  [[nodiscard]] std::uint64_t in_flight() const {
    const Progress now = progress();
    return now.submitted - now.ended;
  }
  [[nodiscard]] bool has_room() {
    if (surely_has_room()) return true;
    const std::uint64_t submitted = submitted_.load(std::memory_order_relaxed);
    const std::uint64_t ended = ended_.total();
    ended_at_least_.store(ended, std::memory_order_relaxed);
    return submitted - ended < limit_;
  }
  /// Does the work of `has_room` cheaply, with a count of ended tasks that may be too low. If the result is false, call
  /// `has_room`.
  [[nodiscard]] bool surely_has_room() const {
    return submitted_.load(std::memory_order_relaxed) - ended_at_least_.load(std::memory_order_relaxed) < limit_;
  }
  [[nodiscard]] std::uint64_t limit() const { return limit_; }
  /// After the window was full, threads that hold no data continue when at most this number of tasks is in flight. With
  /// a higher number, each further submission would cost a sleep.
  [[nodiscard]] std::uint64_t low_water() const { return limit_ - std::max<std::uint64_t>(limit_ / 4, 1); }

 private:
  std::atomic<std::uint64_t> submitted_{0};
  /// A lower bound of the number of ended tasks. Because of this bound, most submissions need not read the counts of
  /// all workers.
  std::atomic<std::uint64_t> ended_at_least_{0};
  const std::uint64_t limit_;
  const CompletionCounter& ended_;
};

/// The threads that wait for the end of all tasks, or until they may submit again.
struct WindowWaiters {
  /// The number of completions after which a busy worker checks for waiting threads; a power of two. Idle workers
  /// always check.
  const std::uint64_t notify_stride;
  /// The numbers of threads that wait for the end of all tasks, and for room. All accesses are sequentially consistent,
  /// to pair with `CompletionCounter::publish`.
  std::atomic<int> for_all{0};
  std::atomic<int> for_room{0};
  /// The number of threads that wait for room and hold data: these wait until one more task fits.
  std::atomic<int> for_one_place{0};
  Mutex mutex = {};
  std::condition_variable changed = {};

  /// Wakes the threads if what some of them wait for has happened.
  void notify(const Window& window) {
    const bool all = for_all.load(std::memory_order_seq_cst) > 0;
    const bool room = for_room.load(std::memory_order_seq_cst) > 0;
    if (!all && !room) return;
    const std::uint64_t tasks = window.in_flight();
    const bool one_place = for_one_place.load(std::memory_order_seq_cst) > 0;
    if (tasks != 0 && !(room && tasks <= (one_place ? window.limit() - 1 : window.low_water()))) return;
    wake();
  }
  void wake() {
    const LockGuard lock(mutex);
    changed.notify_all();
  }
};

}  // namespace troupe::graph
