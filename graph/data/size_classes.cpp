#include "graph/data/size_classes.hpp"

#include <algorithm>

#include "graph/codelets/codelet.hpp"
#include "graph/codelets/kernel_context.hpp"
#include "graph/data/data_record.hpp"
#include "graph/data/working_set.hpp"

namespace troupe::graph {

namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ULL + (hash << 6U) + (hash >> 2U);
  return hash * 0xff51afd7ed558ccdULL;
}

}  // namespace

double flops_of(const Task& task) noexcept {
  if (!task.codelet->flops) return 0;
  try {
    std::vector<const DataView*> views;
    for (const TaskAccess& access : task.data()) views.push_back(&access.data()->view);
    return task.codelet->flops({views, task.argument_bytes.data(), task.argument_offsets.data()});
  } catch (...) {
    // The program's function: what it throws must not end the runtime.
    return 0;
  }
}

bool SizeClass::runs_on(DeviceKind kind) const {
  if (has_own_memory(kind) && whole_of_parts && (codelet->kinds() & kOnHostMemory) != 0) return false;
  return codelet->runs_on(kind);
}

SizeClassId SizeClasses::classify(const Task& task) {
  std::uint64_t shapes = task.access_count;
  for (const TaskAccess& access : task.data()) {
    const Layout& layout = access.data()->view.layout;
    shapes = mix(shapes, static_cast<std::uint64_t>(layout.rows));
    shapes = mix(shapes, static_cast<std::uint64_t>(layout.cols));
    shapes = mix(shapes, layout.element_size);
    if (!access.data()->children.empty()) shapes = mix(shapes, 1);
    if (access.mode() == AccessMode::reduce) shapes = mix(shapes, 2);
  }
  const auto [found, is_new] = ids_.try_emplace({task.codelet, shapes});
  if (is_new) found->second = add(task, shapes);
  return found->second;
}

SizeClassId SizeClasses::add(const Task& task, std::uint64_t shapes) {
  SizeClass made;
  made.id = SizeClassId(static_cast<std::uint32_t>(classes_.size()));
  made.codelet = task.codelet;
  made.flops = flops_of(task);
  made.whole_of_parts = find_whole_of_parts(task) != nullptr;
  made.reduces = reduces(task);
  made.shapes = shapes;
  for (const TaskAccess& access : task.data()) {
    const Layout& layout = access.data()->view.layout;
    made.bytes += layout.payload();
    made.element_bytes = std::max<std::uint64_t>(made.element_bytes, layout.element_size);
  }
  classes_.push_back(made);
  return made.id;
}

}  // namespace troupe::graph
