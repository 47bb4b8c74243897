/// An interface through which a random program runs on a task graph or on a client's connection to a service.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "graph/task_graph.hpp"

namespace troupe::tests {

/// An interface through which a program runs. Each function does what Troupe's public function of this name does.
/// Thread-safe.
class ProgramPlace {
 public:
  virtual ~ProgramPlace() = default;

  struct Held {
    void* hold = nullptr;
    DataView view;
  };

  virtual Result<Handle> register_data(graph::DataDescription description) = 0;
  /// Allocates memory that the program may access only while it holds the data in this memory.
  virtual std::shared_ptr<std::byte> allocate(Bytes size) = 0;
  virtual Result<std::vector<Handle>> partition(const Handle& whole, std::span<const Block> blocks) = 0;
  virtual Result<std::vector<Handle>> repartition(const Handle& whole, std::span<const Block> blocks) = 0;
  virtual Result<std::vector<Handle>> halos(const Handle& whole, std::span<const Block> blocks, const Rim& rim) = 0;
  virtual Result<void> set_reduction(const Handle& handle, ReductionMethods methods) = 0;
  virtual Result<void> release(const Handle& handle) = 0;
  virtual Result<void> discard(const Handle& handle) = 0;
  virtual Result<Future> submit(const graph::TaskSpecification& specification) = 0;
  virtual Result<void> wait_all() = 0;
  virtual Result<Held> acquire(const Handle& handle, AccessMode mode) = 0;
  virtual void give_back(const Held& held) = 0;
};

class GraphPlace final : public ProgramPlace {
 public:
  explicit GraphPlace(graph::TaskGraph& graph) : graph_(graph) {}

  Result<Handle> register_data(graph::DataDescription description) override {
    return graph_.register_data(std::move(description));
  }
  std::shared_ptr<std::byte> allocate(Bytes size) override {
    return {new std::byte[size.count], std::default_delete<std::byte[]>()};
  }
  Result<std::vector<Handle>> partition(const Handle& whole, std::span<const Block> blocks) override {
    return graph_.partition(whole, blocks);
  }
  Result<std::vector<Handle>> repartition(const Handle& whole, std::span<const Block> blocks) override {
    return graph_.repartition(whole, blocks);
  }
  Result<std::vector<Handle>> halos(const Handle& whole, std::span<const Block> blocks, const Rim& rim) override {
    return graph_.halos(whole, blocks, rim);
  }
  Result<void> set_reduction(const Handle& handle, ReductionMethods methods) override {
    return graph_.set_reduction(handle, std::move(methods));
  }
  Result<void> release(const Handle& handle) override { return graph_.release(handle); }
  Result<void> discard(const Handle& handle) override { return graph_.discard(handle); }
  Result<Future> submit(const graph::TaskSpecification& specification) override { return graph_.submit(specification); }
  Result<void> wait_all() override { return graph_.wait_all(); }
  Result<Held> acquire(const Handle& handle, AccessMode mode) override {
    const auto hold = graph_.acquire(handle, mode);
    if (!hold) return hold.failure();
    return Held{hold.value(), graph::TaskGraph::view_of(handle)};
  }
  void give_back(const Held& held) override { graph_.give_back(static_cast<graph::Task*>(held.hold)); }

 private:
  graph::TaskGraph& graph_;
};

}  // namespace troupe::tests
