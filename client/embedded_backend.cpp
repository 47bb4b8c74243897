#include "client/embedded_backend.hpp"

#include <utility>

#include "actors/running/runtime_system.hpp"
#include "actors/workers/queues/idle_set.hpp"
#include "client/environment/warnings.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "platform/memory/host_pool.hpp"
#include "platform/memory/pinned_memory.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::client {

namespace {

/// Keeps data in devices' memories as long as this object lives (`Runtime::keep`).
class Kept {
 public:
  Kept(actors::RuntimeSystem& system, std::vector<HandleId> handles) : system_(system), handles_(std::move(handles)) {}
  ~Kept() {
    try {
      system_.unlock(handles_);
    } catch (...) {
      // The event that unlocks the data could not be allocated, so the data stay locked and are evicted last.
    }
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

 private:
  actors::RuntimeSystem& system_;
  std::vector<HandleId> handles_;
};

class EmbeddedRecording final : public RecordedTasks {
 public:
  EmbeddedRecording(graph::TaskGraph& graph, std::shared_ptr<graph::Recording> recording)
      : graph_(graph), recording_(std::move(recording)) {}

  Result<Future> run(std::span<const Rebinding> rebindings) override { return graph_.replay(recording_, rebindings); }
  [[nodiscard]] std::size_t size() const override { return recording_->size(); }

 private:
  graph::TaskGraph& graph_;
  std::shared_ptr<graph::Recording> recording_;
};

class BegunRecording final : public EmbeddedBackend::OpenRecording {
 public:
  /// `open` counts the backend's open recordings.
  BegunRecording(graph::TaskGraph& graph, std::shared_ptr<graph::Recording> recording,
                 std::unique_ptr<graph::RecordingScope> scope, std::atomic<int>& open)
      : graph_(graph), recording_(std::move(recording)), scope_(std::move(scope)), open_(open) {
    open_.fetch_add(1, std::memory_order_relaxed);
  }
  ~BegunRecording() override { seal(); }
  std::shared_ptr<RecordedTasks> end() override {
    seal();
    return std::make_shared<EmbeddedRecording>(graph_, recording_);
  }

 private:
  void seal() {
    if (scope_ == nullptr) return;
    scope_.reset();
    graph_.seal_recording(*recording_);
    // Relaxed, without a partner: the count orders no other data, and each thread always sees its own changes.
    open_.fetch_sub(1, std::memory_order_relaxed);
  }

  graph::TaskGraph& graph_;
  std::shared_ptr<graph::Recording> recording_;
  std::unique_ptr<graph::RecordingScope> scope_;
  std::atomic<int>& open_;
};

}  // namespace

Result<std::unique_ptr<EmbeddedBackend>> EmbeddedBackend::start(const RuntimeOptions& options) {
  auto system = actors::RuntimeSystem::start(options);
  if (!system) return system.failure();
  const bool data_have_memory = !options.simulation || options.simulation->real_buffers;
  return std::unique_ptr<EmbeddedBackend>(new EmbeddedBackend(std::move(system).value(), data_have_memory));
}

EmbeddedBackend::EmbeddedBackend(std::unique_ptr<actors::RuntimeSystem> system, bool data_have_memory)
    : GraphBackend(system->graph()),
      system_(std::move(system)),
      sleepers_(system_->sleepers()),
      data_have_memory_(data_have_memory),
      pool_(platform::HostPool::make(platform::HostPool::most_kept_here())) {}

EmbeddedBackend::~EmbeddedBackend() {
  finish();
  pool_->close();
}

void EmbeddedBackend::finish() noexcept {
  // Warn before `at_stop_`: that action may wait for all tasks, and then all failures would count as reported.
  if (warn() && graph().wait_until_ended()) {
    warn_of_untold(graph().failures(), warn());
    graph().failures().told(nullptr);
  }
  if (const auto action = std::exchange(at_stop_, nullptr)) action(*this);
  // The result is not needed: failures have been reported above, or to the threads that waited.
  [[maybe_unused]] const Result<void> ended = graph().wait_until_ended();
}

std::string EmbeddedBackend::untold_failures() const {
  const auto untold = graph().failures().untold();
  return untold == nullptr ? std::string() : untold->message;
}

Backend::End EmbeddedBackend::end_here() const {
  if (graph().home().left()) return End::in_another_process;
  return graph::ExecutionScope::find(&graph()) != nullptr ? End::inside_of_task : End::ends;
}

Result<Memory> EmbeddedBackend::allocate(Bytes size, NumaId node) {
  const int os_index = system_->numa_nodes() > 1 ? system_->numa_os_index(node) : platform::HostPool::kAnyNode;
  auto data = pool_->lend(size, os_index);
  if (!data) return data.failure();
  return Memory{std::move(data).value(), size};
}

std::shared_ptr<void> EmbeddedBackend::pin(const void* memory, Bytes size) {
  auto pinned = platform::PinnedMemory::pin(static_cast<const std::byte*>(memory), size);
  if (!pinned || !pinned.value().pinned()) return nullptr;
  return std::make_shared<platform::PinnedMemory>(std::move(pinned).value());
}

Result<void> EmbeddedBackend::set_reuse(const Handle& handle, std::int64_t index) {
  return system_->set_reuse(handle, index);
}

Result<std::shared_ptr<void>> EmbeddedBackend::keep(const Handle& handle) {
  auto handles = system_->lock(handle);
  if (!handles) return handles.failure();
  return std::shared_ptr<void>(std::make_shared<Kept>(*system_, std::move(handles).value()));
}

Result<Future> EmbeddedBackend::submit(const graph::TaskSpecification& specification) {
  if (sleepers_ != nullptr && !sleepers_->empty()) [[unlikely]]
    wake_early(specification);
  return graph().submit(specification);
}

void EmbeddedBackend::wake_early(const graph::TaskSpecification& specification) noexcept {
  if (recordings_.load(std::memory_order_relaxed) > 0) return;
  system_->wake_early(specification.accesses.empty() && specification.options.after.empty());
}

Result<std::unique_ptr<EmbeddedBackend::OpenRecording>> EmbeddedBackend::begin_recording(std::string name) {
  auto recording = std::make_shared<graph::Recording>(std::move(name));
  auto begun = graph().begin_recording(*recording);
  if (!begun) return begun.failure();
  return std::unique_ptr<OpenRecording>(
      std::make_unique<BegunRecording>(graph(), std::move(recording), std::move(begun).value(), recordings_));
}

Result<std::shared_ptr<RecordedTasks>> EmbeddedBackend::record(const std::function<void()>& program, std::string name) {
  auto recording = begin_recording(std::move(name));
  if (!recording) return recording.failure();
  program();
  return recording.value()->end();
}

std::size_t EmbeddedBackend::workers() const { return system_->workers(); }
Result<void> EmbeddedBackend::regroup(const std::string& clusters) {
  if (auto here = graph().home().check(); !here) return here;
  return system_->regroup(clusters);
}
std::size_t EmbeddedBackend::numa_nodes() const { return system_->numa_nodes(); }
const std::string& EmbeddedBackend::policy() const { return system_->policy(); }
Result<RunReport> EmbeddedBackend::report() const { return system_->report(); }
Result<Trace> EmbeddedBackend::take_trace() {
  if (auto here = graph().home().check(); !here) return here.failure();
  return system_->take_trace();
}
Result<MetricsSnapshot> EmbeddedBackend::metrics() const { return system_->metrics(); }
Result<WhyReport> EmbeddedBackend::why() const {
  if (auto here = graph().home().check(); !here) return here.failure();
  return system_->why();
}

}  // namespace troupe::client
