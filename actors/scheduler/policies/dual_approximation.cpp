#include "actors/scheduler/policies/dual_approximation.hpp"

#include <algorithm>
#include <limits>

namespace troupe::scheduler {

namespace {

constexpr Duration kNever = DualApproximationRound::kNever;

Duration scaled(double factor, Duration time) {
  return Duration(static_cast<Duration::rep>(factor * static_cast<double>(time.count())));
}

double ratio(Duration cpu, Duration gpu) {
  if (gpu == kNever) return cpu == kNever ? 1 : 0;
  if (cpu == kNever) return std::numeric_limits<double>::infinity();
  return gpu.count() > 0 ? static_cast<double>(cpu.count()) / static_cast<double>(gpu.count()) : 1;
}

}  // namespace

void DualApproximation::prepare(const DualApproximationRound& round) {
  const std::size_t workers = round.workers.size();
  all_.clear();
  cores_.clear();
  gpus_.clear();
  for (std::uint32_t w = 0; w < workers; ++w) {
    all_.push_back(w);
    (round.workers[w].accelerator ? gpus_ : cores_).push_back(w);
  }
  tasks_.assign(round.tasks, {kNever, kNever, 1, 0});
  by_affinity_.clear();
  by_speedup_.clear();
  for (std::uint32_t t = 0; t < round.tasks; ++t) {
    Task& task = tasks_[t];
    const std::size_t row = t * workers;
    for (const std::uint32_t w : cores_) task.cpu = std::min(task.cpu, round.execution[row + w]);
    for (const std::uint32_t w : gpus_) task.gpu = std::min(task.gpu, round.execution[row + w]);
    for (const std::uint32_t w : all_) task.affinity = std::max(task.affinity, round.affinity[row + w]);
    task.speedup = ratio(task.cpu, task.gpu);
    if (task.cpu == kNever && task.gpu == kNever) continue;
    by_speedup_.push_back(t);
    if (task.affinity > 0 && alpha_ > 0) by_affinity_.push_back(t);
  }
  std::stable_sort(by_affinity_.begin(), by_affinity_.end(),
                   [this](std::uint32_t a, std::uint32_t b) { return tasks_[a].affinity > tasks_[b].affinity; });
  std::stable_sort(by_speedup_.begin(), by_speedup_.end(),
                   [this](std::uint32_t a, std::uint32_t b) { return tasks_[a].speedup > tasks_[b].speedup; });
}

Duration DualApproximation::upper_bound(const DualApproximationRound& round) const {
  // However the tasks are placed, no worker ends later than this bound. If lambda is this bound, no load is above
  // lambda, and every task may go to any worker.
  Duration bound{};
  for (const auto& worker : round.workers) bound = std::max({bound, worker.load, worker.affinity_load});
  const std::size_t workers = round.workers.size();
  for (const std::uint32_t t : by_speedup_) {
    Duration longest{};
    Duration latest{};
    for (std::size_t i = t * workers; i < (t + 1) * workers; ++i) {
      if (round.execution[i] == kNever) continue;
      longest = std::max(longest, round.execution[i]);
      latest = std::max(latest, round.data_at[i]);
    }
    bound += longest + latest;
  }
  return bound;
}

template <class May>
bool DualApproximation::put(const DualApproximationRound& round, std::uint32_t task,
                            const std::vector<std::uint32_t>& workers, May&& may) {
  const std::size_t row = task * round.workers.size();
  const std::vector<Duration>& begin = round.choose_by_free ? free_ : load_;
  std::uint32_t best = kNowhere;
  Duration earliest = kNever;
  for (const std::uint32_t w : workers) {
    const Duration execution = round.execution[row + w];
    if (execution == kNever || !may(w)) continue;
    const Duration finish = std::max(begin[w], round.data_at[row + w]) + execution;
    if (finish > earliest || (finish == earliest && free_[w] >= free_[best])) continue;
    best = w;
    earliest = finish;
  }
  if (best == kNowhere) return false;
  where_[task] = best;
  for (Duration* time : {&load_[best], &free_[best]}) {
    *time = std::max(*time, round.data_at[row + best]) + round.execution[row + best];
  }
  return true;
}

void DualApproximation::affinity_phase(const DualApproximationRound& round, Duration lambda) {
  const Duration limit = scaled(alpha_, lambda);
  for (const std::uint32_t t : by_affinity_) {
    const std::size_t row = t * round.workers.size();
    const double score = tasks_[t].affinity;
    const bool there = put(round, t, all_, [&](std::uint32_t w) {
      return round.affinity[row + w] == score && affinity_load_[w] < limit && round.execution[row + w] <= lambda;
    });
    if (!there) continue;
    const std::size_t at = row + where_[t];
    Duration& load = affinity_load_[where_[t]];
    load = std::max(load, round.data_at[at]) + round.execution[at];
  }
}

bool DualApproximation::global_balance(const DualApproximationRound& round, Duration lambda) {
  const auto any = [](std::uint32_t) { return true; };
  const auto within = [&](std::uint32_t t) {
    return [&, t](std::uint32_t w) { return round.execution[t * round.workers.size() + w] <= lambda; };
  };
  for (const std::uint32_t t : by_speedup_) {
    if (where_[t] != kNowhere) continue;
    const bool gpu_fits = tasks_[t].gpu <= lambda;
    const bool cpu_fits = tasks_[t].cpu <= lambda;
    if (!gpu_fits && !cpu_fits) return false;
    if (gpu_fits && cpu_fits) continue;
    if (gpu_fits) {
      put(round, t, gpus_, any);
    } else {
      put(round, t, cores_, within(t));
    }
  }
  for (const std::uint32_t t : by_speedup_) {
    if (where_[t] != kNowhere) continue;
    if (put(round, t, gpus_, [&](std::uint32_t w) { return load_[w] < lambda; })) continue;
    put(round, t, cores_, within(t));
  }
  return true;
}

bool DualApproximation::fits(const DualApproximationRound& round, Duration lambda) {
  affinity_load_.clear();
  load_.clear();
  free_.clear();
  for (const auto& worker : round.workers) {
    affinity_load_.push_back(worker.affinity_load);
    load_.push_back(worker.load);
    free_.push_back(worker.free);
  }
  where_.assign(round.tasks, kNowhere);
  affinity_phase(round, lambda);
  if (!global_balance(round, lambda)) return false;
  // Times are rounded to whole nanoseconds, so one nanosecond is added.
  const Duration limit = scaled(2 + alpha_, lambda) + Duration(1);
  return std::all_of(load_.begin(), load_.end(), [limit](Duration load) { return load <= limit; });
}

void DualApproximation::solve(const DualApproximationRound& round) {
  prepare(round);
  Duration upper = upper_bound(round);
  (void)fits(round, upper);
  best_.swap(where_);
  // No schedule is shorter than the load with which any worker starts.
  Duration lower{};
  for (const auto& worker : round.workers) lower = std::max(lower, worker.load);
  while (upper - lower > std::max(Duration(1), scaled(kPrecision, upper))) {
    const Duration lambda = lower + (upper - lower) / 2;
    if (fits(round, lambda)) {
      upper = lambda;
      best_.swap(where_);
    } else {
      lower = lambda;
    }
  }
  lambda_ = upper;
}

}  // namespace troupe::scheduler
