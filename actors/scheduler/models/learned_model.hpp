/// Predicts what has been measured.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "actors/scheduler/models/execution_history.hpp"
#include "actors/scheduler/models/execution_model.hpp"
#include "troupe/devices.hpp"

namespace troupe::scheduler {

/// Learns each kernel's times on each type of device; of clusters that a kernel was not measured on, from those on
/// other numbers of cores. One thread at a time.
class LearnedModel final : public ExecutionModel {
 public:
  /// Predictions that have moved by less are as they were: what follows from them is not worth computing again.
  static constexpr double kNoticeable = 0.01;
  /// A prediction is sure where it is off by a tenth, as a standard deviation;
  static constexpr double kSure = 0.1;
  /// or where so many tasks of the kernel have been measured there, or in this run on all devices: times vary for
  /// another reason then, or hardly any task runs there.
  static constexpr std::uint64_t kMany = KernelHistory::kMany;
  static constexpr std::uint64_t kManyInAll = 256;

  /// Goes on with `history`. `workers`: each one's device.
  LearnedModel(std::shared_ptr<ExecutionHistory> history, const std::vector<DeviceType>& workers);

  [[nodiscard]] std::optional<Duration> predict(const graph::SizeClass& size_class, WorkerId worker) const override;
  [[nodiscard]] std::optional<Duration> predict_on_cores(const graph::SizeClass& size_class, WorkerId worker,
                                                         int cores) const override;
  [[nodiscard]] bool is_sure(const graph::SizeClass& size_class, WorkerId worker) const override;
  [[nodiscard]] double doubt(const graph::SizeClass& size_class, WorkerId worker) const override;
  [[nodiscard]] std::uint32_t measurements_missing(const graph::SizeClass& size_class, WorkerId worker) const override;
  [[nodiscard]] std::size_t kernel(const graph::SizeClass& size_class) const override;
  Change measured(const graph::SizeClass& size_class, WorkerId worker, Duration time) override;
  void regrouped(WorkerId worker, const DeviceType& type) override;

 private:
  /// Where the history keeps a class's times on a type of device.
  struct Place {
    /// The kernel's key in the history.
    const KernelKey* key = nullptr;
    KernelHistory* kernel = nullptr;
    KernelHistory::Shape* shape = nullptr;
    std::uint64_t shapes = 0;
    /// The kernel's.
    std::size_t number = 0;
    /// The last answer of `predict`; empty if nobody asked.
    std::optional<double> said_s;
    /// The doubt of that answer.
    double doubt = 0;
    bool asked = false;
    /// The version of the law that gave the answer; 0: the answer was the mean, or nothing.
    std::uint64_t version = 0;
  };
  [[nodiscard]] Place& place(const graph::SizeClass& size_class, std::size_t type) const;
  [[nodiscard]] std::optional<TimeLaw::Prediction> predict_at(const Place& place) const;
  /// Its place among the types, where it is put if it is new.
  std::size_t number_of(const DeviceType& type);
  /// The prediction is no longer what was said; never where nobody asked.
  [[nodiscard]] bool has_changed(const Place& place) const;

  const std::shared_ptr<ExecutionHistory> history_;
  /// Each once, and by worker its place there.
  std::vector<DeviceType> types_;
  std::vector<std::size_t> type_of_;
  /// The places by class, then type. Each is made when it is asked for.
  mutable std::vector<std::vector<Place>> places_;
  /// Numbers of kernels, whatever the device: by name, bytes of an element, whether operations are counted.
  mutable std::map<std::tuple<std::string, std::uint64_t, bool>, std::size_t> kernels_;
  /// For each number of a kernel, the tasks that were measured in this run.
  mutable std::vector<std::uint64_t> measured_;
};

}  // namespace troupe::scheduler
