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
#include "graph/codelets/team.hpp"
#include "platform/machine/cpu_set.hpp"
#include "proto/units.hpp"

namespace troupe::workers {

/// The master is whoever calls, the worker's thread; each other core has a helper, a thread of its own, or one that
/// another worker lends (`serve`). A helper without work looks for it as long as a worker does, and then sleeps. All
/// cores of the team belong to one kernel at a time, so members that wait for one another do not sleep at first either.
class CoreTeam final : public Team {
 public:
  struct Options {
    /// Where each helper runs, one entry for each; an empty set: anywhere. The master has been bound by its owner.
    std::vector<platform::CpuSet> helpers;
    /// Of lent threads, where those sleep, one for each helper; empty: the team makes threads. Outlive the team.
    std::vector<Doorbell*> doorbells = {};
    /// For debuggers: "team 3" becomes "team 3.1", ….
    std::string name = {};
    /// How long who waits keeps looking before it sleeps.
    Duration spin = std::chrono::microseconds(50);
  };

  /// Throws `std::system_error` where the threads cannot be started; then none is left.
  explicit CoreTeam(Options options);
  CoreTeam(const CoreTeam&) = delete;
  CoreTeam& operator=(const CoreTeam&) = delete;
  ~CoreTeam() override;

  [[nodiscard]] int size() const noexcept override { return active_; }
  void enter(Part part, void* work) override;
  void barrier() noexcept override;
  [[nodiscard]] bool bind_like(int rank) const override;

  /// Of a lent thread, which is member `rank`, at least 1: takes part in what it is called in for until `leave()` is
  /// true between two parts, or nothing has come for as long as helpers look. Then it is to sleep at its doorbell and
  /// come again: what it is called in for meanwhile waits for it. Not for two threads of one rank at once.
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

  /// What the next kernel gets: at least 1, at most all.
  void limit(int members) noexcept;
  [[nodiscard]] int members() const noexcept { return static_cast<int>(options_.helpers.size()) + 1; }
  /// What the team has computed since its start beyond what its master would have alone, in `platform::rough_ticks`:
  /// the time of helpers in their parts, less what the master waited for them; waits at barriers are in neither. May
  /// fall. Any thread; between two entries the master gets the exact sum.
  [[nodiscard]] std::int64_t gained_ticks() const noexcept;

 private:
  /// Of one member, on a cache line of its own.
  struct alignas(64) Member {
    std::exception_ptr error;
    /// Of a lent thread: the last entry that it has seen.
    std::uint32_t seen = 0;
    /// Its part of `gained_ticks`. Has a line of its own, as the master looks at the error after every entry, and at
    /// this only after a task.
    alignas(64) std::atomic<std::int64_t> gained{0};
  };

  void help(int rank) noexcept;
  /// Looks for a while. True: the member has taken part.
  bool take_what_is_there(int rank) noexcept;
  /// False: this entry is not for the member.
  bool answer(int rank, std::uint32_t entry) noexcept;
  void take_part(int rank) noexcept;
  /// Counts for a barrier for the rest of this entry.
  void leave() noexcept;
  /// `arrived` and `left` are added to what has come to the barrier.
  void arrive(std::uint32_t arrived, std::uint32_t left) noexcept;
  /// Returns when `word` is not `old` any more, with what it is.
  template <class Word>
  std::uint32_t changed(Word& word, std::uint32_t old) const noexcept;
  void stop() noexcept;

  const Options options_;
  std::vector<Member> team_;
  int active_ = 1;
  Part part_ = nullptr;
  void* work_ = nullptr;
  /// What the master is in: helpers are in the same.
  const graph::ExecutionScope::Place* scope_ = nullptr;
  /// How many enter, in the low bits, and above them the number of the entry: one word, so that a helper that does not
  /// take part in one entry never mixes it up with the next. Nobody enters where it is to end.
  alignas(64) std::atomic<std::uint32_t> entry_{0};
  /// Helpers that have not ended their part.
  alignas(64) std::atomic<std::uint32_t> pending_{0};
  /// Who waits at the barrier, and, in the high half, who will not come any more.
  alignas(64) std::atomic<std::uint32_t> at_barrier_{0};
  std::atomic<std::uint32_t> barriers_{0};
  std::vector<std::thread> threads_;
};

}  // namespace troupe::workers
