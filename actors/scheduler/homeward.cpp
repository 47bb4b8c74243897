#include "actors/scheduler/homeward.hpp"

#include <algorithm>
#include <cmath>

namespace troupe::scheduler {

namespace {

class Homeward final : public PlacingPolicy {
 public:
  explicit Homeward(const HomewardOptions& options) : options_(options) {}

  [[nodiscard]] bool keeps() const override { return true; }
  [[nodiscard]] Ranks ranks() const override { return Ranks::fastest; }

  void place(std::span<const ReadyTask> tasks, const Snapshot&, Random&, std::span<WorkerId>) override {
    for (const ReadyTask& task : tasks) {
      const auto at = std::upper_bound(pool_.begin(), pool_.end(), task, [](const ReadyTask& a, const ReadyTask& b) {
        return a.upward_rank_s != b.upward_rank_s ? a.upward_rank_s > b.upward_rank_s : a.id < b.id;
      });
      pool_.insert(at, task);
    }
  }

  void place_kept(const Snapshot& snapshot, Random&, std::vector<Placed>& placed) override {
    const Predictions& p = *snapshot.predictions;
    available_.clear();
    queued_.clear();
    for (const WorkerState& w : snapshot.workers) {
      available_.push_back(std::max(w.available, snapshot.now));
      queued_.push_back(w.queued);
    }
    outlook(snapshot);
    horizon_ = std::max(rest_s_, pool_.empty() ? 0 : pool_.front().upward_rank_s);
    std::size_t looked = 0;
    std::size_t kept = 0;
    std::size_t i = 0;
    for (; i < pool_.size(); ++i) {
      const ReadyTask& task = pool_[i];
      if (looked++ > static_cast<std::size_t>(options_.most) || !any_room(snapshot)) break;
      NodeId node;
      double transfer = 0;
      std::uint64_t bytes = 0;
      candidates_.clear();
      double best = 1e300;
      double fastest = 1e300;
      for (const WorkerState& w : snapshot.workers) {
        if (!runs_on(task, w, p)) continue;
        if (w.node != node) {
          node = w.node;
          transfer = seconds(options_.cp ? p.transfer_in_traffic(task, node) : p.transfer(task, node));
          bytes = p.missing(task, node).count;
        }
        const double exec = seconds(p.execution(task, w.id));
        fastest = std::min(fastest, exec);
        const double free = seconds(available_[w.id.index()] - snapshot.now);
        const double finish = std::max(free, transfer) + exec;
        candidates_.push_back({w.id, finish, finish + options_.weight * transfer, transfer, bytes});
        best = std::min(best, finish);
      }
      const double slack = std::max(0.0, horizon_ - (best + task.upward_rank_s - fastest));
      double limit = best + std::min(options_.tolerance * unit_s_, options_.sigma * slack);
      bool on_core = false;
      if (options_.slack > 0) {
        // Best core.
        const Candidate* core = nullptr;
        double exec_core = 0, exec_gpu = 1e300;
        for (const Candidate& c : candidates_) {
          const double exec = seconds(p.execution(task, c.worker));
          if (snapshot.workers[c.worker.index()].kind == DeviceKind::cpu_core) {
            exec_core = exec;
            if (core == nullptr || c.finish < core->finish) core = &c;
          } else {
            exec_gpu = std::min(exec_gpu, exec);
          }
        }
        if (core != nullptr && exec_core < exec_gpu * pivot_ * (1 - 1e-9) &&
            core->finish + task.upward_rank_s - fastest <= options_.slack * horizon_) {
          on_core = true;
          best = core->finish;
          const Candidate keep = *core;
          candidates_.assign(1, keep);
          limit = best;
        }
      }
      (void)on_core;
      const Candidate* choice = nullptr;
      for (const Candidate& c : candidates_) {
        if (c.finish > limit) continue;
        if (choice == nullptr || c.bytes < choice->bytes || (c.bytes == choice->bytes && c.cost < choice->cost)) choice = &c;
      }
      const std::size_t w = choice->worker.index();
      const double start = seconds(available_[w] - snapshot.now);
      const bool gpu = snapshot.workers[w].kind == DeviceKind::cuda;
      const bool room = static_cast<double>(queued_[w]) < (gpu ? options_.ahead : options_.cpu_ahead) ||
                        start <= choice->transfer;
      available_[w] = snapshot.now + Duration(std::llround(choice->finish * 1e9));
      if (room) {
        ++queued_[w];
        placed.push_back({task.id, choice->worker});
      } else {
        pool_[kept++] = task;
      }
    }
    // What was not looked at.
    if (kept != i) {
      for (; i < pool_.size(); ++i) pool_[kept++] = pool_[i];
      pool_.resize(kept);
    }
    feed_cores(snapshot, placed);
    feed_gpus(snapshot, placed);
  }

 private:
  struct Share { double speedup, cpu, gpu; double count; };
  /// Area bound of what is left, and the speed-up at which the work is split.
  void outlook(const Snapshot& snapshot) {
    const Predictions& p = *snapshot.predictions;
    shares_.clear();
    unit_s_ = 0;
    double tasks = 0;
    double cores = 0, gpus = 0;
    WorkerId cpu_w, gpu_w;
    for (const WorkerState& w : snapshot.workers) {
      if (w.kind == DeviceKind::cpu_core) { ++cores; cpu_w = w.id; } else { ++gpus; gpu_w = w.id; }
    }
    pivot_ = 1e300;
    rest_s_ = 0;
    if (cores == 0 || gpus == 0) return;
    for (std::size_t c = 0; c < p.left.size(); ++c) {
      if (p.left[c] == 0) continue;
      const SizeClassId id(static_cast<std::uint32_t>(c));
      const Duration tc = p.execution_times.get(id, cpu_w), tg = p.execution_times.get(id, gpu_w);
      const double sc = tc == ExecutionTimes::kNever ? 1e300 : seconds(tc);
      const double sg = tg == ExecutionTimes::kNever ? 1e300 : seconds(tg);
      if (sg <= 0 || sc <= 0) continue;
      unit_s_ += std::min(sc, sg) * p.left[c];
      tasks += p.left[c];
      shares_.push_back({sc / sg, sc, sg, static_cast<double>(p.left[c])});
    }
    if (tasks > 0) unit_s_ /= tasks;
    std::sort(shares_.begin(), shares_.end(), [](const Share& a, const Share& b) { return a.speedup > b.speedup; });
    // GPUs take from the front, cores from the back, until both end at the same time.
    double cpu_load = 0;
    for (const Share& s : shares_) cpu_load += s.cpu >= 1e300 ? 0 : s.cpu * s.count;
    double gpu_load = 0;
    for (const Share& s : shares_) {
      const double more = s.gpu * s.count, less = s.cpu >= 1e300 ? 0 : s.cpu * s.count;
      if ((gpu_load + more) / gpus >= (cpu_load - less) / cores) {
        // split here: (gpu_load + x*more)/gpus = (cpu_load - x*less)/cores
        const double x = (cpu_load / cores - gpu_load / gpus) / (more / gpus + less / cores);
        pivot_ = s.speedup;
        rest_s_ = (gpu_load + std::max(0.0, x) * more) / gpus;
        return;
      }
      gpu_load += more;
      cpu_load -= less;
    }
    rest_s_ = gpu_load / gpus;
    pivot_ = 0;
  }

  void feed_cores(const Snapshot& snapshot, std::vector<Placed>& placed) {
    const Predictions& p = *snapshot.predictions;
    const double top = pool_.empty() ? 0 : pool_.front().upward_rank_s;
    const double horizon = options_.gamma * std::max(rest_s_, top);
    for (const WorkerState& w : snapshot.workers) {
      if (w.kind != DeviceKind::cpu_core || available_[w.id.index()] > snapshot.now || queued_[w.id.index()] > 0) continue;
      std::size_t best = pool_.size();
      double best_speedup = options_.pivot * pivot_ * (1 + 1e-9);
      for (std::size_t i = pool_.size(); i-- > 0;) {
        const ReadyTask& task = pool_[i];
        if (!runs_on(task, w, p)) continue;
        const double exec = seconds(p.execution(task, w.id));
        double fast = exec;
        for (const WorkerState& v : snapshot.workers)
          if (v.kind != DeviceKind::cpu_core && runs_on(task, v, p)) { fast = seconds(p.execution(task, v.id)); break; }
        const double speedup = fast > 0 ? exec / fast : 1;
        if (speedup > best_speedup || (best < pool_.size() && speedup == best_speedup)) continue;
        if (exec + seconds(p.transfer(task, w.node)) + task.upward_rank_s - std::min(fast, exec) > horizon) continue;
        best = i;
        best_speedup = speedup;
      }
      if (best == pool_.size()) continue;
      placed.push_back({pool_[best].id, w.id});
      pool_.erase(pool_.begin() + static_cast<std::ptrdiff_t>(best));
    }
  }

  void feed_gpus(const Snapshot& snapshot, std::vector<Placed>& placed) {
    const Predictions& p = *snapshot.predictions;
    for (const WorkerState& w : snapshot.workers) {
      if (w.kind != DeviceKind::cuda || w.busy || queued_[w.id.index()] > 0) continue;
      for (std::size_t i = 0; i < pool_.size(); ++i) {
        if (!runs_on(pool_[i], w, p)) continue;
        placed.push_back({pool_[i].id, w.id});
        ++queued_[w.id.index()];
        pool_.erase(pool_.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      }
    }
  }

  double horizon_ = 0;
  double unit_s_ = 0;
  std::vector<Share> shares_;
  double pivot_ = 0;
  double rest_s_ = 0;

  bool any_room(const Snapshot& snapshot) const {
    for (const WorkerState& w : snapshot.workers) {
      const bool gpu = w.kind == DeviceKind::cuda;
      if (available_[w.id.index()] <= snapshot.now) return true;
      if (static_cast<double>(queued_[w.id.index()]) < (gpu ? options_.ahead : options_.cpu_ahead)) return true;
    }
    return false;
  }
  struct Candidate {
    WorkerId worker;
    double finish;
    double cost;
    double transfer;
    std::uint64_t bytes;
  };
  const HomewardOptions options_;
  std::vector<ReadyTask> pool_;
  std::vector<TimeStamp> available_;
  std::vector<std::size_t> queued_;
  std::vector<Candidate> candidates_;
};

}  // namespace

std::unique_ptr<PlacingPolicy> homeward(const HomewardOptions& options) { return std::make_unique<Homeward>(options); }

}  // namespace troupe::scheduler
