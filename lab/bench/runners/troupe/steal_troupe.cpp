/// Measures how fast a worker (the thief) steals from a worker that runs a long kernel (the victim). The times are
/// taken in kernels, outside of the runtime.
///
/// There are two workers. The victim's kernel computes for `victim_ms`. At intervals it submits small tasks, which stay
/// in its own deque until the other worker takes them.
///
/// `what=answer`: pairs of tasks. A thief takes half of a deque, so it takes one task of the pair. When it has
/// completed the first task, it has to send a steal request for the second. The measured time goes from the end of the
/// first task to the start of the second, both on the thief. In addition to request and answer it contains the
/// completion of the first task and the start of the second. So it is an upper bound for the time between request and
/// answer.
///
/// The victim submits the next pair or task only when all earlier tasks have run, so that its deque never holds more
/// than one pair or task. The runtime must report at least as many steals as there are tasks that ran on the thief;
/// otherwise these tasks were not stolen, and the measurement fails.
///
/// `what=surplus`: single tasks, `gap_us` apart. The measured time goes from just before the submission to the start on
/// the idle worker. With short gaps the idle worker still looks for work, with long gaps it sleeps.
#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <vector>

#include "lab/bench/runners/cases.hpp"
#include "lab/bench/start_latency.hpp"
#include "proto/json/json.hpp"
#include "troupe/runtime.hpp"

namespace troupe::bench {
namespace {

struct StealOptions {
  std::string what;
  double victim_ms = 100;
  double gap_us = 100;
  std::int64_t samples = 400;
};

/// One small task: the times of its submission, start and end, and the worker that ran it.
struct Small {
  std::int64_t submitted = 0;
  std::int64_t started = 0;
  WorkerId worker;
  /// The end of the task; 0 if the task has not ended. The task stores this member last, with release. The victim waits
  /// for it and loads it with acquire.
  std::atomic<std::int64_t> ended{0};
};

void spin_until(std::int64_t time) {
  while (now_ns() < time) {
  }
}

class StealMeasurement {
 public:
  explicit StealMeasurement(const StealOptions& options)
      : options_(options), small_("small", {}), victim_("victim", {}), runtime_(runtime_options()) {
    small_.cpu([this](const KernelContext& context) {
      Small& record = records_[context.argument<std::size_t>(0)];
      record.started = now_ns();
      record.worker = context.worker;
      spin_until(record.started + kSmallNs);
      record.ended.store(now_ns(), std::memory_order_release);
    });
    victim_.cpu([this](const KernelContext& context) { be_victim(context.worker); });
  }

  Json run() {
    constexpr std::int64_t kMostKernels = 10'000;
    const std::uint64_t steals_before = steals();
    for (std::int64_t kernel = 0; kernel < kMostKernels && wanted_ > collected(); ++kernel) {
      runtime_.submit(victim_, {});
      runtime_.wait();
      collect();
    }
    const std::uint64_t steals = this->steals() - steals_before;
    if (samples_.empty()) throw std::runtime_error("nothing was stolen");
    if (steals < moved_) {
      throw std::runtime_error("the runtime counts " + std::to_string(steals) + " steals, but " +
                               std::to_string(moved_) + " tasks moved");
    }
    Json figures = latency_figures(samples_);
    figures["steals"] = steals;
    return figures;
  }

 private:
  static constexpr std::int64_t kSmallNs = 20'000;

  static RuntimeOptions runtime_options() {
    RuntimeOptions options;
    options.cores = 2;
    return options;
  }
  [[nodiscard]] std::int64_t collected() const { return static_cast<std::int64_t>(samples_.size()); }
  [[nodiscard]] std::uint64_t steals() const {
    std::uint64_t sum = 0;
    for (const WorkerReport& worker : runtime_.report().workers) sum += worker.counts.steals;
    return sum;
  }

  /// The body of the victim's kernel.
  void be_victim(WorkerId worker) {
    victim_worker_ = worker;
    const std::int64_t end = now_ns() + static_cast<std::int64_t>(1e6 * options_.victim_ms);
    const auto gap = static_cast<std::int64_t>(1e3 * options_.gap_us);
    used_ = 0;
    std::int64_t next = now_ns() + gap;
    while (next < end && used_ + group_ <= kMostRecords) {
      spin_until(next);
      for (std::size_t i = 0; i < group_; ++i) {
        Small& record = records_[used_ + i];
        record.ended.store(0, std::memory_order_relaxed);
        record.submitted = now_ns();
        runtime_.submit(small_, {}, args(used_ + i));
      }
      if (!all_ended(end)) return;
      used_ += group_;
      next = now_ns() + gap;
    }
    spin_until(end);
  }

  /// Computes until the last group of small tasks has run, and returns true. Returns false if the kernel's time is over
  /// before that; then the victim itself may run the remaining tasks.
  [[nodiscard]] bool all_ended(std::int64_t end) const {
    for (std::size_t i = 0; i < group_; ++i) {
      while (records_[used_ + i].ended.load(std::memory_order_acquire) == 0) {
        if (now_ns() > end) return false;
      }
    }
    return true;
  }

  void collect() {
    for (std::size_t i = 0; i < used_; i += group_) {
      const Small* first = &records_[i];
      moved_ += group_;
      if (group_ == 1) {
        samples_.push_back(static_cast<double>(first->started - first->submitted));
        continue;
      }
      const Small* second = &records_[i + 1];
      const std::int64_t both_there = std::max(first->submitted, second->submitted);
      if (second->started < first->started) std::swap(first, second);
      // If the first task had already ended when the second one was submitted, no steal request was under way, so there
      // is no sample.
      if (both_there < first->ended) samples_.push_back(static_cast<double>(second->started - first->ended));
    }
  }

  static constexpr std::size_t kMostRecords = 4096;
  const StealOptions options_;
  const std::int64_t wanted_ = options_.samples;
  Codelet small_;
  Codelet victim_;
  const std::size_t group_ = options_.what == "answer" ? 2 : 1;
  std::vector<Small> records_ = std::vector<Small>(kMostRecords);
  /// The number of complete records.
  std::size_t used_ = 0;
  /// The number of tasks that the other worker ran.
  std::uint64_t moved_ = 0;
  WorkerId victim_worker_;
  std::vector<double> samples_;
  Runtime runtime_;
};

}  // namespace

Json steal(Parameters& parameters) {
  StealOptions options;
  options.what = parameters.text("what", "answer");
  options.victim_ms = parameters.number("victim_ms", options.victim_ms);
  options.gap_us = parameters.number("gap_us", options.gap_us);
  options.samples = parameters.integer("samples", options.samples, 1);
  if (cores_of(parameters) < 2) throw Unsupported("stealing needs two cores");
  parameters.require_all_used();
  if (options.what != "answer" && options.what != "surplus") {
    throw BadParameter("what=" + options.what + ": answer or surplus");
  }
  if (options.victim_ms < 1 || options.gap_us < 1) throw BadParameter("victim_ms and gap_us: at least 1");
  return StealMeasurement(options).run();
}

}  // namespace troupe::bench
