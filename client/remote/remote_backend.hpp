/// Tasks that the service of this node runs.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
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
#include "graph/data/data_registry.hpp"
#include "graph/recording/recording.hpp"
#include "graph/tasks/home_process.hpp"
#include "graph/tasks/task_owner.hpp"

namespace troupe::remote {

/// What is wrong with a call is found here, by the same checks as in an embedded runtime; what is right goes to the
/// service. Handles, futures and waiting belong to this object. See docs/notes/service-client.md for what happens when.
class RemoteBackend final : public client::Backend, public graph::TaskOwner {
 public:
  struct Connections {
    std::string folder;
    std::unique_ptr<SegmentSource> memory;
    /// What names the memory's connection.
    std::array<std::uint8_t, wire::kTokenSize> token{};
    std::unique_ptr<MessageStream> stream;
    std::string name;
  };
  /// Fails with the service's refusal, or `service_lost`.
  static Result<std::unique_ptr<RemoteBackend>> start(Connections connections);
  ~RemoteBackend() override;
  [[nodiscard]] End end_here() const override;

  // TaskOwner
  [[nodiscard]] TaskStatus status(const Future& future) const override;
  Result<void> wait(const Future& future) override;
  void cancel(const Future& future) override;

  // Backend
  Result<Handle> register_data(graph::DataDescription description) override;
  Result<client::Memory> allocate(Bytes size, NumaId node) override;
  std::shared_ptr<void> pin(const void* memory, Bytes size) override;
  Result<std::vector<Handle>> partition(const Handle& whole, std::span<const graph::Block> blocks) override;
  Result<void> set_reduction(const Handle& handle, ReductionMethods methods) override;
  Result<void> release(const Handle& handle) override;
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
  [[nodiscard]] graph::GraphProgress progress() const override;
  Result<RunReport> report() const override;
  Result<Trace> take_trace() override;
  Result<MetricsSnapshot> metrics() const override;
  Result<WhyReport> why() const override;

  /// Segments of shared memory that this program has.
  [[nodiscard]] std::size_t segments() const { return heap_.segments(); }

 private:
  class Recorded;
  class Kept;
  struct Hold;
  /// A recording that is being made: in the same order here and in what will be sent.
  struct OpenRecording {
    graph::Recording* recording;
    OperationBatches tasks;
    std::uint64_t next = 1;
  };

  RemoteBackend(std::string folder, std::unique_ptr<SegmentSource> memory)
      : folder_(std::move(folder)), heap_(std::move(memory)) {}
  void call_back(TaskLedger::DueCallback& due);

  [[nodiscard]] Result<void> check_outside_callback() const;
  [[nodiscard]] Result<void> check_wait() const;
  [[nodiscard]] graph::Recording* recording_here() const;
  [[nodiscard]] Failure loss() const { return *session_->ledger().lost(); }

  // All under the submission lock, unless they say otherwise.
  /// Without the lock.
  Result<void> wait_for_room();
  /// The same. As `wait_all`, but for failures of callbacks; the program is told nothing.
  Result<void> wait_until_ended();
  Result<std::vector<std::uint64_t>> numbers_of(const graph::TaskSpecification& specification,
                                                graph::Recording* recording) const;
  Result<Future> submit_now(const graph::TaskSpecification& specification, std::uint32_t codelet);
  Result<Future> submit_recorded(const graph::TaskSpecification& specification, std::uint32_t codelet,
                                 graph::Recording& recording);
  void note_writes(const graph::TaskSpecification& specification, std::uint64_t number);
  /// A task uses the data in this mode: what the program holds may keep it waiting.
  void note_use(const graph::DataRecord& record, AccessMode mode, std::uint64_t number);
  /// The calling thread may wait for all tasks: none waits for what it holds itself. With its own acquire in mind,
  /// where `record` is not null. `invalid_argument`.
  [[nodiscard]] Result<void> check_holds(const graph::DataRecord* record, AccessMode mode) const;
  /// The service would end the session.
  [[nodiscard]] Result<void> check_handles(std::size_t more) const;
  [[nodiscard]] bool is_being_recorded(const graph::DataRecord& record) const;
  Result<Future> replay(Recorded& recorded, std::span<const Rebinding> rebindings);
  /// Sends a recording whose program has ended; takes the lock.
  Result<std::shared_ptr<client::RecordedTasks>> seal(std::shared_ptr<graph::Recording> recording, OpenRecording& open);
  /// Without the lock: what tasks up to this one have written is where the program sees it.
  void copy_out_written(std::uint64_t task);
  void forget(graph::DataRecord& record);
  /// `release`, or (`finally`) what comes before `abandon`: takes the lock.
  Result<void> end_registration(const Handle& handle, bool finally);
  /// The handle is refused from now on, and forgotten when the service says that its last use has ended; nobody waits.
  Result<void> release_late(graph::DataRecord& record);
  /// The same for memory of the program, which must not be touched any more.
  void abandon(const Handle& handle, const Failure& why);

  const std::string folder_;
  const graph::HomeProcess home_;
  SharedHeap heap_;
  /// The submission lock is the sender's.
  graph::DataRegistry registry_{this};
  SharedData data_;
  std::vector<OpenRecording*> open_recordings_;
  /// What the program holds now.
  std::vector<Hold*> holds_;
  /// Marks of submissions, and ids of recorded tasks.
  std::uint64_t last_mark_ = 0;
  std::uint64_t last_recording_ = 0;
  std::uint64_t last_keep_ = 0;
  /// Written under the submission lock.
  std::atomic<std::uint64_t> last_task_{0};
  /// Threads that record.
  std::atomic<int> recording_threads_{0};
  std::atomic<bool> stopped_{false};
  /// Recordings look whether it is still there.
  std::shared_ptr<Session> session_;
  std::unique_ptr<CodeletNumbers> codelets_;
};

}  // namespace troupe::remote
