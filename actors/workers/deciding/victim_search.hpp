/// Victim search: how a worker finds another worker to steal tasks from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "actors/workers/crew.hpp"
#include "proto/random.hpp"
#include "troupe/ids.hpp"

namespace troupe::workers {

/// Chooses victims in the order of the steal plan, nearest ring first, and begins in each ring with a random victim. At
/// most one request is under way at a time. Used by one thread.
class VictimSearch {
 public:
  VictimSearch(const Crew& crew, WorkerId self, std::uint64_t seed) : crew_(crew), self_(self), random_(seed) {}

  /// Returns the first victim that seems to have tasks, and notes that its answer is awaited. Returns an invalid id if
  /// there is no such victim, or if too many were asked since the last call of `end`.
  WorkerId ask_next();
  /// Called when the worker has found a task, or gives up. The next call of `ask_next` begins a new search.
  void end() { asked_ = 0; }
  /// Called when the victim has given `tasks` tasks, or will not answer any more (`tasks` is 0). Returns true if this
  /// victim's answer was awaited.
  bool answered(WorkerId victim, std::size_t tasks);
  /// Returns true while the answer of a victim is awaited.
  [[nodiscard]] bool awaits_answer() const { return awaited_.valid(); }
  /// Returns the last victim that gave tasks, once; an invalid id if there is none.
  [[nodiscard]] WorkerId take_robbed() { return std::exchange(robbed_, WorkerId{}); }
  /// Returns true if any victim seems to have tasks.
  [[nodiscard]] bool sees_tasks() const;

 private:
  [[nodiscard]] bool has_tasks(WorkerId victim) const { return crew_.ports[victim.index()].deque.size() > 0; }
  WorkerId next_victim();

  const Crew& crew_;
  const WorkerId self_;
  Random random_;
  /// The victim whose answer is awaited, or an invalid id.
  WorkerId awaited_;
  WorkerId robbed_;
  /// The number of victims asked since the last call of `end`. Victims may lose their tasks between the search and the
  /// request, so a search ends after some failures.
  std::size_t asked_ = 0;
};

}  // namespace troupe::workers
