#include "tests/support/bounds/best_schedule.hpp"

#include <algorithm>
#include <cstdint>

namespace troupe::apps {
namespace {

class Search {
 public:
  explicit Search(const BoundProblem& problem) : problem_(problem), end_(problem.tasks.size(), -1) {
    const auto shared = static_cast<std::size_t>(problem.machine.shared_cores);
    for (std::size_t type = 0; type < problem.machine.types.size(); ++type) {
      const WorkerType& workers = problem.machine.types[type];
      if (shared > 0 && workers.cores > 0) {
        choose_cores(type, {}, 0);
      } else {
        for (int i = 0; i < workers.count; ++i) places_.push_back({type, {shared + own_++}});
      }
    }
    free_at_.resize(shared + own_, 0);
  }

  double makespan() {
    place_next(0, 0, 0);
    return best_;
  }

 private:
  /// A place for one task: a worker type and the cores that must all be free.
  struct Place {
    std::size_t type;
    std::vector<std::size_t> cores;
  };

  /// Adds a place for each set of shared cores that has as many cores as a worker of the type. Two places that share a
  /// core cannot run tasks at the same time.
  void choose_cores(std::size_t type, const std::vector<std::size_t>& chosen, std::size_t next) {
    if (chosen.size() == static_cast<std::size_t>(problem_.machine.types[type].cores)) {
      places_.push_back({type, chosen});
      return;
    }
    for (; next < static_cast<std::size_t>(problem_.machine.shared_cores); ++next) {
      std::vector<std::size_t> more = chosen;
      more.push_back(next);
      choose_cores(type, more, next + 1);
    }
  }

  /// Returns true if the previous place in the list is equal: same type, a core of its own, and free at the same time.
  [[nodiscard]] bool has_twin(std::size_t index) const {
    const Place& place = places_[index];
    const auto shared = static_cast<std::size_t>(problem_.machine.shared_cores);
    if (place.cores.size() != 1 || place.cores[0] < shared || index == 0) return false;
    const Place& before = places_[index - 1];
    return before.type == place.type && free_at_[before.cores[0]] == free_at_[place.cores[0]];
  }

  /// There is a best schedule in which each task starts as soon as its place and its predecessors allow. So it is
  /// enough to place the tasks in the order in which they start.
  void place_next(std::size_t placed, double not_before, double makespan) {
    if (makespan >= best_) return;
    if (placed == problem_.tasks.size()) {
      best_ = makespan;
      return;
    }
    for (std::size_t task = 0; task < problem_.tasks.size(); ++task) {
      const BoundTask& description = problem_.tasks[task];
      if (end_[task] >= 0 || std::ranges::any_of(description.predecessors, [&](auto p) { return end_[p] < 0; }))
        continue;
      double ready = 0;
      for (const auto before : description.predecessors) ready = std::max(ready, end_[before]);
      for (std::size_t i = 0; i < places_.size(); ++i) {
        if (has_twin(i)) continue;
        const Place& place = places_[i];
        const double time = problem_.machine.types[place.type].times[description.kind] * description.length;
        if (time == kCannotRun) continue;
        double start = ready;
        for (const std::size_t core : place.cores) start = std::max(start, free_at_[core]);
        if (start < not_before) continue;
        const std::vector<double> free_before = free_at_;
        end_[task] = start + time;
        for (const std::size_t core : place.cores) free_at_[core] = end_[task];
        place_next(placed + 1, start, std::max(makespan, end_[task]));
        free_at_ = free_before;
        end_[task] = -1;
      }
    }
  }

  const BoundProblem& problem_;
  std::vector<Place> places_;
  /// The number of places that share no core with other places.
  std::size_t own_ = 0;
  std::vector<double> free_at_;
  std::vector<double> end_;
  double best_ = kCannotRun;
};

}  // namespace

BoundMachine machine_of(const std::vector<std::vector<double>>& times, const std::vector<int>& counts) {
  BoundMachine machine;
  for (std::size_t type = 0; type < counts.size(); ++type) {
    WorkerType& made = machine.types.emplace_back(WorkerType{{}, counts[type]});
    for (const auto& of_kind : times) made.times.push_back(of_kind[type]);
  }
  return machine;
}

double best_makespan(const BoundProblem& problem) { return Search(problem).makespan(); }

}  // namespace troupe::apps
