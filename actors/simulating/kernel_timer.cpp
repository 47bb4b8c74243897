#include "actors/simulating/kernel_timer.hpp"

#include <fmt/format.h>

#include <cmath>

#include "actors/scheduler/models/learned_model.hpp"
#include "actors/simulating/model_error.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "troupe/codelet.hpp"

namespace troupe::actors {

namespace {

class ExactModel final : public scheduler::ExecutionModel {
 public:
  ExactModel(KernelTimer& timer, std::vector<DescribedDevice> workers, ModelError error)
      : timer_(timer), workers_(std::move(workers)), error_(error) {}

  std::optional<Duration> predict(const graph::SizeClass& size_class, WorkerId worker) const override {
    const auto time = timer_.time(size_class, worker);
    return time ? believed(size_class, worker, time.value()) : Duration::zero();
  }
  std::optional<Duration> predict_on_cores(const graph::SizeClass& size_class, WorkerId worker,
                                           int cores) const override {
    const auto time = timer_.time_on_cores(size_class, worker, cores);
    return time ? std::optional(believed(size_class, worker, time.value())) : std::nullopt;
  }
  Change measured(const graph::SizeClass&, WorkerId, Duration) override { return Change::nothing; }
  bool cannot_run(const graph::SizeClass& size_class, WorkerId worker) const override {
    return !timer_.time(size_class, worker).ok();
  }

 private:
  [[nodiscard]] Duration believed(const graph::SizeClass& size_class, WorkerId worker,
                                  const platform::KernelTime& time) const {
    const double factor = error_.factor(size_class.codelet->timed_as, workers_[worker.index()].type.kind);
    return Duration(std::llround(time.mean_us * 1000 * factor));
  }

  KernelTimer& timer_;
  const std::vector<DescribedDevice> workers_;
  const ModelError error_;
};

/// Predicts kernel times from the times that were measured in this run, multiplied by errors. A kernel cannot run on a
/// device for which the timer has no time.
class LearnedFromDescription final : public scheduler::ExecutionModel {
 public:
  LearnedFromDescription(KernelTimer& timer, std::vector<DeviceType> workers, ModelError error)
      : timer_(timer),
        workers_(std::move(workers)),
        error_(error),
        learned_(std::make_shared<scheduler::ExecutionHistory>(), workers_) {}

  std::optional<Duration> predict(const graph::SizeClass& size_class, WorkerId worker) const override {
    return believed(size_class, worker, learned_.predict(size_class, worker));
  }
  std::optional<Duration> predict_on_cores(const graph::SizeClass& size_class, WorkerId worker,
                                           int cores) const override {
    return believed(size_class, worker, learned_.predict_on_cores(size_class, worker, cores));
  }
  bool is_sure(const graph::SizeClass& size_class, WorkerId worker) const override {
    return learned_.is_sure(size_class, worker);
  }
  double doubt(const graph::SizeClass& size_class, WorkerId worker) const override {
    return learned_.doubt(size_class, worker);
  }
  std::uint32_t measurements_missing(const graph::SizeClass& size_class, WorkerId worker) const override {
    return learned_.measurements_missing(size_class, worker);
  }
  std::size_t kernel(const graph::SizeClass& size_class) const override { return learned_.kernel(size_class); }
  Change measured(const graph::SizeClass& size_class, WorkerId worker, Duration time) override {
    return learned_.measured(size_class, worker, time);
  }
  void regrouped(WorkerId worker, const DeviceType& type) override { learned_.regrouped(worker, type); }
  bool cannot_run(const graph::SizeClass& size_class, WorkerId worker) const override {
    return !timer_.time(size_class, worker).ok();
  }

 private:
  [[nodiscard]] std::optional<Duration> believed(const graph::SizeClass& size_class, WorkerId worker,
                                                 const std::optional<Duration>& time) const {
    if (!time) return time;
    const double factor = error_.factor(size_class.codelet->timed_as, workers_[worker.index()].kind);
    return Duration(std::llround(static_cast<double>(time->count()) * factor));
  }

  KernelTimer& timer_;
  const std::vector<DeviceType> workers_;
  const ModelError error_;
  scheduler::LearnedModel learned_;
};

}  // namespace

Result<platform::KernelTime> KernelTimer::look_up(const graph::SizeClass& size_class,
                                                  const DescribedDevice& device) const {
  const CodeletDefinition& codelet = *size_class.codelet;
  if (codelet.internal || codelet.untimed) return platform::KernelTime{};
  DescribedDevice used = device;
  used.type.cores = codelet.cores_used(device.type);
  const auto given = options_.times.find(codelet.timed_name());
  auto time = given != options_.times.end()
                  ? given_time(given->second, size_class, used)
                  : described_time(options_.machine, codelet.timed_name(), size_class.flops, used);
  if (time) return time;
  return Failure{time.failure().code, fmt::format("codelet '{}': {}", codelet.name, time.failure().message)};
}

Result<platform::KernelTime> KernelTimer::time(const graph::SizeClass& size_class, WorkerId worker) {
  if (known_.size() <= size_class.id.index()) known_.resize(size_class.id.index() + 1);
  auto& row = known_[size_class.id.index()];
  row.resize(workers_.size());
  auto& entry = row[worker.index()];
  if (!entry) entry = look_up(size_class, workers_[worker.index()]);
  return *entry;
}

Result<platform::KernelTime> KernelTimer::time_on_cores(const graph::SizeClass& size_class, WorkerId worker,
                                                        int cores) const {
  DescribedDevice device = workers_[worker.index()];
  device.type.cores = cores;
  return look_up(size_class, device);
}

void KernelTimer::set_cores(WorkerId worker, int cores) {
  workers_[worker.index()].type.cores = cores;
  for (auto& row : known_) {
    if (worker.index() < row.size()) row[worker.index()].reset();
  }
}

Result<platform::KernelTime> KernelTimer::time(const graph::Task& task, WorkerId worker) {
  return time(submitted_->size_class(submitted_->classify(task)), worker);
}

std::unique_ptr<scheduler::ExecutionModel> exact_model(KernelTimer& timer, std::vector<DescribedDevice> workers,
                                                       double error, std::uint64_t seed) {
  return std::make_unique<ExactModel>(timer, std::move(workers), ModelError(error, seed));
}

std::unique_ptr<scheduler::ExecutionModel> learned_model(KernelTimer& timer,
                                                         const std::vector<DescribedDevice>& workers, double error,
                                                         std::uint64_t seed) {
  std::vector<DeviceType> types;
  for (const DescribedDevice& worker : workers) types.push_back(worker.type);
  return std::make_unique<LearnedFromDescription>(timer, std::move(types), ModelError(error, seed));
}

}  // namespace troupe::actors
