/// The backend whose tasks run on workers in this process.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/graph_backend.hpp"
#include "troupe/runtime_options.hpp"

namespace troupe::actors {
class RuntimeSystem;
}
namespace troupe::platform {
class HostPool;
}
namespace troupe::workers {
class IdleSet;
}

namespace troupe::client {

/// A task graph with the actors that run it.
class EmbeddedBackend final : public GraphBackend {
 public:
  /// Starts the workers. Fails with `invalid_argument` or `platform`.
  static Result<std::unique_ptr<EmbeddedBackend>> start(const RuntimeOptions& options);
  ~EmbeddedBackend() override;
  [[nodiscard]] End end_here() const override;

  /// Sets an action that runs when the runtime is about to stop, before the runtime waits for its tasks. The action
  /// must not throw.
  void at_stop(std::function<void(Backend&)> action) { at_stop_ = std::move(action); }

  [[nodiscard]] bool data_have_memory() const override { return data_have_memory_; }
  Result<Memory> allocate(Bytes size, NumaId node) override;
  std::shared_ptr<void> pin(const void* memory, Bytes size) override;
  Result<void> set_reuse(const Handle& handle, std::int64_t index) override;
  Result<std::shared_ptr<void>> keep(const Handle& handle) override;

  Result<Future> submit(const graph::TaskSpecification& specification) override;
  Result<std::shared_ptr<RecordedTasks>> record(const std::function<void()>& program, std::string name) override;
  void finish() noexcept override;
  [[nodiscard]] std::string untold_failures() const override;
  Result<void> regroup(const std::string& clusters) override;

  [[nodiscard]] std::size_t workers() const override;
  [[nodiscard]] std::size_t numa_nodes() const override;
  [[nodiscard]] const std::string& policy() const override;
  Result<RunReport> report() const override;
  Result<Trace> take_trace() override;
  Result<MetricsSnapshot> metrics() const override;
  Result<WhyReport> why() const override;

  /// A recording that has begun: tasks that the calling thread submits are recorded from `begin_recording` to `end`,
  /// which the same thread calls. If the thread never calls `end`, the recording is dropped.
  class OpenRecording {
   public:
    OpenRecording() = default;
    virtual ~OpenRecording() = default;
    OpenRecording(const OpenRecording&) = delete;
    OpenRecording& operator=(const OpenRecording&) = delete;
    [[nodiscard]] virtual std::shared_ptr<RecordedTasks> end() = 0;
  };
  Result<std::unique_ptr<OpenRecording>> begin_recording(std::string name);

 private:
  EmbeddedBackend(std::unique_ptr<actors::RuntimeSystem> system, bool data_have_memory);
  /// Called at the start of a submission while a worker sleeps. May wake a worker before the task becomes ready, so
  /// that the task starts earlier.
  void wake_early(const graph::TaskSpecification& specification) noexcept;

  std::unique_ptr<actors::RuntimeSystem> system_;
  /// The sleeping workers; null if submissions must not wake workers early (`RuntimeSystem::sleepers`).
  const workers::IdleSet* const sleepers_;
  /// The number of open recordings. While there are open recordings, a submitted task may be recorded instead of run.
  std::atomic<int> recordings_{0};
  const bool data_have_memory_;
  /// The memory of `allocate`. Blocks may outlive the backend, which closes the pool.
  const std::shared_ptr<platform::HostPool> pool_;
  std::function<void(Backend&)> at_stop_;
};

}  // namespace troupe::client
