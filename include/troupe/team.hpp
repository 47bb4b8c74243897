/// The cores that run one kernel together, and the fraction of their time that was used.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>

#include "troupe/units.hpp"

namespace troupe {

/// The cores of the worker that runs a kernel: one core, or the cores of a cluster. A kernel for teams
/// (`Codelet::cpu_team`) runs in the master, rank 0, and may call the other members any number of times. Only one
/// thread at a time may use a team, and a function that runs in `run` must not call `run`.
class Team {
 public:
  /// The function that every member calls, with its rank.
  using Body = void (*)(void* work, int rank);

  virtual ~Team() = default;

  /// Returns the number of members, the master included; at least 1.
  [[nodiscard]] virtual int size() const noexcept = 0;
  /// Calls `body(work, rank)` once in every member, all at the same time, and returns when all calls have returned. If
  /// members threw, it then rethrows the exception of the lowest rank.
  virtual void enter(Body body, void* work) = 0;
  /// Called within `run`. Returns when all members have called `barrier`. Every member must call it equally often;
  /// after a member has thrown, the others do not wait for that member any more.
  virtual void barrier() noexcept = 0;
  /// Binds the calling thread, which belongs to another library's pool, to the core of the member with this rank.
  /// Returns false if that failed. Does nothing if members are not bound.
  [[nodiscard]] virtual bool bind_like(int rank) const = 0;

  /// Calls `work(rank, size)` once in every member, all at the same time: see `enter`.
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
  /// Calls `work(i)` once for each i below `count`, each in some member: a member that has finished one call takes the
  /// next i.
  template <class F>
  void for_each(std::size_t count, F&& work) {
    const Each call = [](void* of, std::size_t index) { (*static_cast<std::remove_reference_t<F>*>(of))(index); };
    hand_out(count, call, const_cast<void*>(static_cast<const void*>(std::addressof(work))));
  }

 private:
  using Each = void (*)(void* work, std::size_t index);
  void hand_out(std::size_t count, Each call, void* work);
};

/// A team of one: the calling thread.
class LoneTeam final : public Team {
 public:
  [[nodiscard]] int size() const noexcept override { return 1; }
  void enter(Body body, void* work) override { body(work, 0); }
  void barrier() noexcept override {}
  [[nodiscard]] bool bind_like(int /*rank*/) const override { return true; }
};

/// A function that prepares the team, in the worker's thread, for kernels that have threads of their own. The returned
/// object lives until the worker runs something else (`Codelet::prologue`).
using TeamPrologue = std::shared_ptr<void> (*)(Team& team);

/// The use of the cores of a cluster, or of several clusters. While a worker runs a task, it offers the task's time on
/// each of its cores; the used time is the time in which these cores computed. The master, which runs the kernel,
/// computes from the task's beginning to its end, except while it waits for members that have not returned from their
/// call. A helper computes in its calls. A member that waits at a barrier does not compute. Examples: a kernel without
/// a version for teams uses the time of one core; a kernel that uses its team of four during half of its time uses five
/// eighths of the offered time. Calling the other members counts as work of the master. Time in which another process
/// had the core counts as used.
struct TeamUse {
  /// The sum of cores times duration of the tasks whose used time is known.
  Duration offered{};
  /// The used time, at most `offered`.
  Duration used{};
  /// The sum of cores times duration of tasks whose kernels have threads of their own (`Codelet::prologue`): the
  /// runtime does not know how many of these threads computed, and when.
  Duration unseen{};

  /// Returns the used fraction of the offered time, between 0 and 1; empty if no used time is known.
  [[nodiscard]] std::optional<double> used_fraction() const {
    if (offered <= Duration{}) return std::nullopt;
    return seconds(used) / seconds(offered);
  }

  TeamUse& operator+=(const TeamUse& other) {
    offered += other.offered;
    used += other.used;
    unseen += other.unseen;
    return *this;
  }
  TeamUse& operator-=(const TeamUse& other) {
    offered -= other.offered;
    used -= other.used;
    unseen -= other.unseen;
    return *this;
  }
  friend bool operator==(const TeamUse&, const TeamUse&) = default;
};

}  // namespace troupe
