#include "service/nesting/kernel_backend.hpp"

#include <string>
#include <utility>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/data/data_registry.hpp"
#include "graph/recording/rebinding.hpp"
#include "graph/submission_checks.hpp"
#include "platform/memory/host_pool.hpp"
#include "troupe/runtime.hpp"

namespace troupe::service {
namespace {

/// The limit for levels of blocks within blocks, because the graph walks the trees of blocks recursively. A client's
/// own blocks have the same limit (`SessionData::kDeepest`).
constexpr std::size_t kDeepest = 64;

Result<void> check_depth(const Handle& whole) {
  std::size_t depth = 1;
  for (const graph::DataRecord* one = whole.record(); one != nullptr && one->parent != nullptr; one = one->parent) {
    ++depth;
  }
  if (depth <= kDeepest) return {};
  return Failure{ErrorCode::invalid_argument,
                 graph::describe(*whole.record()) + " lies " + std::to_string(kDeepest) +
                     " levels of blocks deep, and a service divides data no further: divide them into more blocks at "
                     "once"};
}

/// Plug-ins find the functions of `Runtime` in the program that loads the plug-ins. This pointer makes that program's
/// linker take the functions in.
[[gnu::used]] Runtime (*const kForPlugins)() = &Runtime::here;

Failure asked_elsewhere(const char* what) {
  return {ErrorCode::no_implementation,
          std::string("a kernel on a service has no ") + what + ": ask the service itself (troupe top, troupe why)"};
}

}  // namespace

KernelBackend::KernelBackend(graph::TaskGraph& graph, const Collaborators& collaborators)
    : GraphBackend(graph), collaborators_(collaborators), pool_(platform::HostPool::make({})) {}

KernelBackend::~KernelBackend() { graph().reach(nullptr); }

Result<void> KernelBackend::check_here(std::size_t handles) const {
  if (auto inside = graph().check_inside_nested(); !inside) return inside;
  if (handles == 0) return {};
  return collaborators_.budget.check_handles(graph().handles(), handles);
}

Result<Handle> KernelBackend::register_data(graph::DataDescription description) {
  if (auto allowed = check_here(1); !allowed) return allowed.failure();
  return GraphBackend::register_data(std::move(description));
}

Result<client::Memory> KernelBackend::allocate(Bytes size, NumaId node) {
  if (auto allowed = check_here(); !allowed) return allowed.failure();
  const actors::RuntimeSystem& system = collaborators_.system;
  auto lent = pool_->lend(size, system.numa_nodes() > 1 ? system.numa_os_index(node) : platform::HostPool::kAnyNode);
  if (!lent) return lent.failure();
  return collaborators_.budget.charged({std::move(lent).value(), size});
}

std::shared_ptr<void> KernelBackend::pin(const void* /*memory*/, Bytes /*size*/) { return nullptr; }

Result<std::vector<Handle>> KernelBackend::partition(const Handle& whole, std::span<const Block> blocks) {
  if (auto allowed = check_here(blocks.size()); !allowed) return allowed.failure();
  if (auto shallow = check_depth(whole); !shallow) return shallow.failure();
  return GraphBackend::partition(whole, blocks);
}

Result<std::vector<Handle>> KernelBackend::repartition(const Handle& whole, std::span<const Block> blocks) {
  if (auto allowed = check_here(blocks.size()); !allowed) return allowed.failure();
  return GraphBackend::repartition(whole, blocks);
}

Result<std::vector<Handle>> KernelBackend::halos(const Handle& whole, std::span<const Block> blocks, const Rim& rim) {
  if (auto allowed = check_here(blocks.size()); !allowed) return allowed.failure();
  return GraphBackend::halos(whole, blocks, rim);
}

Result<void> KernelBackend::set_reduction(const Handle& handle, ReductionMethods methods) {
  if (auto allowed = check_here(); !allowed) return allowed;
  return GraphBackend::set_reduction(handle, std::move(methods));
}

Result<void> KernelBackend::release(const Handle& handle) {
  if (auto allowed = check_here(); !allowed) return allowed;
  return GraphBackend::release(handle);
}

Result<void> KernelBackend::discard(const Handle& handle) {
  if (auto allowed = check_here(); !allowed) return allowed;
  return GraphBackend::discard(handle);
}

Result<void> KernelBackend::set_reuse(const Handle& handle, std::int64_t index) {
  if (auto allowed = check_here(); !allowed) return allowed;
  return collaborators_.system.set_reuse(handle, index, &graph());
}

Result<std::shared_ptr<void>> KernelBackend::keep(const Handle& /*handle*/) {
  return Failure{ErrorCode::no_implementation,
                 "a kernel on a service cannot keep data in the memories of devices: let the client do it"};
}

Result<void> KernelBackend::check_child(const graph::TaskSpecification& specification) const {
  const CodeletDefinition& definition = specification.codelet.definition();
  const ServiceCodelet* known = collaborators_.codelets.find(definition.known_name());
  if (known != nullptr && &known->codelet.definition() != &definition) known = nullptr;
  if (known == nullptr && !definition.flops) return {};
  std::vector<Layout> layouts;
  for (const Access& access : specification.accesses) {
    const auto layout = graph().layout_of(access.handle);
    if (!layout) return layout.failure();
    layouts.push_back(layout.value());
  }
  const ServiceCodelet own{specification.codelet};
  const auto verdict = judge_task(known != nullptr ? *known : own, layouts, specification.arguments,
                                  specification.options.devices, collaborators_.kernels);
  if (verdict.refused) return *verdict.refused;
  if (!verdict.not_on_cores) return {};
  return Failure{ErrorCode::invalid_argument,
                 graph::quoted(specification.codelet) +
                     ": the task would keep a core for longer than the service allows (limits.kernel_s), and an "
                     "accelerator not: restrict it to accelerators (TaskOptions::devices)"};
}

Result<Future> KernelBackend::submit(const graph::TaskSpecification& specification) {
  if (auto allowed = check_here(); !allowed) return allowed.failure();
  if (auto safe = check_child(specification); !safe) return safe.failure();
  return graph().submit(specification);
}

Result<std::shared_ptr<client::RecordedTasks>> KernelBackend::record(const std::function<void()>& /*program*/,
                                                                     std::string /*name*/) {
  return graph::records_in_kernel();
}

void KernelBackend::cancel_all() {
  check_here().value_or_throw();
  GraphBackend::cancel_all();
}

Result<void> KernelBackend::wait_all() {
  if (auto allowed = check_here(); !allowed) return allowed;
  return GraphBackend::wait_all();
}

Result<void> KernelBackend::wait_for(const Handle& handle) {
  if (auto allowed = check_here(); !allowed) return allowed;
  return GraphBackend::wait_for(handle);
}

Result<client::Backend::Acquired> KernelBackend::acquire(const Handle& handle, AccessMode mode) {
  if (auto allowed = check_here(); !allowed) return allowed.failure();
  return GraphBackend::acquire(handle, mode);
}

Result<void> KernelBackend::regroup(const std::string& /*clusters*/) {
  return Failure{ErrorCode::no_implementation,
                 "a kernel on a service cannot group its cores otherwise, as they are shared with other clients"};
}

Result<RunReport> KernelBackend::report() const { return asked_elsewhere("report"); }
Result<Trace> KernelBackend::take_trace() { return asked_elsewhere("trace"); }
Result<MetricsSnapshot> KernelBackend::metrics() const { return asked_elsewhere("metrics"); }
Result<WhyReport> KernelBackend::why() const { return asked_elsewhere("report of what tasks wait for"); }

}  // namespace troupe::service
