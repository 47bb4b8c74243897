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

/// The root causes for which tasks wait: a root cause itself waits for no task.
enum class WhyKind {
  /// A kernel runs.
  running,
  /// A task's callback runs, and the tasks that depend on the task wait for it.
  callback,
  /// The program holds data (`HostAccess`).
  held_by_program,
  /// Tasks are ready, and lie in the queues of workers that do not come to them.
  ready,
  /// Tasks are ready, and the placing policy has not decided where they run.
  undecided,
  /// No worker has a device that the task's codelet runs on.
  no_worker,
  /// A worker has taken the task, but its data are not yet where it is to run.
  fetching,
};
[[nodiscard]] const char* to_string(WhyKind kind);

/// The names of one task.
struct WhyTask {
  TaskId id;
  std::string name;
  /// Empty if the task stands for a thread of the program.
  std::string codelet;
  /// A description: "task 12 'gemm(3,1)' (codelet gemm)", "the combining of 'x'", "a thread's wait for 'x'".
  std::string text;
  /// The number of pieces of a task of pieces that runs, and how many of them have begun. Zero for other tasks.
  std::uint32_t pieces = 0;
  std::uint32_t pieces_begun = 0;
};

struct WhyCause {
  WhyKind kind = WhyKind::running;
  /// The task; with `ready` and `undecided`, the first of the tasks.
  WhyTask task;
  /// The number of ready tasks, or 1.
  std::uint64_t tasks = 1;
  /// The number of tasks that wait for this cause, directly or through other tasks. A task with several causes counts
  /// for one: for `no_worker` first, then `held_by_program`, then `running`, `fetching` and `callback`, then the rest;
  /// among equals, for the cause that has lasted longest.
  std::uint64_t waiting = 0;
  /// True if some task waits for this cause, even if that task counts for another cause.
  bool blocks = false;
  WorkerId worker;
  /// The time that the cause has lasted; zero if it is not known.
  Duration lasting{};
  /// The data, with `held_by_program`; with `fetching`, what has to happen: "the copy of handle 17 to emulated GPU 0".
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
  /// It waits until all workers whose cores are regrouped have ended their kernels.
  regrouping,
  /// Its thread is lent to another worker.
  lent,
};
[[nodiscard]] const char* to_string(WhyWorkerState state);

struct WhyWorker {
  WorkerId worker;
  /// The device's name: "cpu core 3".
  std::string device;
  /// The worker's state; with `awake` it looks for work, or is between two tasks.
  WhyWorkerState state = WhyWorkerState::awake;
  /// The worker that it lends its thread to; invalid if it does not.
  WorkerId lent_to = {};
  WhyTask task;
  Duration lasting{};
  /// Ready tasks in its deque.
  std::uint64_t queued = 0;
  /// The processing units of a core or a cluster, the master's first; empty for a GPU.
  std::vector<int> members = {};
  /// The share of its cores' time that a cluster's tasks have used so far, without the task that runs.
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
  /// The number of the youngest tasks in flight, which were not looked at; the report is about the older ones.
  std::uint64_t left_out = 0;
  /// The numbers of tasks in flight that wait for others, that are ready, and that are with a worker.
  std::uint64_t waiting = 0;
  std::uint64_t ready = 0;
  std::uint64_t running = 0;
  /// Ready tasks outside the deques: those that no worker owns, and those that the scheduler has not decided on
  /// (placing policies only).
  std::uint64_t in_entry_queue = 0;
  std::uint64_t undecided = 0;
};

/// The answer of `Runtime::why`. Workers go on while it is made, so it does not show a single moment; every relation in
/// it was true when it was looked at. It is bounded: lists are cut, and the number of missing entries is given.
struct WhyReport {
  WhyCounts counts;
  std::string policy;
  /// True if the scheduler's actor has ended: undecided tasks then stay undecided.
  bool scheduler_died = false;
  /// The time for which nothing has started or ended, in a report of the watchdog. Otherwise zero.
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
