/// Predicts times from measurements.
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

/// Learns each kernel's times on each type of device. For a cluster on which the kernel was not measured, times are
/// predicted from the kernel's times on other numbers of cores. One thread at a time.
class LearnedModel final : public ExecutionModel {
 public:
  /// A prediction that has changed by less than this fraction counts as unchanged: results that depend on it are not
  /// computed again.
  static constexpr double kNoticeable = 0.01;
  /// A prediction is sure if its standard deviation is at most this fraction of the predicted time.
  static constexpr double kSure = 0.1;
  /// A prediction is also sure after `kMany` measurements of the kernel on the device: if the times still vary, further
  /// measurements do not help. A prediction is also sure after `kManyInAll` measurements of the kernel on all devices
  /// in this run: then hardly any task of the kernel runs on this device.
  static constexpr std::uint64_t kMany = KernelHistory::kMany;
  static constexpr std::uint64_t kManyInAll = 256;

  /// Continues with `history`. `workers` holds the type of each worker's device.
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
  /// The entry of the history for one size class on one type of device, and the last prediction from it.
  struct Place {
    /// The kernel's key in the history.
    const KernelKey* key = nullptr;
    KernelHistory* kernel = nullptr;
    KernelHistory::Shape* shape = nullptr;
    std::uint64_t shapes = 0;
    /// The kernel's number (`ExecutionModel::kernel`).
    std::size_t number = 0;
    /// The last prediction of `predict`; empty if it predicted nothing or was never called.
    std::optional<double> said_s;
    /// The doubt of that prediction (`ExecutionModel::doubt`).
    double doubt = 0;
    bool asked = false;
    /// The version of the kernel's law when `said_s` was predicted by it; 0 if `said_s` did not come from the law.
    std::uint64_t version = 0;
  };
  [[nodiscard]] Place& place(const graph::SizeClass& size_class, std::size_t type) const;
  [[nodiscard]] std::optional<TimeLaw::Prediction> predict_at(const Place& place) const;
  /// Returns the index of a type in `types_`; adds the type if it is new.
  std::size_t number_of(const DeviceType& type);
  /// Returns true if the prediction now differs from the last result of `predict`; false if `predict` was never called.
  [[nodiscard]] bool has_changed(const Place& place) const;

  const std::shared_ptr<ExecutionHistory> history_;
  /// All types of device, each once; `type_of_` holds, for each worker, the index of its type.
  std::vector<DeviceType> types_;
  std::vector<std::size_t> type_of_;
  /// The places by size class, then by type. Each is made on its first use.
  mutable std::vector<std::vector<Place>> places_;
  /// The number of each kernel. The key is the learned name, the bytes of an element, and whether operations are
  /// counted.
  mutable std::map<std::tuple<std::string, std::uint64_t, bool>, std::size_t> kernels_;
  /// For each kernel number, the number of tasks that were measured in this run.
  mutable std::vector<std::uint64_t> measured_;
};

}  // namespace troupe::scheduler
