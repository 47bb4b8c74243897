/// The part of a backend that needs no more than the task graph of this process.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "client/backend.hpp"
#include "graph/task_graph.hpp"

namespace troupe::client {

/// A backend whose data and tasks are in a task graph of this process. Kernels of these tasks find the backend by
/// `Runtime::here`.
class GraphBackend : public Backend {
 public:
  /// `graph` outlives this object.
  explicit GraphBackend(graph::TaskGraph& graph) : graph_(graph) { graph_.reach(this); }

  Result<Handle> register_data(graph::DataDescription description) override;
  Result<std::vector<Handle>> partition(const Handle& whole, std::span<const Block> blocks) override;
  Result<std::vector<Handle>> repartition(const Handle& whole, std::span<const Block> blocks) override;
  Result<std::vector<Handle>> halos(const Handle& whole, std::span<const Block> blocks, const Rim& rim) override;
  Result<Layout> layout_of(const Handle& handle) override;
  Result<void> set_reduction(const Handle& handle, ReductionMethods methods) override;
  Result<void> release(const Handle& handle) override;
  Result<void> discard(const Handle& handle) override;
  void let_go(const Handle& handle) noexcept override;

  [[nodiscard]] graph::TaskOwner& tasks() override { return graph_; }
  [[nodiscard]] graph::CallPlace call_place() const override { return graph_.call_place(); }
  Result<void> end_call(graph::CallPlace& place, std::uint64_t got) override { return graph_.end_call(place, got); }
  void cancel_all() override;
  Result<void> stop_submissions() override;

  Result<void> wait_all() override;
  Result<void> wait_for(const Handle& handle) override;
  Result<Acquired> acquire(const Handle& handle, AccessMode mode) override;
  void give_back(void* hold) noexcept override;
  void hand_on(void* hold) noexcept override;

  [[nodiscard]] bool shares_memory() const override { return true; }
  [[nodiscard]] Progress progress() const override;

  /// Returns the task graph. Code that must not block uses the graph directly, because the functions above may block.
  [[nodiscard]] graph::TaskGraph& graph() const { return graph_; }

 private:
  graph::TaskGraph& graph_;
};

}  // namespace troupe::client
