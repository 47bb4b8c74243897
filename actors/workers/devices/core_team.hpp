/// The threads of a cluster of cores.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "graph/codelets/team.hpp"
#include "platform/machine/cpu_set.hpp"
#include "proto/units.hpp"

namespace troupe::workers {

/// The master is whoever calls, the worker's thread; each other core has a helper, a thread of its own. A helper
/// without work looks for it as long as a worker does, and then sleeps. All cores of the team belong to one kernel at a
/// time, so members that wait for one another do not sleep at first either.
class CoreTeam final : public Team {
 public:
  struct Options {
    /// Where each helper runs, one entry for each; an empty set: anywhere. The master has been bound by its owner.
    std::vector<platform::CpuSet> helpers;
    /// For debuggers: "team 3" becomes "team 3.1", ….
    std::string name;
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

  /// What the next kernel gets: at least 1, at most all.
  void limit(int members) noexcept;
  [[nodiscard]] int members() const noexcept { return static_cast<int>(options_.helpers.size()) + 1; }

 private:
  /// Of one member, on a cache line of its own.
  struct alignas(64) Member {
    std::exception_ptr error;
  };

  void help(int rank) noexcept;
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
