#include "actors/scheduler/cluster_chooser.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>

#include "graph/codelets/codelet_definition.hpp"
#include "troupe/codelet.hpp"
#include "troupe/devices.hpp"

namespace troupe::scheduler {

namespace {

using namespace std::chrono_literals;

/// The largest number of tasks, and the largest number of levels, that one call of `choose` examines. The tasks of one
/// level can run at the same time.
constexpr std::size_t kMostTasks = 4096;
constexpr std::size_t kMostLevels = 256;
/// Estimates of the time that one call of `choose` takes: `kTaskLook` for each task, `kLevelLook` for each pair of a
/// grouping and a size class of a level, `kClassLook` for each pair of a grouping and a size class that the call meets
/// first.
constexpr Duration kTaskLook = 200ns;
constexpr Duration kLevelLook = 400ns;
constexpr Duration kClassLook = 300ns;
/// Calls of `choose` are at least this many times their own time apart, so they take at most 2 % of the run's time.
constexpr int kPausePerLook = 50;
/// The least time from one call to the next.
constexpr Duration kLeastBetween = 500us;
/// A change of the grouping has to save at least this time: twenty times the measured 0.13 ms for stopping and starting
/// workers. In addition, it has to save the time until the last kernels have ended.
constexpr double kChange_s = 20 * 130e-6;
/// A predicted saving below this fraction of the time with the present grouping counts as zero.
constexpr double kLeastFraction = 0.1;
/// If the time of a size class is known for one number of cores only, its assumed speed-up on n cores is n to this
/// power. With this value, the predicted times of a cluster of two cores and of two single cores differ by more than
/// `kLeastFraction`, so the chooser tries the better of the two.
constexpr double kAssumedSpeedUp = 0.8;

/// Returns a core that is not lost, to represent all cores: cores can only be grouped if restrictions treat them alike.
/// Returns an invalid id if all cores are lost.
WorkerId any_core(const SchedulerCore& core) {
  for (const WorkerState& worker : core.workers()) {
    if (!is_accelerator(worker.kind) && !core.is_lost(worker.id)) return worker.id;
  }
  return WorkerId{};
}

CoreGrouping present_grouping(const SchedulerCore& core) {
  CoreGrouping grouping;
  for (const WorkerState& worker : core.workers()) {
    if (is_accelerator(worker.kind) || worker.helps || core.is_lost(worker.id)) continue;
    const int cores = core.type(worker.id).cores;
    const auto same = std::ranges::find(grouping, cores, &ClusterCount::cores);
    if (same == grouping.end()) {
      grouping.push_back({cores, 1});
    } else {
      ++same->count;
    }
  }
  return grouping;
}

/// The times of one size class, in seconds, by number of cores; 0 if nothing is known.
class TimesByCores {
 public:
  TimesByCores(const SchedulerCore& core, const graph::SizeClass& size_class, WorkerId on, const CoreGrouping& present)
      : model_(*core.model()), size_class_(size_class), on_(on), present_(present) {}

  double at(int cores) {
    const auto [found, added] = known_.try_emplace(used(cores), 0.0);
    if (added) found->second = find(found->first);
    return found->second;
  }

 private:
  [[nodiscard]] int used(int cores) const { return size_class_.codelet->cores_used({DeviceKind::cpu_core, cores}); }
  [[nodiscard]] double measured(int cores) const {
    const auto time = model_.predict_on_cores(size_class_, on_, cores);
    return time ? seconds(*time) : 0;
  }
  [[nodiscard]] double find(int cores) const {
    if (const double time = measured(cores); time > 0) return time;
    if (const double time = measured(1); time > 0) return time / std::pow(cores, kAssumedSpeedUp);
    for (const ClusterCount& clusters : present_) {
      const int there = used(clusters.cores);
      if (const double time = measured(there); time > 0) {
        return time * std::pow(static_cast<double>(there) / cores, kAssumedSpeedUp);
      }
    }
    return 0;
  }

  const ExecutionModel& model_;
  const graph::SizeClass& size_class_;
  const WorkerId on_;
  const CoreGrouping& present_;
  std::map<int, double> known_;
};

/// For each grouping, its clusters and the accelerators, with their times for the size classes that were looked up.
class WorkersByGrouping {
 public:
  WorkersByGrouping(const SchedulerCore& core, WorkerId on, const std::vector<CoreGrouping>& groupings)
      : core_(core), on_(on), groupings_(groupings), workers_(groupings.size()) {
    for (const WorkerState& worker : core.workers()) {
      if (is_accelerator(worker.kind) && !core.is_lost(worker.id)) accelerators_.push_back(worker.id);
    }
    for (std::size_t i = 0; i < groupings.size(); ++i) {
      for (const ClusterCount& clusters : groupings[i]) workers_[i].push_back({clusters.count, {}});
      for (std::size_t j = 0; j < accelerators_.size(); ++j) workers_[i].push_back({1, {}});
    }
  }

  [[nodiscard]] const std::vector<EqualWorkers>& operator[](std::size_t grouping) const { return workers_[grouping]; }
  /// Looks up the times of a size class. Does nothing and returns false if an earlier call looked them up.
  bool look_up(SizeClassId id) {
    if (id.index() < seen_.size() && seen_[id.index()]) return false;
    if (seen_.size() <= id.index()) grow(id.index() + 1);
    seen_[id.index()] = true;
    const graph::SizeClass& size_class = core_.submitted()->size_class(id);
    std::vector<double> beside;
    for (const WorkerId accelerator : accelerators_) beside.push_back(on_accelerator(size_class, accelerator));
    TimesByCores times(core_, size_class, on_, groupings_.back());
    const bool cores_can = size_class.runs_on(DeviceKind::cpu_core, on_) && !core_.model()->cannot_run(size_class, on_);
    for (std::size_t i = 0; i < groupings_.size(); ++i) {
      const std::size_t sizes = groupings_[i].size();
      for (std::size_t j = 0; j < workers_[i].size(); ++j) {
        double& time = workers_[i][j].seconds[id.index()];
        if (j >= sizes) {
          time = beside[j - sizes];
        } else if (cores_can) {
          time = times.at(groupings_[i][j].cores);
        }
      }
    }
    return true;
  }

 private:
  void grow(std::size_t classes) {
    seen_.resize(classes);
    for (std::vector<EqualWorkers>& all : workers_) {
      for (EqualWorkers& equal : all) equal.seconds.resize(classes);
    }
  }
  [[nodiscard]] double on_accelerator(const graph::SizeClass& size_class, WorkerId worker) const {
    if (!size_class.runs_on(core_.workers()[worker.index()].kind, worker)) return 0;
    if (core_.model()->cannot_run(size_class, worker)) return 0;
    const auto time = core_.model()->predict(size_class, worker);
    return time ? seconds(*time) : 0;
  }

  const SchedulerCore& core_;
  const WorkerId on_;
  const std::vector<CoreGrouping>& groupings_;
  std::vector<WorkerId> accelerators_;
  std::vector<std::vector<EqualWorkers>> workers_;
  std::vector<bool> seen_;
};

int cores_of(const CoreGrouping& grouping) {
  int cores = 0;
  for (const ClusterCount& clusters : grouping) cores += clusters.cores * clusters.count;
  return cores;
}

}  // namespace

ClusterChooser::ClusterChooser(Options options)
    : options_(std::move(options)), saved_s_(options_.groupings.size(), 0.0) {}

std::optional<std::size_t> ClusterChooser::look(const SchedulerCore& core, std::span<const ReadyTask> tasks,
                                                TimeStamp now) {
  return due(now) ? choose(core, tasks, now) : std::nullopt;
}

std::optional<std::size_t> ClusterChooser::choose(const SchedulerCore& core, std::span<const ReadyTask> ready,
                                                  TimeStamp now) {
  const WorkerId on = any_core(core);
  next_.store((now + kLeastBetween).count(), std::memory_order_relaxed);
  if (core.model() == nullptr || !on.valid()) return std::nullopt;
  std::vector<TaskLevel> levels;
  if (options_.looks_ahead) levels = core.submitted()->levels(kMostTasks);
  // The scheduler knows the tasks of recordings only when they are ready.
  const bool ahead = !levels.empty();
  if (!ahead) levels.push_back(core.ready_with(ready));
  if (levels.size() > kMostLevels) levels.resize(kMostLevels);
  count_saved(now);
  if (levels.front().empty()) {
    // The next look comes as soon as there are tasks.
    next_.store(now.count(), std::memory_order_relaxed);
    return std::nullopt;
  }
  std::vector<CoreGrouping> groupings = options_.groupings;
  groupings.push_back(present_grouping(core));
  const std::size_t present = groupings.size() - 1;
  const int cores = cores_of(groupings[present]);
  WorkersByGrouping workers(core, on, groupings);
  Duration cost = Duration::zero();
  std::vector<std::vector<double>> level_s;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (i > 0 && levels[i] == levels[i - 1]) {
      level_s.push_back(level_s.back());
      continue;
    }
    for (const ClassCount& one : levels[i]) {
      cost += one.tasks * kTaskLook;
      if (workers.look_up(one.size_class)) cost += groupings.size() * kClassLook;
    }
    cost += groupings.size() * levels[i].size() * kLevelLook;
    std::vector<double>& row = level_s.emplace_back();
    for (std::size_t j = 0; j < groupings.size(); ++j) row.push_back(level_seconds(levels[i], workers[j], cores));
  }
  const Duration between = std::max<Duration>(kPausePerLook * cost, kLeastBetween);
  next_.store((now + between).count(), std::memory_order_relaxed);
  double drain_s = 0;
  for (const ClassCount& one : levels.front()) {
    drain_s = std::max(drain_s, level_seconds({{one.size_class, 1}}, workers[present], cores));
  }
  if (!ahead) return choose_by_past(level_s.front(), kChange_s + drain_s);
  return change_now(level_s, present, kChange_s + drain_s);
}

void ClusterChooser::count_saved(TimeStamp now) {
  // The saving was predicted for the work that was ready at the last look, so it counts for at most the time of that
  // work.
  const double passed_s = std::min(seconds(now - last_), seen_s_);
  last_ = now;
  seen_s_ = 0;
  for (std::size_t i = 0; i < saving_.size(); ++i) {
    // A grouping that would have lost time has a negative saving. The sum of its savings does not fall below zero, so
    // that later savings count at once.
    saved_s_[i] = std::max(0.0, saved_s_[i] + passed_s * saving_[i]);
  }
  saving_.clear();
}

std::optional<std::size_t> ClusterChooser::choose_by_past(const std::vector<double>& level_s, double change_s) {
  seen_s_ = level_s.back();
  for (std::size_t i = 0; i + 1 < level_s.size() && seen_s_ > 0; ++i) {
    const double fraction = 1 - level_s[i] / seen_s_;
    saving_.push_back(fraction > 0 && fraction < kLeastFraction ? 0 : fraction);
  }
  const auto best = static_cast<std::size_t>(std::ranges::max_element(saved_s_) - saved_s_.begin());
  // The new grouping has to save time for the tasks that are ready now, too.
  if (saved_s_[best] <= change_s || saving_.empty() || saving_[best] <= 0) return std::nullopt;
  std::ranges::fill(saved_s_, 0.0);
  saving_.clear();
  return best;
}

}  // namespace troupe::scheduler
