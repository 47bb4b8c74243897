/// Why report: the reasons why tasks do not go on, as plain values, in words and as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "troupe/access.hpp"
#include "troupe/ids.hpp"
#include "troupe/team.hpp"
#include "troupe/units.hpp"

namespace troupe {

/// The kinds of root cause why tasks wait. A root cause is something that itself waits for no task.
enum class WhyKind {
  /// A kernel runs.
  running,
  /// A task's callback runs, and the tasks that depend on the task wait for it.
  callback,
  /// The program has acquired data and has not given them back (`HostAccess`).
  held_by_program,
  /// Tasks are ready and lie in the queues of workers, which have not begun them.
  ready,
  /// Tasks are ready, and the placing policy has not decided where they run.
  undecided,
  /// No worker has a device that the task's codelet runs on.
  no_worker,
  /// A worker has taken the task, but the task's data have not yet arrived in the memory of the worker's device.
  fetching,
  /// A kernel waits for a task or for data of another runtime.
  another_runtime,
};
[[nodiscard]] const char* to_string(WhyKind kind);

/// The names of one task.
struct WhyTask {
  TaskId id;
  std::string name;
  /// The codelet's name; empty if the task only stands for a waiting thread of the program.
  std::string codelet;
  /// A description: "task 12 'gemm(3,1)' (codelet gemm)", "the combining of 'x'", "a thread's wait for 'x'".
  std::string text;
  /// For a running task that is cut into pieces (`Codelet::pieces`), the number of its pieces, and the number of pieces
  /// that have begun. Zero for other tasks.
  std::uint32_t pieces = 0;
  std::uint32_t pieces_begun = 0;
};

struct WhyCause {
  WhyKind kind = WhyKind::running;
  /// The task; for the kinds `ready` and `undecided`, the first of the tasks.
  WhyTask task;
  /// The number of ready tasks, or 1.
  std::uint64_t tasks = 1;
  /// The number of tasks that wait for this cause, directly or through other tasks. A task with several causes counts
  /// for only one of them: for `no_worker` first, then `held_by_program`, then `running`, `another_runtime`, `fetching`
  /// and `callback`, then the other kinds. Among causes of equal rank, it counts for the cause that has lasted longest.
  std::uint64_t waiting = 0;
  /// True if some task waits for this cause, even if that task counts for another cause.
  bool blocks = false;
  WorkerId worker;
  /// The time that the cause has lasted; zero if this time is not known.
  Duration lasting{};
  /// For `held_by_program`, the data. For `fetching`, the step that is missing: "the copy of handle 17 to emulated GPU
  /// 0".
  std::string data;
  AccessMode mode = AccessMode::read;
};

/// One reason why a task waits.
struct WhyBlocker {
  enum class Relation { data, explicit_dependency, commute_lock };
  WhyTask task;
  Relation relation = Relation::data;
  /// The blocker's state: "runs on worker 1 since 3.2 s", "waits itself", "is ready, but has not started".
  std::string state;
};
[[nodiscard]] const char* to_string(WhyBlocker::Relation relation);

struct WhyWaiting {
  WhyTask task;
  std::vector<WhyBlocker> blockers;
  std::uint64_t more_blockers = 0;
};

enum class WhyWorkerState {
  running,
  callback,
  asleep,
  awake,
  /// The worker waits until all workers whose cores are regrouped have ended their kernels.
  regrouping,
  /// The worker's thread is lent to another worker.
  lent,
};
[[nodiscard]] const char* to_string(WhyWorkerState state);

struct WhyWorker {
  WorkerId worker;
  /// The device's name: "cpu core 3".
  std::string device;
  /// The worker's state; a worker that is `awake` looks for work, or is between two tasks.
  WhyWorkerState state = WhyWorkerState::awake;
  /// In the state `lent`, the worker that uses this worker's thread; otherwise invalid.
  WorkerId lent_to = {};
  WhyTask task;
  Duration lasting{};
  /// The number of ready tasks in the worker's deque.
  std::uint64_t queued = 0;
  /// The processing units of a core or a cluster, the master's first; empty for a GPU.
  std::vector<int> members = {};
  /// The use of a cluster's cores by its tasks so far, without the running task.
  TeamUse team;
};

struct WhyThread {
  /// The kind of wait: "everything", "task", "data", "change", "release", "room".
  std::string kind;
  /// The wait in words: "waits for every task", "is blocked in submit: the window of 64 tasks is full" …
  std::string text;
  WhyTask task;
  Duration lasting{};
};

/// The tasks of a runtime, counted.
struct WhyCounts {
  std::uint64_t submitted = 0;
  std::uint64_t ended = 0;
  std::uint64_t in_flight = 0;
  /// The number of tasks in flight that the report does not cover. These are the youngest tasks.
  std::uint64_t left_out = 0;
  /// The tasks in flight by state: `waiting` tasks wait for other tasks, `ready` tasks wait for a worker, and a worker
  /// has taken the `running` tasks.
  std::uint64_t waiting = 0;
  std::uint64_t ready = 0;
  std::uint64_t running = 0;
  /// The numbers of ready tasks outside the deques: tasks in the entry queue, which no worker owns, and tasks that the
  /// scheduler has not placed yet (placing policies only).
  std::uint64_t in_entry_queue = 0;
  std::uint64_t undecided = 0;
};

/// The answer of `Runtime::why`. Workers continue while the report is made, so the report does not show a single
/// moment; but every relation in the report was true when it was read. The size of the report is bounded: long lists
/// are cut, and the number of missing entries is given.
struct WhyReport {
  WhyCounts counts;
  std::string policy;
  /// True if the scheduler's actor has ended: undecided tasks then stay undecided.
  bool scheduler_died = false;
  /// In a report of the watchdog, the time in which no task has started or ended; otherwise zero.
  Duration quiet_for{};
  /// The causes, sorted by the number of waiting tasks, the most first.
  std::vector<WhyCause> causes;
  std::uint64_t more_causes = 0;
  /// The tasks that wait, sorted by age, the oldest first.
  std::vector<WhyWaiting> tasks;
  std::uint64_t more_tasks = 0;
  std::vector<WhyWorker> workers;
  std::vector<WhyThread> threads;
  std::uint64_t more_threads = 0;

  /// Returns several lines for people, with less detail than the JSON text.
  [[nodiscard]] std::string to_text() const;
  /// Returns one JSON object. Bytes that are not UTF-8 are replaced. Durations are in seconds.
  [[nodiscard]] std::string to_json() const;
};

/// Returns a duration in words: "3.2 s", "15 ms", "2 min 05 s".
[[nodiscard]] std::string in_words(Duration duration);

}  // namespace troupe
