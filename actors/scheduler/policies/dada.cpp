#include "actors/scheduler/policies/dada.hpp"

#include <algorithm>

#include "actors/scheduler/policies/dual_approximation.hpp"
#include "proto/memory.hpp"
#include "troupe/devices.hpp"

namespace troupe::scheduler {

namespace {

class Dada final : public PlacingPolicy {
 public:
  explicit Dada(const DadaOptions& options) : options_(options), search_(options.alpha) {}

  [[nodiscard]] PolicyTraits policy_traits() const override { return {.in_rounds = options_.rounds}; }

  void place(std::span<const ReadyTask> tasks, const Snapshot& snapshot, Random&,
             std::span<WorkerId> placement) override {
    describe_workers(snapshot);
    round_.resize(tasks.size());
    for (std::size_t t = 0; t < tasks.size(); ++t) describe_task(t, tasks[t], snapshot);
    search_.solve(round_);
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const std::uint32_t worker = search_.placement()[t];
      if (worker != DualApproximation::kNowhere) placement[t] = snapshot.workers[worker].id;
    }
  }

 private:
  using Loads = DadaOptions::Loads;

  void describe_workers(const Snapshot& snapshot) {
    const bool balance_queued = options_.loads == Loads::queued || options_.loads == Loads::both;
    round_.choose_by_free = options_.loads == Loads::stamps;
    round_.workers.resize(snapshot.workers.size());
    for (std::size_t w = 0; w < round_.workers.size(); ++w) {
      const WorkerState& worker = snapshot.workers[w];
      const Duration queued = std::max(worker.available - snapshot.now, Duration::zero());
      DualApproximationRound::Worker& described = round_.workers[w];
      described.accelerator = is_accelerator(worker.kind);
      described.free = queued;
      described.load = balance_queued ? queued : Duration::zero();
      described.affinity_load = options_.loads == Loads::both ? queued : Duration::zero();
    }
  }

  void describe_task(std::size_t t, const ReadyTask& task, const Snapshot& snapshot) {
    const Predictions& predictions = *snapshot.predictions;
    const std::size_t row = t * snapshot.workers.size();
    NodeId node;
    Duration data_at{};
    double affinity = 0;
    for (std::size_t w = 0; w < snapshot.workers.size(); ++w) {
      const WorkerState& worker = snapshot.workers[w];
      if (worker.node != node) {
        node = worker.node;
        if (options_.communication_prediction) data_at = predictions.transfer_in_traffic(task, node);
        const bool counts = options_.alpha > 0 && (options_.host || node != memory::kHost);
        affinity = counts ? options_.affinity(task, worker, predictions) : 0;
      }
      const bool runs = runs_on(task, worker, predictions);
      round_.execution[row + w] = runs ? predictions.execution(task, worker.id) : DualApproximationRound::kNever;
      round_.data_at[row + w] = data_at;
      round_.affinity[row + w] = runs ? affinity : 0;
    }
  }

  const DadaOptions options_;
  DualApproximation search_;
  DualApproximationRound round_;
};

}  // namespace

std::unique_ptr<PlacingPolicy> dada(const DadaOptions& options) { return std::make_unique<Dada>(options); }

}  // namespace troupe::scheduler
