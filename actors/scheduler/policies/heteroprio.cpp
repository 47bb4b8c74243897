#include "actors/scheduler/policies/heteroprio.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "actors/scheduler/policies/speedup.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "troupe/devices.hpp"

namespace troupe::scheduler {

namespace {

struct Waiting {
  int priority = 0;
  double rank_s = 0;
  /// The number of tasks that became ready before this task.
  std::uint64_t arrival = 0;
  TaskId task;

  /// The more urgent task comes first.
  friend bool operator<(const Waiting& a, const Waiting& b) {
    if (a.priority != b.priority) return a.priority > b.priority;
    if (a.rank_s != b.rank_s) return a.rank_s > b.rank_s;
    return a.arrival < b.arrival;
  }
};

/// Tasks with equal predicted times.
struct Bucket {
  std::set<Waiting> tasks;
  /// One of the tasks; it represents all of them.
  ReadyTask sample;
  double speedup = 1;
  /// The time of one task on the fastest GPU; infinity if no GPU can run the tasks.
  double gpu_s = 0;
};

class HeteroPrio final : public PlacingPolicy {
 public:
  explicit HeteroPrio(const HeteroPrioOptions& options) : options_(options) {}

  [[nodiscard]] PolicyTraits policy_traits() const override { return {.keeps = true, .ranks = Ranks::fastest}; }

  void place(std::span<const ReadyTask> tasks, const Snapshot&, Random&, std::span<WorkerId>) override {
    for (const ReadyTask& task : tasks) {
      Bucket& bucket = bucket_of(task);
      bucket.sample = task;
      // The span `data` may be invalid when the sample is used later.
      bucket.sample.data = {};
      bucket.tasks.insert({task.priority, task.upward_rank_s, arrivals_++, task.id});
      ++kept_;
    }
  }

  void place_kept(const Snapshot& snapshot, Random&, std::vector<Placed>& placed) override {
    if (kept_ == 0) return;
    if (!look_at_workers(snapshot)) return;
    look_at_buckets(snapshot);
    serve_gpus(snapshot, placed);
    serve_cores(snapshot, placed);
  }

 private:
  /// Returns the task's bucket. Tasks without a size class share a bucket if the same set of devices can run them.
  Bucket& bucket_of(const ReadyTask& task) {
    if (!task.size_class.valid()) {
      const WorkerSet* const workers = task.codelet->devices_here.workers.get();
      const std::size_t index = kKindSets * (workers == nullptr ? 0 : 1 + workers->index) + task.codelet->kinds();
      return bucket_at(unclassified_, index);
    }
    return bucket_at(buckets_, task.size_class.index());
  }
  static Bucket& bucket_at(std::vector<Bucket>& buckets, std::size_t index) {
    if (index >= buckets.size()) buckets.resize(index + 1);
    return buckets[index];
  }

  /// Returns true if any worker has room.
  bool look_at_workers(const Snapshot& snapshot) {
    room_.assign(snapshot.workers.size(), 0);
    free_s_.resize(snapshot.workers.size());
    bool any = false;
    for (const WorkerState& worker : snapshot.workers) {
      if (worker.helps) continue;
      const std::size_t has = worker.queued + (worker.busy ? 1 : 0);
      const std::size_t may_have = is_accelerator(worker.kind) ? 1 + options_.ahead : 1;
      if (has < may_have) room_[worker.id.index()] = may_have - has;
      any = any || has < may_have;
      free_s_[worker.id.index()] = std::max(0.0, seconds(worker.available - snapshot.now));
    }
    return any;
  }

  void look_at_buckets(const Snapshot& snapshot) {
    filled_.clear();
    for (std::vector<Bucket>* buckets : {&unclassified_, &buckets_}) {
      for (Bucket& bucket : *buckets) {
        if (bucket.tasks.empty()) continue;
        bucket.speedup = speedup(bucket.sample, snapshot);
        bucket.gpu_s = least_time_s(bucket.sample, snapshot, true);
        filled_.push_back(&bucket);
      }
    }
    // Buckets of equal speed-up stay in the order of their index.
    std::stable_sort(filled_.begin(), filled_.end(),
                     [](const Bucket* a, const Bucket* b) { return a->speedup > b->speedup; });
  }

  void take(Bucket& bucket, const WorkerState& worker, const Snapshot& snapshot, std::vector<Placed>& placed) {
    const bool gpu = is_accelerator(worker.kind);
    const bool urgent = gpu == (bucket.speedup >= 1) || bucket.gpu_s == std::numeric_limits<double>::infinity();
    const auto found = urgent ? bucket.tasks.begin() : std::prev(bucket.tasks.end());
    placed.push_back({found->task, worker.id});
    bucket.tasks.erase(found);
    --kept_;
    --room_[worker.id.index()];
    free_s_[worker.id.index()] += seconds(snapshot.predictions->execution(bucket.sample, worker.id));
    std::erase_if(filled_, [](const Bucket* filled) { return filled->tasks.empty(); });
  }

  void serve_gpus(const Snapshot& snapshot, std::vector<Placed>& placed) {
    while (!filled_.empty()) {
      const WorkerState* next = nullptr;
      for (const WorkerState& worker : snapshot.workers) {
        if (!is_accelerator(worker.kind) || room_[worker.id.index()] == 0) continue;
        if (next == nullptr || free_s_[worker.id.index()] < free_s_[next->id.index()]) next = &worker;
      }
      if (next == nullptr) return;
      const auto best = std::find_if(filled_.begin(), filled_.end(), [&](const Bucket* bucket) {
        return runs_on(bucket->sample, *next, *snapshot.predictions);
      });
      if (best == filled_.end()) {
        room_[next->id.index()] = 0;
      } else {
        take(**best, *next, snapshot, placed);
      }
    }
  }

  void serve_cores(const Snapshot& snapshot, std::vector<Placed>& placed) {
    if (filled_.empty()) return;
    fastest_cores_first(filled_.back()->sample, snapshot, cores_);
    for (const WorkerState* core : cores_) {
      const WorkerState& worker = *core;
      if (room_[worker.id.index()] == 0) continue;
      const auto last = std::find_if(filled_.rbegin(), filled_.rend(), [&](const Bucket* bucket) {
        return runs_on(bucket->sample, worker, *snapshot.predictions) && worth_it(*bucket, worker, snapshot);
      });
      if (last != filled_.rend()) take(**last, worker, snapshot, placed);
    }
  }

  /// Returns true if the core would end a task of the bucket before the GPUs would end all tasks up to this bucket.
  [[nodiscard]] bool worth_it(const Bucket& bucket, const WorkerState& core, const Snapshot& snapshot) const {
    if (bucket.gpu_s == std::numeric_limits<double>::infinity()) return true;
    double first_s = std::numeric_limits<double>::infinity();
    double sum_s = 0;
    int gpus = 0;
    for (const WorkerState& worker : snapshot.workers) {
      if (!is_accelerator(worker.kind)) continue;
      first_s = std::min(first_s, free_s_[worker.id.index()]);
      sum_s += free_s_[worker.id.index()];
      ++gpus;
    }
    for (const Bucket* filled : filled_) {
      if (filled->speedup < bucket.speedup) break;
      if (filled->gpu_s < std::numeric_limits<double>::infinity()) {
        sum_s += static_cast<double>(filled->tasks.size()) * filled->gpu_s;
      }
    }
    const double core_s = seconds(snapshot.predictions->execution(bucket.sample, core.id));
    return core_s <= std::max(sum_s / gpus, first_s + bucket.gpu_s);
  }

  const HeteroPrioOptions options_;
  std::vector<Bucket> unclassified_;
  std::vector<Bucket> buckets_;
  std::size_t kept_ = 0;
  std::uint64_t arrivals_ = 0;
  // State of one call: for each worker, how many tasks it may get and when it will be free, counted from now.
  std::vector<std::size_t> room_;
  std::vector<double> free_s_;
  /// Buckets with tasks, by decreasing speed-up.
  std::vector<Bucket*> filled_;
  std::vector<const WorkerState*> cores_;
};

}  // namespace

std::unique_ptr<PlacingPolicy> heteroprio(const HeteroPrioOptions& options) {
  return std::make_unique<HeteroPrio>(options);
}

}  // namespace troupe::scheduler
