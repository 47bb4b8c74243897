/// How long tasks have taken.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "actors/scheduler/models/power_law.hpp"
#include "actors/scheduler/models/time_statistics.hpp"
#include "graph/data/size_classes.hpp"
#include "proto/device_kinds.hpp"

namespace troupe::scheduler {

/// The tasks whose times depend on their size alone: of one codelet, on one type of device, with elements of one size.
struct KernelKey {
  /// What the codelet is timed as, else its name: codelets of one name count as one.
  std::string name;
  /// Its cores are those that the codelet uses (`CodeletDefinition::cores_used`): a task that runs on one core of a
  /// cluster counts among those of single cores.
  DeviceType device;
  /// Bytes of the largest element: single and double precision are not to be mixed.
  std::uint64_t element_bytes = 0;
  /// Sizes are floating-point operations; else bytes, as the codelet does not count operations.
  bool in_flops = false;

  friend auto operator<=>(const KernelKey&, const KernelKey&) = default;
};

[[nodiscard]] KernelKey kernel_of(const graph::SizeClass& size_class, const DeviceType& device);
/// Operations or bytes.
[[nodiscard]] double size_of(const graph::SizeClass& size_class);

/// One kernel's times by shape (`graph::SizeClass::shapes`): data of other shapes are told apart even where they need
/// as many operations. Plain data; one thread at a time.
class KernelHistory {
 public:
  /// A mean of fewer times than this predicts nothing.
  static constexpr std::uint64_t kEnough = 3;

  struct Shape {
    double size = 0;
    TimeStatistics times;
  };

  /// Made if need be. The reference stays valid.
  [[nodiscard]] Shape& shape(std::uint64_t shapes, double size);
  /// `shape` is one of this kernel's.
  void add(Shape& shape, double time_s);
  /// The mean where it was measured often enough; else what a power law through the shapes that were says, if there is
  /// one between whose sizes it lies; else nothing. In seconds.
  [[nodiscard]] std::optional<double> predict(const Shape& shape) const;
  /// The same for data of these shapes, measured or not.
  [[nodiscard]] std::optional<double> predict(std::uint64_t shapes, double size) const;
  [[nodiscard]] const std::map<std::uint64_t, Shape>& shapes() const { return shapes_; }
  /// Through the shapes that were measured often enough; nothing where they follow none.
  [[nodiscard]] const std::optional<PowerLaw>& law() const;

 private:
  std::map<std::uint64_t, Shape> shapes_;
  // What `law` has found, until a time is added.
  mutable std::optional<PowerLaw> law_;
  mutable bool law_is_known_ = false;
};

/// Of all kernels. Plain data; one thread at a time.
class ExecutionHistory {
 public:
  /// Made if need be. The reference stays valid.
  [[nodiscard]] KernelHistory& kernel(const KernelKey& key) { return kernels_[key]; }
  [[nodiscard]] const std::map<KernelKey, KernelHistory>& kernels() const { return kernels_; }
  /// What the same kernel's times on other numbers of cores say: Amdahl's law as it fits what is predicted there
  /// (`fit_amdahl`). Nothing where that is for fewer than two numbers. In seconds.
  [[nodiscard]] std::optional<double> predict_from_other_cores(const KernelKey& key, std::uint64_t shapes,
                                                               double size) const;

 private:
  std::map<KernelKey, KernelHistory> kernels_;
};

}  // namespace troupe::scheduler
