#include "apps/simulate/simulation_pool.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>

#include "platform/machine/topology.hpp"

namespace troupe::apps {

namespace {

class Pool {
 public:
  explicit Pool(const SimulationList& runs) : runs_(runs), outcomes_(runs.count), failures_(runs.count) {}

  /// Simulates runs until none is left; the body of each thread.
  void work() {
    while (!failed_) {
      const std::size_t i = next_++;
      if (i >= runs_.count) return;
      try {
        outcomes_[i] = simulate(runs_.run(i));
      } catch (...) {
        failures_[i] = std::current_exception();
        failed_ = true;
      }
      ++done_;
    }
  }

  [[nodiscard]] Progress progress() const { return {done_, runs_.count}; }

  /// Called when all threads have ended. Runs are started in order, so all runs before the first failed run have ended
  /// as well.
  std::vector<FactorizationOutcome> take() {
    for (const std::exception_ptr& failure : failures_) {
      if (failure) std::rethrow_exception(failure);
    }
    return std::move(outcomes_);
  }

 private:
  const SimulationList& runs_;
  std::vector<FactorizationOutcome> outcomes_;
  std::vector<std::exception_ptr> failures_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> done_{0};
  std::atomic<bool> failed_{false};
};

}  // namespace

std::vector<FactorizationOutcome> simulate_all(const SimulationList& runs, int jobs, ProgressOptions progress) {
  Pool pool(runs);
  progress.unit = "runs";
  const ProgressBar bar([&pool] { return pool.progress(); }, std::move(progress));
  const std::size_t threads = std::min(runs.count, static_cast<std::size_t>(std::max(1, jobs)));
  std::vector<std::jthread> others;
  try {
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back([&pool] { pool.work(); });
  } catch (const std::system_error&) {
    // If no further thread can be started, fewer threads do the same work.
  }
  pool.work();
  others.clear();
  return pool.take();
}

int default_jobs() {
  const auto topology = platform::Topology::discover({});
  return topology ? std::max(1, static_cast<int>(topology.value().cores.size())) : 1;
}

}  // namespace troupe::apps
