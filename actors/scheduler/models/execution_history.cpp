#include "actors/scheduler/models/execution_history.hpp"

#include <vector>

#include "graph/codelets/codelet.hpp"
#include "proto/amdahl.hpp"

namespace troupe::scheduler {

KernelKey kernel_of(const graph::SizeClass& size_class, const DeviceType& device) {
  const CodeletDefinition& codelet = *size_class.codelet;
  const DeviceType used(device.kind, codelet.cores_used(device), device.model);
  return {codelet.timed_name(), used, size_class.element_bytes, size_class.flops > 0};
}

double size_of(const graph::SizeClass& size_class) {
  return size_class.flops > 0 ? size_class.flops : static_cast<double>(size_class.bytes.count);
}

KernelHistory::Shape& KernelHistory::shape(std::uint64_t shapes, double size) {
  Shape& found = shapes_[shapes];
  // The program may count operations otherwise than when this was written down.
  if (found.size != size) law_is_known_ = false;
  found.size = size;
  return found;
}

void KernelHistory::add(Shape& shape, double time_s) {
  shape.times.add(time_s);
  law_is_known_ = false;
}

const std::optional<PowerLaw>& KernelHistory::law() const {
  if (law_is_known_) return law_;
  std::vector<SizedTime> measured;
  for (const auto& [shapes, shape] : shapes_) {
    // What takes no time (the runtime's own, in virtual time) or has no data follows no power law.
    if (shape.times.count() < kEnough || shape.size <= 0 || shape.times.mean_s() <= 0) continue;
    measured.push_back({shape.size, shape.times.mean_s(), shape.times.weight()});
  }
  law_ = fit_power_law(measured);
  law_is_known_ = true;
  return law_;
}

std::optional<double> KernelHistory::predict(const Shape& shape) const {
  if (shape.times.count() >= kEnough) return shape.times.mean_s();
  return law() ? law()->at(shape.size) : std::nullopt;
}

std::optional<double> KernelHistory::predict(std::uint64_t shapes, double size) const {
  const auto found = shapes_.find(shapes);
  if (found != shapes_.end()) return predict(found->second);
  return law() ? law()->at(size) : std::nullopt;
}

std::optional<double> ExecutionHistory::predict_from_other_cores(const KernelKey& key, std::uint64_t shapes,
                                                                 double size) const {
  std::vector<TimeOnCores> times;
  for (auto found = kernels_.lower_bound({key.name, {key.device.kind, 0}, 0, false});
       found != kernels_.end() && found->first.name == key.name && found->first.device.kind == key.device.kind;
       ++found) {
    KernelKey there = key;
    there.device.cores = found->first.device.cores;
    if (there == key || there != found->first) continue;
    const auto time_s = found->second.predict(shapes, size);
    if (time_s && *time_s > 0) times.push_back({there.device.cores, *time_s});
  }
  const auto law = fit_amdahl(times);
  return law ? std::optional(law->at(key.device.cores)) : std::nullopt;
}

}  // namespace troupe::scheduler
