#include "actors/scheduler/models/execution_history.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "proto/amdahl.hpp"
#include "troupe/codelet.hpp"

namespace troupe::scheduler {

std::string learned_name(const CodeletDefinition& codelet) {
  std::string name = codelet.timed_name();
  const std::size_t mark = codelet.timed_as.rfind('#');
  if (mark == std::string::npos) return name;
  const std::size_t end = name.find_first_not_of("0123456789", mark + 1);
  if (end == mark + 1 || (end != std::string::npos && name[end] != '/')) return name;
  return name.erase(mark, end == std::string::npos ? end : end - mark);
}

KernelKey kernel_of(const graph::SizeClass& size_class, const DeviceType& device) {
  const CodeletDefinition& codelet = *size_class.codelet;
  const DeviceType used(device.kind, codelet.cores_used(device), device.model);
  return {learned_name(codelet), used, size_class.element_bytes, size_class.flops > 0};
}

TaskMeasures measures_of(const graph::SizeClass& size_class) {
  TaskMeasures task;
  task.size = size_class.flops > 0 ? size_class.flops : static_cast<double>(size_class.bytes.count);
  for (const Layout& layout : size_class.data) {
    if (task.extent_count + 2 > TaskMeasures::kMostExtents) break;
    task.extents[task.extent_count++] = static_cast<double>(layout.rows);
    task.extents[task.extent_count++] = static_cast<double>(layout.cols * layout.planes);
  }
  return task;
}

KernelHistory::Shape& KernelHistory::shape(std::uint64_t shapes, const TaskMeasures& task) {
  Shape& found = shapes_[shapes];
  // The measures in a history file may be outdated: the program may have counted operations differently back then.
  static_cast<TaskMeasures&>(found) = task;
  return found;
}

void KernelHistory::add(Shape& shape, double time_s) {
  shape.times.add(time_s);
  law_.add(shape, time_s);
}

std::optional<TimeLaw::Prediction> KernelHistory::predict(const Shape& shape) const {
  if (shape.times.count() >= kEnough) return TimeLaw::Prediction{shape.times.mean_s(), 0};
  return law_.at(shape);
}

std::optional<TimeLaw::Prediction> KernelHistory::predict(std::uint64_t shapes, const TaskMeasures& task) const {
  const auto found = shapes_.find(shapes);
  return found != shapes_.end() ? predict(found->second) : law_.at(task);
}

std::uint64_t KernelHistory::used() const {
  std::uint64_t last = 0;
  for (const auto& [hash, shape] : shapes_) last = std::max(last, shape.used);
  return last;
}

void ExecutionHistory::relate(const KernelKey& key) {
  std::vector<KernelHistory*> kin;
  const KernelHistory* best = nullptr;
  for (auto found = kernels_.lower_bound({.name = key.name, .device = {DeviceKind{}, 0}});
       found != kernels_.end() && found->first.name == key.name; ++found) {
    if (found->first.element_bytes != key.element_bytes || found->first.in_flops != key.in_flops) continue;
    KernelHistory* const one = kin.emplace_back(&found->second);
    if (best == nullptr || one->law().count() > best->law().count()) best = one;
  }
  for (KernelHistory* const one : kin) {
    const std::uint64_t count = one->law().count();
    if (count > 0 && count < KernelHistory::kMany && count < best->law().count()) one->resemble(*best);
  }
}

std::optional<TimeLaw::Prediction> ExecutionHistory::predict_from_other_cores(const KernelKey& key,
                                                                              std::uint64_t shapes,
                                                                              const TaskMeasures& task) const {
  std::vector<TimeOnCores> times;
  double doubt = 0;
  for (auto found = kernels_.lower_bound({key.name, {key.device.kind, 0}, 0, false});
       found != kernels_.end() && found->first.name == key.name && found->first.device.kind == key.device.kind;
       ++found) {
    KernelKey there = key;
    there.device.cores = found->first.device.cores;
    if (there == key || there != found->first || found->second.law().count() < KernelHistory::kEnough) continue;
    const auto predicted = found->second.predict(shapes, task);
    if (!predicted || predicted->time_s <= 0) continue;
    times.push_back({there.device.cores, predicted->time_s});
    doubt = std::max(doubt, predicted->doubt);
  }
  const auto law = fit_amdahl(times);
  if (!law) return std::nullopt;
  return TimeLaw::Prediction{law->at(key.device.cores), doubt};
}

}  // namespace troupe::scheduler
