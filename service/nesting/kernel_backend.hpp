/// The backend that the kernels of a client's nested tasks find by `Runtime::here`.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "actors/running/runtime_system.hpp"
#include "client/graph_backend.hpp"
#include "service/codelets/codelet_source.hpp"
#include "service/codelets/kernel_limit.hpp"
#include "service/nesting/kernel_budget.hpp"
#include "troupe/errors.hpp"

namespace troupe::platform {
class HostPool;
}

namespace troupe::service {

/// The client's graph as a backend. Only kernels of nested tasks may use it: what other kernels submit would belong to
/// no task of the client, and nobody would wait for it. A child whose codelet the service knows by name is checked like
/// a client's task, because shapes and arguments may come from the client.
class KernelBackend final : public client::GraphBackend {
 public:
  struct Collaborators {
    actors::RuntimeSystem& system;
    const CodeletSource& codelets;
    const KernelLimit& kernels;
    KernelBudget& budget;
  };
  KernelBackend(graph::TaskGraph& graph, const Collaborators& collaborators);
  ~KernelBackend() override;

  Result<Handle> register_data(graph::DataDescription description) override;
  Result<client::Memory> allocate(Bytes size, NumaId node) override;
  std::shared_ptr<void> pin(const void* memory, Bytes size) override;
  Result<std::vector<Handle>> partition(const Handle& whole, std::span<const Block> blocks) override;
  Result<std::vector<Handle>> repartition(const Handle& whole, std::span<const Block> blocks) override;
  Result<std::vector<Handle>> halos(const Handle& whole, std::span<const Block> blocks, const Rim& rim) override;
  Result<void> set_reduction(const Handle& handle, ReductionMethods methods) override;
  Result<void> release(const Handle& handle) override;
  Result<void> discard(const Handle& handle) override;
  Result<void> set_reuse(const Handle& handle, std::int64_t index) override;
  Result<std::shared_ptr<void>> keep(const Handle& handle) override;

  Result<Future> submit(const graph::TaskSpecification& specification) override;
  Result<std::shared_ptr<client::RecordedTasks>> record(const std::function<void()>& program,
                                                        std::string name) override;
  void cancel_all() override;
  Result<void> wait_all() override;
  Result<void> wait_for(const Handle& handle) override;
  Result<Acquired> acquire(const Handle& handle, AccessMode mode) override;
  Result<void> regroup(const std::string& clusters) override;

  [[nodiscard]] std::size_t workers() const override { return collaborators_.system.workers(); }
  [[nodiscard]] std::size_t numa_nodes() const override { return collaborators_.system.numa_nodes(); }
  [[nodiscard]] const std::string& policy() const override { return collaborators_.system.policy(); }
  Result<RunReport> report() const override;
  Result<Trace> take_trace() override;
  Result<MetricsSnapshot> metrics() const override;
  Result<WhyReport> why() const override;

 private:
  /// Fails unless the caller is a kernel of a nested task, and the client may have `handles` more handles.
  Result<void> check_here(std::size_t handles = 0) const;
  /// Returns why a child would not be safe to run, or would take too long.
  Result<void> check_child(const graph::TaskSpecification& specification) const;

  const Collaborators collaborators_;
  const std::shared_ptr<platform::HostPool> pool_;
};

}  // namespace troupe::service
