#include "client/runtime.hpp"

#include <algorithm>
#include <cstdint>

#include "actors/runtime_system.hpp"
#include "platform/cache_folder.hpp"
#include "platform/host_buffer.hpp"

namespace troupe {

std::string default_model_folder() { return platform::cache_folder(); }

Runtime::Runtime(const RuntimeOptions& options) : system_(actors::RuntimeSystem::start(options).value_or_throw()) {}

Runtime::~Runtime() = default;

void Runtime::check_matrix(std::int64_t rows, std::int64_t cols, std::int64_t ld, std::size_t element_size) {
  const std::string which = "a matrix of " + std::to_string(rows) + " x " + std::to_string(cols) +
                            " with leading dimension " + std::to_string(ld);
  if (rows < 0 || cols < 0 || ld < std::max<std::int64_t>(rows, 1)) {
    throw Error(ErrorCode::invalid_argument,
                which + ": sizes must not be negative, and the leading dimension at least the rows and 1");
  }
  std::int64_t size = 0;
  if (__builtin_mul_overflow(ld, cols, &size) || __builtin_mul_overflow(size, element_size, &size)) {
    throw Error(ErrorCode::invalid_argument, which + " is too large for any memory");
  }
}

Data Runtime::add(graph::DataDescription description) {
  return {&system_->graph(), system_->graph().register_data(std::move(description))};
}

std::shared_ptr<platform::HostBuffer> Runtime::allocate_bytes(Bytes size, NumaId node) {
  using platform::HostBuffer;
  const int os_index = system_->numa_nodes() > 1 ? system_->numa_os_index(node) : -1;
  auto buffer = os_index < 0 ? HostBuffer::allocate(size) : HostBuffer::allocate_on(size, os_index);
  return std::make_shared<HostBuffer>(std::move(buffer).value_or_throw());
}

Data Runtime::allocate(const Layout& layout, std::string name, NumaId node) {
  auto buffer = allocate_bytes(layout.payload(), node);
  std::byte* memory = buffer->data();
  return add({layout, memory, std::move(buffer), std::move(name)});
}

std::vector<Handle> Runtime::partition(const Handle& whole, std::span<const Block> blocks) {
  return system_->graph().partition(whole, blocks).value_or_throw();
}

void Runtime::set_reduction(const Handle& handle, ReductionMethods methods) {
  system_->graph().set_reduction(handle, std::move(methods)).value_or_throw();
}

void Runtime::release(const Handle& handle) { system_->graph().release(handle).value_or_throw(); }

Future Runtime::submit(const Codelet& codelet, std::span<const Access> accesses, const Arguments& arguments,
                       const TaskOptions& options) {
  return system_->graph().submit({codelet, accesses, arguments, options}).value_or_throw();
}

RecordedGraph Runtime::record(const std::function<void()>& program, std::string name) {
  graph::TaskGraph& graph = system_->graph();
  auto recording = std::make_shared<graph::Recording>(std::move(name));
  auto scope = graph.begin_recording(*recording).value_or_throw();
  const auto seal = [&] {
    scope.reset();
    graph.seal_recording(*recording);
  };
  try {
    program();
  } catch (...) {
    seal();
    throw;
  }
  seal();
  return {&graph, std::move(recording)};
}

void Runtime::wait() { system_->graph().wait_all().value_or_throw(); }

void Runtime::wait(const Handle& handle) {
  system_->graph().give_back(system_->graph().acquire(handle, AccessMode::read).value_or_throw());
}

HostAccess Runtime::acquire(const Handle& handle, AccessMode mode) {
  graph::Task* hold = system_->graph().acquire(handle, mode).value_or_throw();
  return {&system_->graph(), hold, graph::TaskGraph::view_of(handle)};
}

void Runtime::cancel() { system_->graph().cancel_all(); }

void Runtime::stop() {
  system_->graph().stop_submissions().value_or_throw();
  wait();
}

std::size_t Runtime::workers() const { return system_->workers(); }
std::size_t Runtime::numa_nodes() const { return system_->numa_nodes(); }
const std::string& Runtime::policy() const { return system_->policy(); }

Progress Runtime::progress() const {
  const graph::GraphProgress progress = system_->graph().progress();
  return {progress.submitted, progress.ended};
}

RunReport Runtime::report() const { return system_->report(); }
Trace Runtime::take_trace() { return system_->take_trace(); }
MetricsSnapshot Runtime::metrics() const { return system_->metrics(); }
WhyReport Runtime::why() const { return system_->why(); }

}  // namespace troupe
