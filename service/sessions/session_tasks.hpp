/// Makes the graph's tasks from a client's messages.
#pragma once

#include <troupe/v1/troupe.pb.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/task_graph.hpp"
#include "service/codelets/kernel_limit.hpp"
#include "service/server_options.hpp"
#include "service/sessions/refused_tasks.hpp"
#include "service/sessions/session_codelets.hpp"
#include "service/sessions/session_costs.hpp"
#include "service/sessions/session_data.hpp"
#include "service/sessions/session_outbox.hpp"
#include "service/sessions/task_columns.hpp"
#include "service/sessions/task_numbers.hpp"
#include "troupe/errors.hpp"

namespace troupe::service {

/// Submits, records, replays and cancels tasks. Only the session's thread may use this class, because a recording
/// belongs to the thread that makes it.
///
/// If the graph or the codelet's check refuses a task, the task is still submitted, but with a kernel that fails. The
/// task therefore ends like any other task, and the tasks that need its data are cancelled.
class SessionTasks {
 public:
  struct Collaborators {
    graph::TaskGraph& graph;
    const SessionCodelets& codelets;
    const SessionData& data;
    RefusedTasks& refused;
    SessionOutbox& outbox;
    const SessionLimits& limits;
    const KernelLimit& kernels;
  };
  explicit SessionTasks(const Collaborators& collaborators);
  ~SessionTasks();
  SessionTasks(const SessionTasks&) = delete;
  SessionTasks& operator=(const SessionTasks&) = delete;

  // A failure of the following functions ends the session. In most cases the client broke the protocol.
  Result<void> submit(const v1::Tasks& message);
  Result<void> begin_recording(const v1::BeginRecording& message);
  Result<void> end_recording(const v1::EndRecording& message);
  Result<void> drop_recording(const v1::DropRecording& message);
  Result<void> replay(const v1::Replay& message);
  Result<void> cancel(const v1::CancelTask& message);
  Result<void> await(const v1::Await& message);

  [[nodiscard]] bool recording() const { return open_ != nullptr; }
  /// Ends the recording in progress, if there is one. Called when the client has gone.
  void abandon();
  /// From now on, refuses new tasks for this reason.
  void withdraw(const Failure& reason);
  /// A task or replay that was refused before it could be submitted to the graph.
  struct Refused {
    std::uint64_t task = 0;
    /// The data that the task would have written. Their content becomes invalid in the task's turn.
    std::vector<Handle> written;
    Failure why;
  };
  /// Returns the refused tasks since the last call. The caller must pass them to the graph (`SessionRequests::refuse`)
  /// before any other task is submitted.
  [[nodiscard]] std::vector<Refused> take_refused() { return std::exchange(refused_, {}); }

  /// Called when the message with the end of the task is being filled.
  void ended(std::uint64_t task, TaskStatus status);
  [[nodiscard]] std::uint64_t submitted() const { return numbers_.next() - 1; }
  /// Returns the number of tasks whose end has not been reported to the client.
  [[nodiscard]] std::uint64_t in_flight() const { return in_flight_; }
  /// Returns the number of tasks in recordings.
  [[nodiscard]] std::uint64_t recorded() const { return recorded_tasks_; }
  /// Returns the estimated size of the tasks and the recordings.
  [[nodiscard]] std::uint64_t bytes() const;
  /// Returns true if the client waits for a task whose end has not been reported to it.
  [[nodiscard]] bool any_awaited() const { return !awaited_.empty(); }
  [[nodiscard]] bool is_awaited(std::uint64_t task) const { return awaited_.contains(task); }

 private:
  /// The client's numbers of data, in ascending order, so that runs are reproducible.
  using Numbers = std::set<std::uint64_t>;
  struct OpenRecording;
  struct KeptRecording {
    std::shared_ptr<graph::Recording> recording;
    /// The numbers that `RefusedTasks` gave to the recording's refused tasks.
    std::vector<std::uint64_t> refusals;
    /// The data that some task of the recording writes.
    Numbers written;
    std::uint64_t tasks = 0;
    std::uint64_t bytes = costs::kRecording;
  };

  Result<void> check_room(std::uint64_t tasks) const;
  Result<void> submit_row(const TaskRow& row);
  Result<void> read_accesses(const TaskRow& row);
  Result<void> read_after(const TaskRow& row);
  /// Reads whether the task is nested, and its weak data.
  Result<void> read_weak(const v1::TaskDetail& detail);
  /// Returns the devices that the client chose. The names of device kinds have been checked before.
  static DeviceSet devices_of(const v1::TaskDetail& detail);
  /// Returns why the task cannot run, as far as this is known before the graph checks the task. If the task would run
  /// for too long on a core, but not on an accelerator, removes the cores from `options_`.
  std::optional<Failure> why_refused(const TaskRow& row, const Arguments& arguments);
  /// Returns the numbers of the data that the task would write. Call `read_accesses` before.
  [[nodiscard]] Numbers written_by(const TaskRow& row) const;
  /// Returns the numbers of the data that a replay of the recording would write.
  [[nodiscard]] static Numbers written_by(const v1::Replay& message, const KeptRecording& kept);
  /// Adds the data that a task writes to the data that the recording in progress writes.
  void note_written(const TaskRow& row);
  /// Returns the handles that a task must access to write all of these data. A block is left out if its whole is
  /// written.
  [[nodiscard]] std::vector<Handle> handles_of(const Numbers& written) const;
  /// Submits the next task with a kernel that fails in its turn. If even that submission fails, the session has to end:
  /// otherwise invalid data would count as valid.
  Result<Future> submit_refused(const TaskRow& row, const Failure& why);
  void count(const Future& future);
  /// Charges the task that was counted last with `bytes` above the usual size.
  void charge(std::uint64_t bytes);

  const Collaborators collaborators_;
  TaskNumbers numbers_;
  std::uint64_t in_flight_ = 0;
  /// For each running replay of a recording, its number of tasks; and the sum of these numbers.
  std::unordered_map<std::uint64_t, std::uint64_t> runs_;
  std::uint64_t in_runs_ = 0;
  /// The bytes of recordings, plus the bytes by which tasks in flight exceed the usual size of a task. `large_` has
  /// this excess for each task.
  std::uint64_t more_bytes_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> large_;
  std::unordered_set<std::uint64_t> awaited_;
  std::unique_ptr<OpenRecording> open_;
  std::unordered_map<std::uint64_t, KeptRecording> recordings_;
  std::uint64_t recorded_tasks_ = 0;
  /// The numbers of refusals in recordings that were dropped. When no task is in flight, `refused` forgets these
  /// refusals.
  std::vector<std::uint64_t> old_refusals_;
  /// The numbers of refusals, by the refused task, which is in flight.
  std::unordered_map<std::uint64_t, std::uint64_t> refusals_;
  std::optional<Failure> withdrawn_;
  std::vector<Refused> refused_;

  // These members are reused for each task, to save allocations.
  std::vector<Access> accesses_;
  std::vector<Layout> layouts_;
  TaskOptions options_;
  /// True if one of the tasks after which the task is to run has ended without success.
  bool follows_failure_ = false;
};

}  // namespace troupe::service
