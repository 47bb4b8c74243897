/// What a worker does next: the worker without its actor.
#pragma once

#include <cstdint>
#include <vector>

#include "actors/workers/crew.hpp"
#include "graph/failure_log.hpp"
#include "proto/random.hpp"

namespace troupe::workers {

/// What the shell has to do for the core.
struct Command {
  enum class Kind : std::uint8_t {
    /// Start `task` on the device; then report `task_ended`.
    start,
    /// Send a steal request to `worker`; then report `steal_replied`.
    steal,
    /// Send `WorkAvailable` to `worker`, which was idle.
    wake,
    /// Tell the scheduler that there are tasks in the activation queue.
    activate,
    /// There is nothing to do: `park`, now or after having looked around for a while.
    rest,
  };
  Kind kind = Kind::rest;
  graph::Task* task = nullptr;
  WorkerId worker;
};

/// Appended to by the core, emptied by its caller.
using Commands = std::vector<Command>;

/// | event          | while the device has room               | while it has none      |
/// |----------------|------------------------------------------|------------------------|
/// | work_available | next task, or steal, or rest             | nothing                |
/// | steal_replied  | the same, asking the next victim         | tasks stay in the deque |
/// | task_ended     | activate its successors, then as above   | cannot happen          |
///
/// *Next task*: the newest of the highest priority in the own deque, or the oldest of the entry queue where that has
/// a higher one or the own deque is empty. *Steal*: from the first victim that seems to have tasks, in the order of
/// the steal plan; at most one request is out at a time. A successor of an ended task goes to the own deque (local
/// policies) or to the activation queue (placing policies). One idle worker is woken whenever a task starts while more
/// of them lie where it may take them from (the entry queue, or the own deque if the plan lets anybody steal); it takes
/// some and, if it then has more than it needs, wakes the next.
///
/// Not thread-safe: belongs to one worker's thread.
class WorkerCore {
 public:
  struct Options {
    WorkerId self;
    std::size_t slots = 1;
    std::uint64_t seed = 0;
    /// Where successors go under a placing policy; null: the own deque.
    TaskDeque* activation_queue = nullptr;
  };

  WorkerCore(Crew& crew, Options options);

  void work_available(Commands& out) { advance(out); }
  void task_ended(graph::Task& task, const graph::FailureLog::Cause& cause, Commands& out);
  /// `victim` has moved `tasks` tasks to the own deque, or will answer no more (0). An answer that nobody waits for,
  /// because it was asked for by an actor that died, only makes the worker look.
  void steal_replied(WorkerId victim, std::size_t tasks, Commands& out);

  /// Whether any queue that this worker may take from seems to hold something.
  [[nodiscard]] bool sees_work() const;
  /// The same for a worker that asks again and again: it looks at what has arrived at the entry queue at most once a
  /// microsecond, and drains it.
  [[nodiscard]] bool finds_work();
  /// Declares the worker idle. False: work has appeared meanwhile, go on with `work_available`. True: sleep; a
  /// `WorkAvailable` will come.
  [[nodiscard]] bool park();
  /// The worker is awake, though perhaps nobody has erased it from the idle set.
  void unpark() { crew_.idle.erase(options_.self); }

  [[nodiscard]] std::size_t running() const { return running_; }

 private:
  void advance(Commands& out);
  void activated(graph::TaskList& ready, Commands& out);
  /// Whether the newest of them has the highest priority of all that this worker could take.
  [[nodiscard]] bool goes_first(const graph::TaskList& ready) const;
  void wake_for_surplus(Commands& out);
  graph::Task* next_task();
  /// Lets what has arrived at the entry queue take part, unless it was looked at less than a microsecond ago (false):
  /// each look costs the thread that submits a cache miss.
  bool look_at_arrivals();
  graph::Task* take_from_entry();
  [[nodiscard]] bool victims_have_work() const;
  /// The first victim that seems to have tasks, nearest ring first; an invalid id where none has.
  WorkerId next_victim();

  Crew& crew_;
  const Options options_;
  WorkerPort& port_;
  Random random_;
  std::size_t running_ = 0;
  /// The only successor of the task that ended last, if nothing has a higher priority: it need not go through the
  /// deque.
  graph::Task* handed_over_ = nullptr;
  /// When the entry queue was looked at, in `platform::rough_ticks`.
  std::uint64_t looked_ = 0;
  /// The victim whose answer is awaited, or an invalid id.
  WorkerId asked_victim_;
  /// Victims asked since the last task, so that a search ends.
  std::size_t asked_ = 0;
};

/// Moves half of the victim's tasks to the thief's deque, and returns how many: the whole answer to a steal request.
/// Touches the two deques only, so it may run in the thief's thread while the victim's runs a kernel.
std::size_t transfer_half(Crew& crew, WorkerId victim, WorkerId thief) noexcept;

}  // namespace troupe::workers
