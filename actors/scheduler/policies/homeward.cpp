#include "actors/scheduler/policies/homeward.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "actors/scheduler/policies/outlook.hpp"
#include "actors/scheduler/policies/speedup.hpp"
#include "troupe/devices.hpp"

namespace troupe::scheduler {

namespace {

constexpr double kNeverSeconds = std::numeric_limits<double>::infinity();

/// All ready tasks by decreasing rank and, for each size class, the ready tasks of the class by decreasing rank.
class Pool {
 public:
  struct Key {
    double rank_s = 0;
    TaskId task;
    friend bool operator<(const Key& a, const Key& b) {
      return a.rank_s != b.rank_s ? a.rank_s > b.rank_s : a.task < b.task;
    }
  };

  /// `gpu_s` is the task's time on a GPU, 0 if no GPU can run the task; `fastest_s` is its time on the worker that is
  /// fastest for it.
  void add(const ReadyTask& task, double gpu_s, double fastest_s) {
    // The pool already has the task if it was placed without this policy and is now offered again.
    if (tasks_.contains(task.id)) remove(task.id);
    const Key key{task.upward_rank_s, task.id};
    tasks_.emplace(task.id, Entry{task, gpu_s, fastest_s});
    by_rank_.insert(key);
    by_class_[task.size_class].insert(key);
    gpu_s_ += gpu_s;
  }
  void remove(TaskId id) {
    const auto found = tasks_.find(id);
    const Key key{found->second.task.upward_rank_s, id};
    by_rank_.erase(key);
    const auto level = by_class_.find(found->second.task.size_class);
    level->second.erase(key);
    if (level->second.empty()) by_class_.erase(level);
    gpu_s_ = by_rank_.empty() ? 0 : gpu_s_ - found->second.gpu_s;
    tasks_.erase(found);
  }
  /// Updates ranks after learned times have changed. Each rank changes by as much as the task's own time; the tasks
  /// that follow it in its chain are not examined again. `gpu_s(task)` returns a task's time on a GPU.
  template <class GpuTime>
  void follow(const Outlook& outlook, GpuTime&& gpu_s) {
    changed_.clear();
    for (const auto& [size_class, keys] : by_class_) {
      const double fastest_s = outlook.fastest_s(size_class);
      if (fastest_s <= 0 || tasks_.find(keys.begin()->task)->second.fastest_s == fastest_s) continue;
      for (const Key& key : keys) changed_.push_back(key.task);
    }
    for (const TaskId id : changed_) {
      const Entry before = tasks_.find(id)->second;
      ReadyTask task = before.task;
      const double fastest_s = outlook.fastest_s(task.size_class);
      task.upward_rank_s = std::max(fastest_s, task.upward_rank_s + fastest_s - before.fastest_s);
      add(task, gpu_s(task), fastest_s);
    }
  }

  [[nodiscard]] bool empty() const { return by_rank_.empty(); }
  [[nodiscard]] bool contains(TaskId id) const { return tasks_.contains(id); }
  [[nodiscard]] const std::set<Key>& by_rank() const { return by_rank_; }
  [[nodiscard]] const std::map<SizeClassId, std::set<Key>>& by_class() const { return by_class_; }
  [[nodiscard]] const ReadyTask& operator[](const Key& key) const { return tasks_.find(key.task)->second.task; }
  [[nodiscard]] double top_rank_s() const { return by_rank_.empty() ? 0 : by_rank_.begin()->rank_s; }
  /// Returns the time that one GPU would need for all tasks of the pool.
  [[nodiscard]] double gpu_s() const { return gpu_s_; }

 private:
  struct Entry {
    ReadyTask task;
    double gpu_s = 0;
    double fastest_s = 0;
  };
  /// Used for lookups only, never iterated over: the order of its entries is not defined.
  std::unordered_map<TaskId, Entry> tasks_;
  std::set<Key> by_rank_;
  std::map<SizeClassId, std::set<Key>> by_class_;
  double gpu_s_ = 0;
  std::vector<TaskId> changed_;
};

/// A worker that may get a task. Times are in seconds from now.
struct Candidate {
  const WorkerState* worker = nullptr;
  double execution_s = kNeverSeconds;
  double transfer_s = 0;
  double finish_s = kNeverSeconds;
  double bytes = 0;
};

class Homeward final : public PlacingPolicy {
 public:
  explicit Homeward(const HomewardOptions& options) : options_(options) {}

  [[nodiscard]] PolicyTraits policy_traits() const override { return {.keeps = true, .ranks = Ranks::fastest}; }

  void place(std::span<const ReadyTask> tasks, const Snapshot& snapshot, Random&, std::span<WorkerId>) override {
    for (const ReadyTask& task : tasks) {
      const double gpu_s = on_gpu_s(task, snapshot);
      pool_.add(task, gpu_s, std::min(gpu_s > 0 ? gpu_s : kNeverSeconds, least_time_s(task, snapshot, false)));
    }
  }

  void place_kept(const Snapshot& snapshot, Random&, std::vector<Placed>& placed) override {
    begin(snapshot);
    if (out_of_core(snapshot)) place_near_data(snapshot, placed);
    place_by_rank(snapshot, placed);
    feed_cores(snapshot, placed);
    feed_gpus(snapshot, placed);
  }

  /// Returns true if the policy would place the task on `worker` if the task were ready now. Tasks with higher ranks
  /// are assumed to be placed first.
  [[nodiscard]] bool places_ahead(const ReadyTask& task, WorkerId worker, const Snapshot& snapshot) override {
    begin(snapshot);
    std::size_t left = options_.looked_at;
    for (const Pool::Key& key : pool_.by_rank()) {
      if (left-- == 0 || key.rank_s < task.upward_rank_s) break;
      const Candidate choice = choose(pool_[key], snapshot);
      if (choice.worker != nullptr) free_s_[choice.worker->id.index()] = choice.finish_s;
    }
    const Candidate choice = choose(task, snapshot);
    return choice.worker != nullptr && choice.worker->id == worker;
  }

 private:
  static double on_gpu_s(const ReadyTask& task, const Snapshot& snapshot) {
    const double gpu_s = least_time_s(task, snapshot, true);
    return gpu_s == kNeverSeconds ? 0 : gpu_s;
  }
  static double execution_s(const ReadyTask& task, const WorkerState& worker, const Snapshot& snapshot) {
    if (!runs_on(task, worker, *snapshot.predictions)) return kNeverSeconds;
    return seconds(snapshot.predictions->execution(task, worker.id));
  }

  void begin(const Snapshot& snapshot) {
    free_s_.clear();
    waiting_.clear();
    planned_.clear();
    outlook_.look(snapshot);
    pool_.follow(outlook_, [&](const ReadyTask& task) { return on_gpu_s(task, snapshot); });
    covered_s_ = 0;
    gpus_ = 0;
    for (const WorkerState& worker : snapshot.workers) {
      free_s_.push_back(seconds(std::max(worker.available - snapshot.now, Duration::zero())));
      waiting_.push_back(worker.queued);
      if (!is_accelerator(worker.kind)) continue;
      ++gpus_;
      covered_s_ += free_s_.back();
    }
    covered_s_ = gpus_ > 0 ? (covered_s_ + pool_.gpu_s()) / gpus_ : kNeverSeconds;
    horizon_s_ = std::max(outlook_.rest_s(), pool_.top_rank_s());
  }

  [[nodiscard]] bool has_room(const WorkerState& worker) const {
    if (!is_accelerator(worker.kind)) return !worker.helps && free_s_[worker.id.index()] <= 0;
    return waiting_[worker.id.index()] < options_.ahead || free_s_[worker.id.index()] <= 0;
  }
  [[nodiscard]] bool anybody_has_room(const Snapshot& snapshot) const {
    return std::any_of(snapshot.workers.begin(), snapshot.workers.end(),
                       [this](const WorkerState& worker) { return has_room(worker); });
  }

  [[nodiscard]] bool out_of_core(const Snapshot& snapshot) const {
    const std::vector<Bytes>& capacities = snapshot.predictions->capacities;
    double room = 0;
    NodeId node;
    for (const WorkerState& worker : snapshot.workers) {
      if (!has_own_memory(worker.kind) || worker.node == node) continue;
      node = worker.node;
      if (node.index() >= capacities.size() || capacities[node.index()].count == 0) return false;
      room += static_cast<double>(capacities[node.index()].count);
    }
    return room > 0 && static_cast<double>(snapshot.predictions->data_left.count) > room;
  }

  void place_near_data(const Snapshot& snapshot, std::vector<Placed>& placed) {
    // Each GPU gets one task at a time, so that the first GPU takes no task whose data are nearer to another GPU.
    for (bool any = true; any;) {
      any = false;
      for (const WorkerState& gpu : snapshot.workers) {
        if (!is_accelerator(gpu.kind) || !has_room(gpu)) continue;
        const std::optional<Pool::Key> key = nearest(gpu, snapshot);
        if (!key) continue;
        const ReadyTask& task = pool_[*key];
        const std::size_t w = gpu.id.index();
        free_s_[w] = std::max(free_s_[w], seconds(snapshot.predictions->transfer(task, gpu.node))) +
                     execution_s(task, gpu, snapshot);
        ++waiting_[w];
        placed.push_back({key->task, gpu.id});
        pool_.remove(key->task);
        any = true;
      }
    }
  }

  [[nodiscard]] std::optional<Pool::Key> nearest(const WorkerState& gpu, const Snapshot& snapshot) const {
    std::optional<Pool::Key> best;
    double least = kNeverSeconds;
    std::size_t left = options_.looked_at_for_data;
    for (const Pool::Key& key : pool_.by_rank()) {
      if (left-- == 0) break;
      const ReadyTask& task = pool_[key];
      if (is_better_on_cores(task) || execution_s(task, gpu, snapshot) == kNeverSeconds) continue;
      if (key.rank_s >= horizon_s_) return key;
      const double bytes = weighed_bytes(task, gpu.node, *snapshot.predictions);
      if (bytes >= least) continue;
      least = bytes;
      best = key;
      if (bytes == 0) break;
    }
    return best;
  }

  [[nodiscard]] bool is_better_on_cores(const ReadyTask& task) const {
    return outlook_.speedup(task.size_class) < outlook_.pivot() * (1 - 1e-9);
  }

  void place_by_rank(const Snapshot& snapshot, std::vector<Placed>& placed) {
    std::size_t left = options_.looked_at;
    auto next = pool_.by_rank().begin();
    while (next != pool_.by_rank().end() && left-- > 0 && anybody_has_room(snapshot)) {
      const Pool::Key key = *next++;
      const ReadyTask& task = pool_[key];
      const Candidate choice = choose(task, snapshot);
      if (choice.worker == nullptr) continue;
      const std::size_t w = choice.worker->id.index();
      const bool room = has_room(*choice.worker) || free_s_[w] <= choice.transfer_s;
      free_s_[w] = choice.finish_s;
      if (!room) {
        planned_.push_back({task.id, choice.finish_s});
        continue;
      }
      ++waiting_[w];
      placed.push_back({task.id, choice.worker->id});
      pool_.remove(task.id);
    }
  }

  /// Fills `candidates_` with the workers that can run the task.
  void consider(const ReadyTask& task, const Snapshot& snapshot) {
    candidates_.clear();
    NodeId node;
    double transfer_s = 0;
    double bytes = 0;
    for (const WorkerState& worker : snapshot.workers) {
      const double execution = execution_s(task, worker, snapshot);
      if (execution == kNeverSeconds) continue;
      if (worker.node != node) {
        node = worker.node;
        transfer_s = seconds(snapshot.predictions->transfer(task, node));
        bytes = weighed_bytes(task, node, *snapshot.predictions);
      }
      const double finish = std::max(free_s_[worker.id.index()], transfer_s) + execution;
      candidates_.push_back({&worker, execution, transfer_s, finish, bytes});
    }
  }

  [[nodiscard]] double weighed_bytes(const ReadyTask& task, NodeId node, const Predictions& predictions) const {
    double sum = 0;
    for (const memory::Use& use : task.data) {
      if (predictions.present(use, node)) continue;
      sum += static_cast<double>(use.copied_to(node).count) * (writes(use.mode) ? options_.written_weight : 1);
    }
    return sum;
  }

  Candidate choose(const ReadyTask& task, const Snapshot& snapshot) {
    consider(task, snapshot);
    Candidate earliest;
    Candidate core;
    double fastest_s = kNeverSeconds;
    double on_gpu_s = kNeverSeconds;
    for (const Candidate& candidate : candidates_) {
      if (candidate.finish_s < earliest.finish_s) earliest = candidate;
      fastest_s = std::min(fastest_s, candidate.execution_s);
      if (is_accelerator(candidate.worker->kind)) {
        on_gpu_s = std::min(on_gpu_s, candidate.execution_s);
      } else if (candidate.finish_s < core.finish_s) {
        core = candidate;
      }
    }
    if (earliest.worker == nullptr) return earliest;
    const double behind_s = task.upward_rank_s - fastest_s;
    const bool better_on_core = core.worker != nullptr && is_better_on_cores(task);
    // The GPUs need other work while the task runs on a core, so the task's own time does not count.
    const bool counted = pool_.contains(task.id) && on_gpu_s != kNeverSeconds;
    const double covered_s = counted ? covered_s_ - on_gpu_s / gpus_ : covered_s_;
    if (better_on_core && core.finish_s * options_.cover <= covered_s &&
        (core.finish_s + behind_s <= options_.core_fraction * horizon_s_ || relieves(earliest, core))) {
      return core;
    }
    const double slack_s = std::max(0.0, horizon_s_ - (earliest.finish_s + behind_s));
    const double kernel_s = outlook_.kernel_s();
    const double tolerance_s =
        std::max(options_.least_tolerance * kernel_s * work_decides(task),
                 std::min(options_.most_tolerance * kernel_s, options_.slack_fraction * slack_s));
    return least_moving(earliest.finish_s + tolerance_s);
  }

  /// Returns 1 if the amount of work decides how long the remaining tasks take. Otherwise the longest chain takes
  /// longer than the work, and a longer chain gives a smaller result, because a delay of a task on the chain delays the
  /// whole run. But the later tasks of the chain gain if the task's data are not moved. So the result is the square
  /// root of the ratio of the two times, not the ratio.
  [[nodiscard]] double work_decides(const ReadyTask& task) const {
    const double longest_s = std::max(horizon_s_, task.upward_rank_s);
    return longest_s > 0 ? std::sqrt(outlook_.rest_s() / longest_s) : 1;
  }

  /// Returns true if running the task on the core delays the chain behind it by less time than the GPUs together save.
  [[nodiscard]] bool relieves(const Candidate& earliest, const Candidate& core) const {
    return is_accelerator(earliest.worker->kind) && core.finish_s - earliest.finish_s <= earliest.execution_s / gpus_;
  }

  [[nodiscard]] Candidate least_moving(double limit_s) const {
    Candidate best;
    for (const Candidate& candidate : candidates_) {
      if (candidate.finish_s > limit_s) continue;
      if (best.worker == nullptr || candidate.bytes < best.bytes ||
          (candidate.bytes == best.bytes && candidate.finish_s < best.finish_s)) {
        best = candidate;
      }
    }
    return best;
  }

  void feed_cores(const Snapshot& snapshot, std::vector<Placed>& placed) {
    if (pool_.empty()) return;
    // The fastest core takes its task first. Cores are compared by their times for the task with the lowest rank,
    // because idle cores mostly get tasks with low ranks.
    fastest_cores_first(pool_[*pool_.by_rank().rbegin()], snapshot, cores_);
    for (const WorkerState* next : cores_) {
      const WorkerState& core = *next;
      if (free_s_[core.id.index()] > 0 || waiting_[core.id.index()] > 0) continue;
      TaskId best;
      double best_speedup = kNeverSeconds;
      for (const auto& [size_class, keys] : pool_.by_class()) {
        // This task has the most slack of its class. If its slack is too small, no task of the class has enough slack.
        const ReadyTask& task = pool_[*keys.rbegin()];
        const double execution = execution_s(task, core, snapshot);
        if (execution == kNeverSeconds || execution * options_.spare_cover > covered_s_) continue;
        const double fastest = std::min(execution, least_time_s(task, snapshot, true));
        const double speedup = fastest > 0 ? execution / fastest : 1;
        if (speedup >= best_speedup) continue;
        const double finish = execution + seconds(snapshot.predictions->transfer(task, core.node));
        if (finish + task.upward_rank_s - std::min(fastest, least_time_s(task, snapshot, false)) >
            options_.core_fraction * horizon_s_)
          continue;
        best = task.id;
        best_speedup = speedup;
      }
      if (!best.valid()) continue;
      placed.push_back({best, core.id});
      ++waiting_[core.id.index()];
      pool_.remove(best);
    }
  }

  void feed_gpus(const Snapshot& snapshot, std::vector<Placed>& placed) {
    for (const WorkerState& gpu : snapshot.workers) {
      if (!is_accelerator(gpu.kind) || gpu.busy || waiting_[gpu.id.index()] > 0) continue;
      std::size_t left = options_.looked_at;
      for (const Pool::Key& key : pool_.by_rank()) {
        if (left-- == 0) break;
        if (execution_s(pool_[key], gpu, snapshot) == kNeverSeconds ||
            ends_earlier_as_planned(pool_[key], gpu, snapshot))
          continue;
        ++waiting_[gpu.id.index()];
        placed.push_back({key.task, gpu.id});
        pool_.remove(key.task);
        break;
      }
    }
  }

  /// Returns true if the worker for which the task is planned would end it earlier than this GPU, which is idle.
  [[nodiscard]] bool ends_earlier_as_planned(const ReadyTask& task, const WorkerState& gpu,
                                             const Snapshot& snapshot) const {
    const auto planned = std::ranges::find(planned_, task.id, &Planned::task);
    if (planned == planned_.end()) return false;
    const double transfer_s = seconds(snapshot.predictions->transfer(task, gpu.node));
    return planned->finish_s < transfer_s + execution_s(task, gpu, snapshot);
  }

  struct Planned {
    TaskId task;
    double finish_s = 0;
  };

  const HomewardOptions options_;
  Pool pool_;
  Outlook outlook_;
  // The state of the present decision; times are in seconds from now.
  /// For each worker, the time when it will have ended all placed and planned tasks.
  std::vector<double> free_s_;
  /// For each worker, the number of tasks that are placed on it and have not begun.
  std::vector<std::size_t> waiting_;
  /// The time until which the GPUs have work, ready tasks included.
  double covered_s_ = 0;
  double gpus_ = 0;
  /// The least time that the remaining work takes.
  double horizon_s_ = 0;
  /// Tasks that wait until their worker has room, and the time when that worker would have ended each task.
  std::vector<Planned> planned_;
  std::vector<Candidate> candidates_;
  std::vector<const WorkerState*> cores_;
};

}  // namespace

std::unique_ptr<PlacingPolicy> homeward(const HomewardOptions& options) { return std::make_unique<Homeward>(options); }

}  // namespace troupe::scheduler
