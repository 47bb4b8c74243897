#include "actors/scheduler/policies/earliest_finish.hpp"

#include <algorithm>
#include <numeric>

#include "actors/scheduler/policies/speedup.hpp"
#include "actors/scheduler/projected_loads.hpp"
#include "troupe/devices.hpp"

namespace troupe::scheduler {

namespace {

class EarliestFinish final : public PlacingPolicy {
 public:
  explicit EarliestFinish(const EarliestFinishOptions& options) : options_(options) {}

  [[nodiscard]] PolicyTraits policy_traits() const override {
    const bool by_rank = options_.order == EarliestFinishOptions::Order::rank;
    return {.in_rounds = options_.rounds, .ranks = by_rank ? Ranks::mean : Ranks::none};
  }

  void place(std::span<const ReadyTask> tasks, const Snapshot& snapshot, Random&,
             std::span<WorkerId> placement) override {
    sort(tasks, snapshot);
    ProjectedLoads loads(snapshot);
    const bool weighted = options_.shared_links || options_.dmda;
    const ProjectedLoads::Charge charge{.communication_prediction = options_.communication_prediction,
                                        .weight = weighted ? 2 * static_cast<double>(gpus(snapshot)) : 1,
                                        .dmda = options_.dmda};
    for (const std::size_t i : order_) {
      const ProjectedLoads::Choice choice = loads.earliest(tasks[i], charge);
      placement[i] = choice.worker;
      if (choice.worker.valid()) loads.add(choice);
    }
  }

 private:
  static std::size_t gpus(const Snapshot& snapshot) {
    const auto is_gpu = [](const WorkerState& worker) { return is_accelerator(worker.kind); };
    const auto count = std::count_if(snapshot.workers.begin(), snapshot.workers.end(), is_gpu);
    return std::max<std::size_t>(1, static_cast<std::size_t>(count));
  }

  /// Sets `order_` to the positions of `tasks` in the order in which they are to be placed.
  void sort(std::span<const ReadyTask> tasks, const Snapshot& snapshot) {
    order_.resize(tasks.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    if (options_.order == EarliestFinishOptions::Order::given) return;
    keys_.clear();
    for (const ReadyTask& task : tasks) {
      keys_.push_back(options_.order == EarliestFinishOptions::Order::rank ? task.upward_rank_s
                                                                           : speedup(task, snapshot));
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [this](std::size_t a, std::size_t b) { return keys_[a] > keys_[b]; });
  }

  const EarliestFinishOptions options_;
  std::vector<std::size_t> order_;
  std::vector<double> keys_;
};

}  // namespace

std::unique_ptr<PlacingPolicy> earliest_finish(const EarliestFinishOptions& options) {
  return std::make_unique<EarliestFinish>(options);
}

}  // namespace troupe::scheduler
