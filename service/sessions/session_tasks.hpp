/// Makes tasks of a graph from a client's messages.
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

/// Submits, records, replays and cancels tasks. Only the session's thread may use it, as a recording belongs to the
/// thread that makes it.
///
/// A task that the graph or its codelet's check refuses is still submitted, but with a kernel that fails. So it ends
/// like any other task, and the tasks that need its data are cancelled.
class SessionTasks {
 public:
  struct Parts {
    graph::TaskGraph& graph;
    const SessionCodelets& codelets;
    const SessionData& data;
    RefusedTasks& refused;
    SessionOutbox& outbox;
    const SessionLimits& limits;
    KernelLimit kernels;
  };
  explicit SessionTasks(const Parts& parts);
  ~SessionTasks();
  SessionTasks(const SessionTasks&) = delete;
  SessionTasks& operator=(const SessionTasks&) = delete;

  // A failure of the next functions ends the session; mostly the client broke the protocol.
  Result<void> submit(const v1::Tasks& message);
  Result<void> begin_recording(const v1::BeginRecording& message);
  Result<void> end_recording(const v1::EndRecording& message);
  Result<void> drop_recording(const v1::DropRecording& message);
  Result<void> replay(const v1::Replay& message);
  Result<void> cancel(const v1::CancelTask& message);
  Result<void> await(const v1::Await& message);

  [[nodiscard]] bool recording() const { return open_ != nullptr; }
  /// Ends a recording that is being made; called when the client is gone.
  void abandon();
  /// From now on, refuses new tasks for this reason.
  void withdraw(const Failure& reason);
  /// A task that is not submitted to the graph.
  struct Refused {
    std::uint64_t task = 0;
    /// The data that the task would have written. They have no valid content when its turn has come.
    std::vector<Handle> written;
    Failure why;
  };
  /// Returns the refused tasks that have come since the last call. They must take their place in the graph before any
  /// other task is submitted.
  [[nodiscard]] std::vector<Refused> take_refused() { return std::exchange(refused_, {}); }

  /// Called when a task's end is about to be told to the client.
  void ended(std::uint64_t task, TaskStatus status);
  [[nodiscard]] std::uint64_t submitted() const { return numbers_.next() - 1; }
  /// Returns the number of tasks whose end has not been told.
  [[nodiscard]] std::uint64_t in_flight() const { return in_flight_; }
  /// Returns the number of tasks in recordings.
  [[nodiscard]] std::uint64_t recorded() const { return recorded_tasks_; }
  /// Returns the estimated size of the tasks and the recordings.
  [[nodiscard]] std::uint64_t bytes() const;
  /// Returns true if the client waits for the end of a task that it has not been told of.
  [[nodiscard]] bool any_awaited() const { return !awaited_.empty(); }
  [[nodiscard]] bool is_awaited(std::uint64_t task) const { return awaited_.contains(task); }

 private:
  /// The numbers of data, in ascending order, so that runs are reproducible.
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
  /// Returns the devices that the client chose. The names of kinds have been checked before.
  static DeviceSet devices_of(const v1::TaskDetail& detail);
  /// Returns why the task cannot run, as far as that can be told before the graph looks at it. For a task that would
  /// keep a core for too long, but not an accelerator, removes the cores from `options_`.
  std::optional<Failure> why_refused(const TaskRow& row, const Arguments& arguments);
  /// Returns the numbers of the data that the task would write; its accesses have been read.
  [[nodiscard]] Numbers written_by(const TaskRow& row) const;
  /// Returns the numbers of the data that a run would write.
  [[nodiscard]] static Numbers written_by(const v1::Replay& message, const KeptRecording& kept);
  /// Notes the data that a task of the open recording writes.
  void note_written(const TaskRow& row);
  /// Returns the handles that a task has to write so as to write all of these data.
  [[nodiscard]] std::vector<Handle> handles_of(const Numbers& written) const;
  /// Submits the next task as one that fails in its turn. If even that fails, the session has to end: otherwise invalid
  /// data would count as valid.
  Result<Future> submit_refused(const TaskRow& row, const Failure& why);
  void count(const Future& future);
  /// Charges the task that was counted last for `bytes` above the usual size.
  void charge(std::uint64_t bytes);

  const Parts parts_;
  TaskNumbers numbers_;
  std::uint64_t in_flight_ = 0;
  /// The number of tasks of each run of a recording that is in flight, and their sum.
  std::unordered_map<std::uint64_t, std::uint64_t> runs_;
  std::uint64_t in_runs_ = 0;
  /// The bytes of recordings, and the bytes above the usual of tasks in flight; `large_` has the latter by task.
  std::uint64_t more_bytes_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> large_;
  std::unordered_set<std::uint64_t> awaited_;
  std::unique_ptr<OpenRecording> open_;
  std::unordered_map<std::uint64_t, KeptRecording> recordings_;
  std::uint64_t recorded_tasks_ = 0;
  /// The numbers of refusals of recordings that were dropped. They are forgotten when no run is in flight.
  std::vector<std::uint64_t> old_refusals_;
  /// The numbers of refusals of tasks in flight.
  std::unordered_map<std::uint64_t, std::uint64_t> refusals_;
  std::optional<Failure> withdrawn_;
  std::vector<Refused> refused_;

  // These are reused for each task, to save allocations.
  std::vector<Access> accesses_;
  std::vector<Layout> layouts_;
  TaskOptions options_;
  std::optional<Failure> cancelled_by_;
};

}  // namespace troupe::service
