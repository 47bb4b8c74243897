/// A backend whose tasks run in the service of this node.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "client/backend.hpp"
#include "client/remote/codelet_numbers.hpp"
#include "client/remote/connection/operation_batches.hpp"
#include "client/remote/connection/session.hpp"
#include "client/remote/memory/memory_connection.hpp"
#include "client/remote/memory/shared_data.hpp"
#include "client/remote/memory/shared_heap.hpp"
#include "client/remote/tasks_behind_hold.hpp"
#include "graph/data/data_registry.hpp"
#include "graph/recording/recording.hpp"
#include "graph/tasks/home_process.hpp"
#include "graph/tasks/task_owner.hpp"

namespace troupe::remote {

/// The client's side of a runtime on the service. It checks calls in the same way as an embedded runtime, and sends
/// correct calls to the service. Handles, futures and waits belong to this object, not to the service.
/// client/remote/README.md describes the order of events.
class RemoteBackend final : public client::Backend, public graph::TaskOwner {
 public:
  struct Connections {
    std::string folder;
    std::unique_ptr<SegmentSource> memory;
    /// The token that identifies the memory connection.
    std::array<std::uint8_t, wire::kTokenSize> token{};
    std::unique_ptr<MessageStream> stream;
    std::string name;
  };
  /// Fails with the service's refusal, or `service_lost`.
  static Result<std::unique_ptr<RemoteBackend>> start(Connections connections);
  ~RemoteBackend() override;
  [[nodiscard]] End end_here() const override;

  // The next functions implement `TaskOwner`.
  [[nodiscard]] TaskStatus status(const Future& future) const override;
  Result<void> wait(const Future& future) override;
  void cancel(const Future& future) override;
  Result<void> outcome(const Future& future) override;
  Result<void> resume_after(const Future& future, std::coroutine_handle<> waiting) override;
  Result<Future> begin_coroutine() override;
  void end_coroutine(const Future& end, std::optional<Failure> failure) override;

  // The next functions implement `client::Backend`.
  [[nodiscard]] graph::TaskOwner& tasks() override { return *this; }
  Result<Handle> register_data(graph::DataDescription description) override;
  Result<client::Memory> allocate(Bytes size, NumaId node) override;
  std::shared_ptr<void> pin(const void* memory, Bytes size) override;
  Result<std::vector<Handle>> partition(const Handle& whole, std::span<const Block> blocks) override;
  Result<std::vector<Handle>> repartition(const Handle& whole, std::span<const Block> blocks) override;
  Result<std::vector<Handle>> halos(const Handle& whole, std::span<const Block> blocks, const Rim& rim) override;
  Result<Layout> layout_of(const Handle& handle) override;
  Result<void> set_reduction(const Handle& handle, ReductionMethods methods) override;
  Result<void> release(const Handle& handle) override;
  Result<void> discard(const Handle& handle) override;
  void let_go(const Handle& handle) noexcept override;
  Result<void> set_reuse(const Handle& handle, std::int64_t index) override;
  Result<std::shared_ptr<void>> keep(const Handle& handle) override;
  Result<Future> submit(const graph::TaskSpecification& specification) override;
  Result<std::shared_ptr<client::RecordedTasks>> record(const std::function<void()>& program,
                                                        std::string name) override;
  void cancel_all() override;
  Result<void> stop_submissions() override;
  Result<void> wait_all() override;
  Result<void> wait_for(const Handle& handle) override;
  Result<Acquired> acquire(const Handle& handle, AccessMode mode) override;
  void give_back(void* hold) noexcept override;
  void hand_on(void* hold) noexcept override;
  Result<void> regroup(const std::string& clusters) override;
  [[nodiscard]] bool shares_memory() const override { return false; }
  [[nodiscard]] std::size_t workers() const override { return session_->greeting().workers; }
  [[nodiscard]] std::size_t numa_nodes() const override { return 1; }
  [[nodiscard]] const std::string& policy() const override { return session_->greeting().policy; }
  [[nodiscard]] Progress progress() const override;
  Result<RunReport> report() const override;
  Result<Trace> take_trace() override;
  Result<MetricsSnapshot> metrics() const override;
  Result<WhyReport> why() const override;

  /// Returns the number of shared memory segments that this program has.
  [[nodiscard]] std::size_t segments() const { return heap_.segments(); }

 private:
  class Recorded;
  class Kept;
  struct Hold;
  /// A recording that has not ended. `recording` and the messages in `tasks` have the same tasks in the same order.
  struct OpenRecording {
    graph::Recording* recording;
    OperationBatches tasks;
    std::uint64_t next = 1;
  };

  RemoteBackend(std::string folder, std::unique_ptr<SegmentSource> memory)
      : folder_(std::move(folder)), heap_(std::move(memory)) {
    reach(this);
  }
  void call_back(TaskLedger::DueCallback& due);

  [[nodiscard]] Result<void> check_outside_callback() const;
  [[nodiscard]] Result<void> check_wait() const;
  [[nodiscard]] graph::Recording* recording_here() const;
  [[nodiscard]] Failure loss() const { return *session_->ledger().lost(); }

  // The following members require the submission lock, unless their comments say otherwise.
  /// Must be called without the lock.
  Result<void> wait_for_room();
  /// Waits as `wait_all` does, but ignores failures of callbacks, and does not mark failures as reported. Must be
  /// called without the lock.
  Result<void> wait_until_ended();
  /// Sets `gave_up` if the calling thread has given up the wait (`graph::WaitInterrupt`).
  Result<void> wait_until_ended(bool& gave_up);
  Result<std::vector<std::uint64_t>> numbers_of(const graph::TaskSpecification& specification,
                                                graph::Recording* recording) const;
  Result<Future> submit_now(const graph::TaskSpecification& specification, std::uint32_t codelet);
  Result<Future> submit_recorded(const graph::TaskSpecification& specification, std::uint32_t codelet,
                                 graph::Recording& recording);
  void note_uses(const graph::TaskSpecification& specification, std::uint64_t number,
                 std::span<const std::uint64_t> after);
  /// Notes a task, with its uses and predecessors, that may have to wait for data that the program has acquired.
  void note_behind_holds(std::uint64_t task, std::span<const TasksBehindHold::Use> uses,
                         std::span<const std::uint64_t> after, std::uint64_t tasks = 1);
  /// The next functions check a wait that the calling thread is about to begin. They fail with `invalid_argument` if
  /// this wait would never end, because the thread would wait for a task that needs data which the thread has acquired.
  [[nodiscard]] Result<void> check_may_wait_for_all() const;
  /// Checks a wait until fewer than `window` tasks are in flight.
  [[nodiscard]] Result<void> check_may_wait_for_room(std::uint64_t window) const;
  /// Returns true if the window is full of tasks that wait for holds of this thread, or of threads that wait for room.
  [[nodiscard]] bool all_wait_for_room(std::uint64_t window) const;
  /// Returns true if the calling thread holds data.
  [[nodiscard]] bool holds_here() const;
  /// Says whether the calling thread, with what it holds, waits for room.
  void note_wait_for_room(bool waits);
  [[nodiscard]] Result<void> check_may_wait(std::uint64_t task) const;
  /// Checks a wait for tasks that use these data, after which the thread itself uses them in this mode.
  [[nodiscard]] Result<void> check_may_use(const graph::DataRecord& record, AccessMode mode) const;
  /// Calls `find` for each hold of the calling thread. `find` returns a task that waits for this hold, or 0.
  [[nodiscard]] Result<void> check_own_holds(
      const std::function<std::uint64_t(const TasksBehindHold&, const TasksBehindHold::Pending&)>& find) const;
  /// Checks the handles and modes of weak data. Call this after the check of the kernel's data.
  Result<void> check_weak(const graph::TaskSpecification& specification);
  /// Fails if `more` handles would be too many for the service, which would then end the session.
  [[nodiscard]] Result<void> check_handles(std::size_t more) const;
  using AddBlocks = std::function<Result<std::vector<graph::DataRecord*>>(graph::DataRecord&)>;
  /// Makes handles of blocks with `add`, here and on the service. Must be called without the lock.
  Result<std::vector<Handle>> add_blocks(const Handle& whole, std::size_t count, const AddBlocks& add);
  /// Notes that whoever uses a new part has to wait for the tasks on the former parts that it overlaps, which may wait
  /// for data that the program has acquired.
  void follow_former(const graph::DataRegistry::NewParts& parts, std::span<const Handle> added);
  /// Makes the former parts of `whole` its parts again, after the service has refused to replace them, and allows tasks
  /// on `refused`.
  void restore(const Handle& whole, std::span<const Handle> former, std::span<const Handle> refused);
  [[nodiscard]] bool is_being_recorded(const graph::DataRecord& record) const;
  Result<Future> replay(Recorded& recorded, std::span<const Rebinding> rebindings);
  /// Sends a complete recording to the service. Acquires the lock.
  Result<std::shared_ptr<client::RecordedTasks>> seal(std::shared_ptr<graph::Recording> recording, OpenRecording& open);
  /// Copies to the program's memory all content that tasks with a number up to `task` have written. Must be called
  /// without the lock.
  void copy_out_written(std::uint64_t task);
  /// Forgets the handle's data, if they exist.
  void forget(const Handle& handle);
  void forget(std::span<const Handle> handles);
  /// Does the work of `release`, or, if `finally` is true, the first step of `let_go`: in a kernel or callback, this
  /// step also releases data for which there is nothing to copy back. Acquires the lock.
  Result<void> end_registration(const Handle& handle, bool finally);
  /// Refuses the handle from now on, without a wait. The record is deleted when the service reports that the last use
  /// has ended.
  Result<void> release_late(graph::DataRecord& record);
  /// Refuses the handle like `release_late`, without copying content to the program's memory any more, and reports the
  /// failure `why`.
  void abandon(const Handle& handle, const Failure& why);

  const std::string folder_;
  const graph::HomeProcess home_;
  SharedHeap heap_;
  /// Requires the submission lock, which belongs to the session's sender.
  graph::DataRegistry registry_{this};
  SharedData data_;
  std::vector<OpenRecording*> open_recordings_;
  /// The data that the program has acquired and not yet given back.
  std::vector<Hold*> holds_;
  /// The number of times that a thread which holds data began or ended to wait for room.
  std::uint64_t waits_changed_ = 0;
  /// The last numbers that were given to submissions (`last_mark_`, from which ids of recorded tasks are made, too), to
  /// recordings, and to kept data.
  std::uint64_t last_mark_ = 0;
  std::uint64_t last_recording_ = 0;
  std::uint64_t last_keep_ = 0;
  /// Written under the submission lock.
  std::atomic<std::uint64_t> last_task_{0};
  /// The number of threads that record.
  std::atomic<int> recording_threads_{0};
  std::atomic<bool> stopped_{false};
  /// The session is shared, because recordings check through weak pointers whether it still exists.
  std::shared_ptr<Session> session_;
  std::unique_ptr<CodeletNumbers> codelets_;
};

}  // namespace troupe::remote
