/// The cores that run one kernel together.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <type_traits>

namespace troupe {

/// The cores of the worker that runs a kernel: one, or those of a cluster. A kernel for teams (`Codelet::cpu_team`)
/// runs in the master, rank 0, and calls the other members as often as it likes. Several threads must not use it at
/// once, and it must not be used from within `run`.
class Team {
 public:
  /// The function that every member calls, with its rank.
  using Part = void (*)(void* work, int rank);

  virtual ~Team() = default;

  /// The number of members, the master included; at least 1.
  [[nodiscard]] virtual int size() const noexcept = 0;
  /// Calls `part(work, rank)` once in every member at the same time, and returns when all have returned. When all have
  /// ended, rethrows the exception of the lowest rank that threw.
  virtual void enter(Part part, void* work) = 0;
  /// Called within `run`: returns when all members have called it. Every member must call it equally often; a member
  /// that throws counts as having called it for ever.
  virtual void barrier() noexcept = 0;
  /// Binds the calling thread, which belongs to another library's pool, to the place where the member of this rank
  /// runs. Returns false if that failed. Does nothing where members are not bound.
  [[nodiscard]] virtual bool bind_like(int rank) const = 0;

  /// Calls `work(rank, size)` once in every member at the same time: see `enter`.
  template <class F>
  void run(F&& work) {
    struct Call {
      std::remove_reference_t<F>* work;
      int size;
    };
    Call call{std::addressof(work), size()};
    enter(
        [](void* of, int rank) {
          Call& call = *static_cast<Call*>(of);
          (*call.work)(rank, call.size);
        },
        &call);
  }
  /// Calls `work(i)` once for each i below `count`, each in some member: a member that has finished one takes the next.
  template <class F>
  void for_each(std::size_t count, F&& work) {
    std::atomic<std::size_t> next{0};
    run([&](int, int) {
      // Relaxed: only the distribution of the numbers matters; `enter` orders the rest.
      for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) work(i);
    });
  }
};

/// A team of one: the calling thread.
class LoneTeam final : public Team {
 public:
  [[nodiscard]] int size() const noexcept override { return 1; }
  void enter(Part part, void* work) override { part(work, 0); }
  void barrier() noexcept override {}
  [[nodiscard]] bool bind_like(int /*rank*/) const override { return true; }
};

/// Makes the team ready for kernels that bring threads of their own, in the worker's thread. What it returns lives
/// until the worker runs something else (`Codelet::prologue`).
using TeamPrologue = std::shared_ptr<void> (*)(Team& team);

}  // namespace troupe
