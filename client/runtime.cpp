#include "troupe/runtime.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "client/backend.hpp"
#include "client/environment/start.hpp"
#include "client/environment/warnings.hpp"
#include "client/matrix_shape.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "graph/tasks/task_owner.hpp"
#include "platform/files/cache_folder.hpp"

namespace troupe {

std::string default_model_folder() { return platform::cache_folder(); }

Runtime::Runtime(const RuntimeOptions& options) : backend_(client::start_in_environment(options).value_or_throw()) {}

Runtime::Runtime(std::shared_ptr<client::Backend> backend) : backend_(std::move(backend)) {}

Runtime Runtime::here() {
  const graph::TaskOwner* const owner = graph::ExecutionScope::owner_here();
  client::Backend* const backend = owner != nullptr ? owner->backend() : nullptr;
  auto shared = backend != nullptr ? backend->weak_from_this().lock() : nullptr;
  if (shared != nullptr) return {std::move(shared), Guest{}};
  throw Error(
      ErrorCode::invalid_argument,
      "Runtime::here is for kernels and callbacks of a runtime, and this thread is in none: use the runtime that "
      "the program has made");
}

Runtime::~Runtime() {
  if (guest_) return;
  // The backend is destroyed only after this body, as a member: its destructor waits for callbacks, and these use this
  // object.
  if (!client::leave_if_it_cannot_end(backend_)) backend_->finish();
}

void Runtime::check_matrix(std::int64_t rows, std::int64_t cols, std::int64_t ld, std::size_t element_size) {
  client::check_matrix_shape(rows, cols, ld, element_size);
}

void Runtime::check_volume(const VolumeShape& shape, std::size_t element_size) {
  client::check_volume_shape(shape, element_size);
}

Data Runtime::add(graph::DataDescription description) {
  return {backend_, backend_->register_data(std::move(description)).value_or_throw()};
}

client::Memory Runtime::allocate_bytes(Bytes size, NumaId node) {
  return backend_->allocate(size, node).value_or_throw();
}

std::shared_ptr<void> Runtime::pin(const void* memory, Bytes size) { return backend_->pin(memory, size); }

Data Runtime::allocate(const Layout& layout, std::string name, NumaId node) {
  if (!backend_->data_have_memory()) return add({layout, nullptr, nullptr, std::move(name), true});
  const auto elements = static_cast<std::uint64_t>(layout.extent());
  client::Memory memory = allocate_bytes(Bytes{elements * layout.element_size}, node);
  std::byte* const data = memory.data.get();
  return add({layout, data, std::move(memory.data), std::move(name), true, true});
}

std::vector<Handle> Runtime::partition(const Handle& whole, std::span<const Block> blocks) {
  return backend_->partition(whole, blocks).value_or_throw();
}

std::vector<Handle> Runtime::repartition(const Handle& whole, std::span<const Block> blocks) {
  return backend_->repartition(whole, blocks).value_or_throw();
}

std::vector<Halo> Runtime::halos(const Handle& whole, std::span<const Block> blocks, const Rim& rim) {
  const std::vector<Handle> handles = backend_->halos(whole, blocks, rim).value_or_throw();
  std::vector<Halo> halos;
  for (std::size_t i = 0; i < handles.size(); ++i) {
    const Block& block = blocks[i];
    halos.emplace_back(handles[i], Block{std::min(block.row, rim.rows), std::min(block.col, rim.cols), block.rows,
                                         block.cols, std::min(block.plane, rim.planes), block.planes});
  }
  return halos;
}

void Runtime::set_reduction(const Handle& handle, ReductionMethods methods) {
  backend_->set_reduction(handle, std::move(methods)).value_or_throw();
}

void Runtime::release(const Handle& handle) { backend_->release(handle).value_or_throw(); }

void Runtime::discard(const Handle& handle) { backend_->discard(handle).value_or_throw(); }

Layout Runtime::layout(const Handle& handle) const { return backend_->layout_of(handle).value_or_throw(); }

void Runtime::set_reuse(const Handle& handle, std::int64_t index) {
  backend_->set_reuse(handle, index).value_or_throw();
}

void Runtime::regroup(const std::string& clusters) { backend_->regroup(clusters).value_or_throw(); }

KeptData Runtime::keep(const Handle& handle) { return KeptData(backend_->keep(handle).value_or_throw()); }

Future Runtime::submit(const Codelet& codelet, std::span<const Access> accesses, const Arguments& arguments,
                       const TaskOptions& options) {
  return backend_->submit({codelet, accesses, arguments, options}).value_or_throw();
}

Future Runtime::submit_keeping(const Codelet& codelet, std::span<const Access> accesses, const Arguments& arguments,
                               const TaskOptions& options, const std::shared_ptr<const void>& kept) {
  graph::TaskSpecification specification{codelet, accesses, arguments, options};
  specification.kept = &kept;
  return backend_->submit(specification).value_or_throw();
}

RecordedGraph Runtime::record(const std::function<void()>& program, std::string name) {
  return RecordedGraph(backend_->record(program, std::move(name)).value_or_throw());
}

void Runtime::wait() { backend_->wait_all().value_or_throw(); }

void Runtime::wait(const Handle& handle) { backend_->wait_for(handle).value_or_throw(); }

HostAccess Runtime::acquire(const Handle& handle, AccessMode mode) {
  const client::Backend::Acquired acquired = backend_->acquire(handle, mode).value_or_throw();
  return {backend_.get(), acquired.hold, acquired.view};
}

void Runtime::cancel() { backend_->cancel_all(); }

void Runtime::stop() {
  backend_->stop_submissions().value_or_throw();
  wait();
}

std::size_t Runtime::workers() const { return backend_->workers(); }
std::size_t Runtime::numa_nodes() const { return backend_->numa_nodes(); }
const std::string& Runtime::policy() const { return backend_->policy(); }

Progress Runtime::progress() const { return backend_->progress(); }

RunReport Runtime::report() const { return backend_->report().value_or_throw(); }
Trace Runtime::take_trace() { return backend_->take_trace().value_or_throw(); }
MetricsSnapshot Runtime::metrics() const { return backend_->metrics().value_or_throw(); }
WhyReport Runtime::why() const { return backend_->why().value_or_throw(); }

}  // namespace troupe
