#include "actors/scheduler/models/execution_history.hpp"

#include <vector>

#include "graph/codelets/codelet.hpp"

namespace troupe::scheduler {

KernelKey kernel_of(const graph::SizeClass& size_class, const DeviceType& device) {
  const CodeletDefinition& codelet = *size_class.codelet;
  return {codelet.timed_name(), device, size_class.element_bytes, size_class.flops > 0};
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

}  // namespace troupe::scheduler
