/// A client's graph on the workers of a runtime that several clients share. Included only by the runtime's own sources.
#pragma once

#include <string>

#include "actors/running/client_graph.hpp"
#include "actors/running/live_view.hpp"
#include "actors/running/runtime_implementation.hpp"
#include "actors/workers/shares.hpp"

namespace troupe::actors {

class SharingGraph final : public ClientGraph {
 public:
  SharingGraph(RuntimeSystem::Implementation& runtime, const ClientGraphOptions& options);
  ~SharingGraph() override;

  [[nodiscard]] graph::TaskGraph& graph() override { return graph_; }
  [[nodiscard]] Duration worker_time() const override { return runtime_.crew_->shares->used(share_); }
  void set_weight(double weight) override {
    share_.weight.store(weight, std::memory_order_relaxed);
    share_.user.weight.store(weight, std::memory_order_relaxed);
  }
  [[nodiscard]] double best_speed(const std::string& codelet) const override {
    return runtime_.crew_->shares->best_speed(codelet);
  }
  [[nodiscard]] WhyReport why() override { return runtime_.why(graph_); }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] LiveClient look() const;

 private:
  RuntimeSystem::Implementation& runtime_;
  const std::string name_;
  workers::Share& share_;
  graph::TaskGraph graph_;
};

}  // namespace troupe::actors
