/// The threads of a cluster of cores.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "actors/workers/queues/doorbell.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "platform/machine/cpu_set.hpp"
#include "troupe/team.hpp"
#include "troupe/units.hpp"

namespace troupe::workers {

/// The master is the worker's thread, which calls `enter`. Each other core has a helper: a thread of the team, or a
/// thread that another worker lends (`serve`). A helper without work looks for work as long as an idle worker does, and
/// then sleeps. All cores of the team work for one kernel at a time, so members that wait for one another also spin for
/// a while before they sleep.
class CoreTeam final : public Team {
 public:
  struct Options {
    /// The processing units (PUs) that each helper may run on; a helper with an empty set may run anywhere. The master
    /// is bound by its worker.
    std::vector<platform::CpuSet> helpers;
    /// The doorbells at which lent threads sleep, one for each helper. If empty, the team makes threads. The doorbells
    /// outlive the team.
    std::vector<Doorbell*> doorbells = {};
    /// The name for debuggers: the threads of "team 3" are "team 3.1" and so on.
    std::string name = {};
    /// The time that a waiting member spins before it sleeps.
    Duration spin = std::chrono::microseconds(50);
  };

  /// Throws `std::system_error` if the threads cannot be started; then no thread is left.
  explicit CoreTeam(Options options);
  CoreTeam(const CoreTeam&) = delete;
  CoreTeam& operator=(const CoreTeam&) = delete;
  ~CoreTeam() override;

  [[nodiscard]] int size() const noexcept override { return active_; }
  void enter(Body body, void* work) override;
  void barrier() noexcept override;
  [[nodiscard]] bool bind_like(int rank) const override;

  /// Called by a lent thread, which becomes the member `rank` (at least 1). The thread serves each call of `enter`
  /// that includes this member. Returns when `leave()` is true after such a call, or when no call has come for
  /// `Options::spin`. Then the thread has to sleep at its doorbell and call `serve` again, because a call of `enter`
  /// that includes the member waits for it. Two threads must not serve one rank at the same time.
  template <class Leave>
  void serve(int rank, Leave&& leave) noexcept {
    auto begin = std::chrono::steady_clock::now();
    while (true) {
      if (take_what_is_there(rank)) {
        begin = std::chrono::steady_clock::now();
      } else if (std::chrono::steady_clock::now() - begin >= options_.spin) {
        return;
      }
      if (leave()) return;
    }
  }

  /// Sets the number of members of the next kernel: at least 1, at most all.
  void limit(int members) noexcept;
  [[nodiscard]] int members() const noexcept { return static_cast<int>(options_.helpers.size()) + 1; }
  /// Returns the core time, in `platform::rough_ticks`, that the team has gained over a master that computes alone. The
  /// gain is the time that helpers have computed inside calls of `enter`, without their waits at barriers, minus the
  /// time that the master has waited for helpers. The value may fall. May be called from any thread; between two calls
  /// of `enter` the master gets the exact sum.
  [[nodiscard]] std::int64_t gained_ticks() const noexcept;

 private:
  /// The state of one member, on a cache line of its own.
  struct alignas(64) Member {
    std::exception_ptr error;
    /// The value of `entry_` that a lent thread has seen last.
    std::uint32_t seen = 0;
    /// The member's contribution to `gained_ticks`. The counter has a cache line of its own, because the master reads
    /// `error` after every call of `enter`, but reads this counter only after a task.
    alignas(64) std::atomic<std::int64_t> gained{0};
  };

  void help(int rank) noexcept;
  /// Looks for a call of `enter` for a while. Returns true if there was a call that includes the member.
  bool take_what_is_there(int rank) noexcept;
  /// Serves a call of `enter`. Returns false if the call does not include the member.
  bool answer(int rank, std::uint32_t entry) noexcept;
  void run_body(int rank) noexcept;
  /// Called when a member has run the body of a call of `enter`. For the rest of the call, the member counts as
  /// arrived at every barrier.
  void leave() noexcept;
  /// Adds `arrived` and `left` to the counts of the barrier, and opens the barrier if all members are there.
  void arrive(std::uint32_t arrived, std::uint32_t left) noexcept;
  /// Waits until the value of `word` is no longer `old`, and returns the new value.
  template <class Word>
  std::uint32_t changed(Word& word, std::uint32_t old) const noexcept;
  void stop() noexcept;

  const Options options_;
  std::vector<Member> team_;
  int active_ = 1;
  Body body_ = nullptr;
  void* work_ = nullptr;
  /// The scope that the master is in: helpers enter the same scope.
  const graph::ExecutionScope::Place* scope_ = nullptr;
  /// The low bits hold the number of members in the call, and the high bits the number of the call of `enter`. Both
  /// are in one word, so that a helper that is not in a call never mistakes that call for the next call. If
  /// the number of members is 0, the helpers end.
  alignas(64) std::atomic<std::uint32_t> entry_{0};
  /// The number of helpers that have not finished the present call of `enter`.
  alignas(64) std::atomic<std::uint32_t> pending_{0};
  /// The number of members that wait at the barrier and, in the high half, the number of members that have finished the
  /// call of `enter` and will not come to the barrier.
  alignas(64) std::atomic<std::uint32_t> at_barrier_{0};
  std::atomic<std::uint32_t> barriers_{0};
  std::vector<std::thread> threads_;
};

}  // namespace troupe::workers
