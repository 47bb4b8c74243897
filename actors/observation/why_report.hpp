/// Why tasks do not go on, as plain values, in words and as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "proto/access.hpp"
#include "proto/ids.hpp"
#include "proto/team_use.hpp"
#include "proto/units.hpp"

namespace troupe {

/// What tasks wait for in the end: something that waits for no other task.
enum class WhyKind {
  /// A kernel runs.
  running,
  /// A task's callback runs, and what depends on the task waits for it.
  callback,
  /// The program holds data (`HostAccess`).
  held_by_program,
  /// Tasks are ready, and lie in the queues of workers that do not come to them.
  ready,
  /// Tasks are ready, and the placing policy has not decided where they run.
  undecided,
  /// No worker has a device that the task's codelet runs on.
  no_worker,
  /// A worker has taken the task, whose data are not yet where it is to run.
  fetching,
};
[[nodiscard]] const char* to_string(WhyKind kind);

/// One task by name.
struct WhyTask {
  TaskId id;
  std::string name;
  /// Empty where the task stands for a thread of the program.
  std::string codelet;
  /// "task 12 'gemm(3,1)' (codelet gemm)", "the combining of 'x'", "a thread's wait for 'x'".
  std::string text;
  /// Of a task of pieces that runs: how many there are, and how many of them have begun. Else zero.
  std::uint32_t pieces = 0;
  std::uint32_t pieces_begun = 0;
};

struct WhyCause {
  WhyKind kind = WhyKind::running;
  /// The task; for `ready` and `undecided`, the first of them.
  WhyTask task;
  /// Ready tasks, or 1.
  std::uint64_t tasks = 1;
  /// Tasks that wait for it in the end. One that waits for several causes counts for one of them: data that the program
  /// holds first, then what has taken longest.
  std::uint64_t waiting = 0;
  /// Some task waits for it, whatever that task counts for.
  bool blocks = false;
  WorkerId worker;
  /// How long it has been so; zero where that is not known.
  Duration lasting{};
  /// For `held_by_program` the data; for `fetching` what has to happen: "the copy of handle 17 to emulated GPU 0".
  std::string data;
  AccessMode mode = AccessMode::read;
};

/// One reason why a task waits.
struct WhyBlocker {
  enum class Relation { data, explicit_dependency, commute_lock };
  WhyTask task;
  Relation relation = Relation::data;
  /// "runs on worker 1 since 3.2 s", "waits itself", "is ready, but has not started", "is held by the program".
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
  /// It waits until all whose cores are grouped otherwise have ended what they run.
  regrouping,
  /// Its thread is lent to another worker.
  lent,
};
[[nodiscard]] const char* to_string(WhyWorkerState state);

struct WhyWorker {
  WorkerId worker;
  /// "cpu core 3".
  std::string device;
  /// `awake`: looking for work, or between two tasks.
  WhyWorkerState state = WhyWorkerState::awake;
  /// Of one that is lent.
  WorkerId lent_to = {};
  WhyTask task;
  Duration lasting{};
  /// Ready tasks in its deque.
  std::uint64_t queued = 0;
  /// Of a core or a cluster the processing units, the master's first; empty for a GPU.
  std::vector<int> members = {};
  /// Of a cluster: what share of its cores' time its tasks used so far, the one that runs not counted.
  TeamUse team;
};

struct WhyThread {
  /// "everything", "task", "data", "change", "release", "room".
  std::string kind;
  /// "waits for every task", "is blocked in submit: the window of 64 tasks is full" …
  std::string text;
  WhyTask task;
  Duration lasting{};
};

/// What `Runtime::why` says. Workers go on while it is made, so it is no single moment's truth; every relation in it
/// was there when it was looked at. Bounded: lists are cut, and say by how much.
struct WhyReport {
  std::uint64_t submitted = 0;
  std::uint64_t ended = 0;
  std::uint64_t in_flight = 0;
  /// Of those in flight, too many to look at: the youngest. All that follows is about the others.
  std::uint64_t left_out = 0;
  /// Of those in flight: waiting for others, ready, with a worker.
  std::uint64_t waiting = 0;
  std::uint64_t ready = 0;
  std::uint64_t running = 0;
  /// Where ready tasks lie besides deques: no worker's; the scheduler's, undecided (placing policies only).
  std::uint64_t in_entry_queue = 0;
  std::uint64_t undecided = 0;
  std::string policy;
  /// The scheduler's actor has ended: undecided tasks stay so.
  bool scheduler_died = false;
  /// From the watchdog: nothing has started or ended for so long. Else zero.
  Duration quiet_for{};
  /// Most waiting tasks first.
  std::vector<WhyCause> causes;
  std::uint64_t more_causes = 0;
  /// Oldest first.
  std::vector<WhyWaiting> tasks;
  std::uint64_t more_tasks = 0;
  std::vector<WhyWorker> workers;
  std::vector<WhyThread> threads;
  std::uint64_t more_threads = 0;

  /// Several lines for people, without JSON's detail.
  [[nodiscard]] std::string to_text() const;
  /// One object; bytes that are no UTF-8 are replaced. Durations in seconds.
  [[nodiscard]] std::string to_json() const;
};

/// "3.2 s", "15 ms", "2 min 05 s".
[[nodiscard]] std::string in_words(Duration duration);

}  // namespace troupe
