#include "graph/data/size_classes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/data/data_record.hpp"
#include "graph/data/working_set.hpp"
#include "proto/hash.hpp"
#include "troupe/codelet.hpp"
#include "troupe/kernel_context.hpp"

namespace troupe::graph {

namespace {

std::vector<const DataView*> views_of(const Task& task) {
  std::vector<const DataView*> views;
  for (const TaskAccess& access : task.data()) views.push_back(&access.data()->view);
  return views;
}

}  // namespace

std::uint32_t piece_count_of(const Task& task, WorkerId worker) {
  const std::vector<const DataView*> views = views_of(task);
  KernelContext context{views, task.arguments()};
  context.worker = worker;
  context.task = task.task_id();
  return task.codelet->pieces->count_of(context);
}

namespace {

/// Returns the value of the program's `function` for a task. Returns 0 if there is no function, or if the function
/// throws: its exception must not end the runtime.
template <class Value>
Value asked(const std::function<Value(const KernelContext&)>& function, const Task& task) noexcept {
  if (!function) return 0;
  try {
    const std::vector<const DataView*> views = views_of(task);
    return function({views, task.arguments()});
  } catch (...) {
    return 0;
  }
}

}  // namespace

double flops_of(const Task& task) noexcept { return asked(task.codelet->flops, task); }

bool SizeClass::runs_on(DeviceKind kind) const {
  if ((kind_set(kind) & data_kinds) == 0 && (codelet->kinds() & data_kinds) != 0) return false;
  return codelet->runs_on(kind);
}

bool SizeClass::runs_on(DeviceKind kind, WorkerId worker) const { return codelet->allows(worker) && runs_on(kind); }

namespace {

std::uint64_t mix_shape(std::uint64_t hash, const Task& task, const TaskAccess& access, std::uint64_t rows) {
  const Layout& layout = access.data()->view.layout;
  hash = mix(hash, rows);
  hash = mix(hash, static_cast<std::uint64_t>(layout.cols));
  hash = mix(hash, layout.element_size);
  // For data of one plane, the hash does not depend on the planes, so that learned times from before volumes existed
  // are still found.
  constexpr std::uint64_t kHasPlanes = 5;  // The other numbers behind the size are 1, 2, 3 and 4.
  if (layout.planes != 1) hash = mix(mix(hash, kHasPlanes), static_cast<std::uint64_t>(layout.planes));
  if (access.data()->is_halo) {
    hash = mix(hash, 3);
    // Two tasks whose halo parts have one shape may write different data, so that one runs on cores only.
    if (kinds_for_data(task) == kOnCores) hash = mix(hash, 4);
  }
  if (!access.data()->is_halo && !access.data()->children.empty()) hash = mix(hash, 1);
  return access.mode() == AccessMode::reduce ? mix(hash, 2) : hash;
}

/// Rounds the logarithm of a number of rows to steps of one half. The block columns of one matrix have different
/// heights; rounding puts them into a few classes.
std::uint64_t rough(std::int64_t rows) {
  return rows <= 0 ? 0 : 1 + static_cast<std::uint64_t>(std::lround(2 * std::log2(static_cast<double>(rows))));
}

/// Rounds a number of operations: each step is 5 % more than the step before.
std::uint64_t rough_operations(double flops) {
  if (!(flops >= 1) || !std::isfinite(flops)) return 0;
  static const double step = std::log(1.05);
  return 1 + static_cast<std::uint64_t>(std::lround(std::log(flops) / step));
}

/// Returns a number that distinguishes tasks whose data have equal shapes; 0 if all such tasks are alike. If the
/// codelet is timed by a machine description, this is the number of operations, which may depend on arguments: a
/// description has a time for each number.
std::uint64_t operations_of(const Task& task) {
  const CodeletDefinition& codelet = *task.codelet;
  const bool described = !codelet.timed_as.empty() && (!codelet.typed || !codelet.argument_types.empty());
  if (described) return std::bit_cast<std::uint64_t>(flops_of(task));
  return codelet.pieces != nullptr ? rough_operations(flops_of(task)) : 0;
}

/// Returns the hash of shapes for a codelet with groups of handles. Of a group with any number of handles, only the
/// shape of the first and the rounded total of the rows count.
std::uint64_t shapes_of_groups(const Task& task) {
  const std::vector<HandleGroup>& groups = task.codelet->groups;
  GroupWalk walk(groups);
  std::vector<std::int64_t> rows(groups.size());
  std::vector<const TaskAccess*> first(groups.size());
  bool divided = false;
  bool halo = false;
  for (const TaskAccess& access : task.data()) {
    const Layout& layout = access.data()->view.layout;
    if (walk.next(layout.element_tag) == nullptr) break;  // a task that does not fit is never submitted
    rows[walk.index()] += layout.rows;
    divided = divided || (!access.data()->is_halo && !access.data()->children.empty());
    halo = halo || access.data()->is_halo;
    if (first[walk.index()] == nullptr) first[walk.index()] = &access;
  }
  std::uint64_t shapes = (divided ? 1U : 0U) + (halo ? 2U : 0U);
  if (halo && kinds_for_data(task) == kOnCores) shapes += 4U;
  for (std::size_t i = 0; i < groups.size() && first[i] != nullptr; ++i) {
    shapes =
        mix_shape(shapes, task, *first[i], groups[i].repeated ? rough(rows[i]) : static_cast<std::uint64_t>(rows[i]));
  }
  return shapes;
}

std::uint64_t shapes_of(const Task& task) {
  if (!task.codelet->groups.empty()) return shapes_of_groups(task);
  std::uint64_t shapes = task.access_count;
  for (const TaskAccess& access : task.data()) {
    shapes = mix_shape(shapes, task, access, static_cast<std::uint64_t>(access.data()->view.layout.rows));
  }
  return shapes;
}

}  // namespace

SizeClassId SizeClasses::classify(const Task& task) {
  std::uint64_t shapes = shapes_of(task);
  if (const std::uint64_t operations = operations_of(task); operations != 0) shapes = mix(shapes, operations);
  if (task.codelet->footprint) shapes = mix(shapes, asked(task.codelet->footprint, task));
  const auto [found, is_new] = ids_.try_emplace({task.codelet, shapes});
  if (is_new) found->second = add(task, shapes);
  return found->second;
}

SizeClassId SizeClasses::add(const Task& task, std::uint64_t shapes) {
  SizeClass made;
  made.id = SizeClassId(static_cast<std::uint32_t>(classes_.size()));
  made.codelet = task.codelet;
  made.flops = flops_of(task);
  made.data_kinds = kinds_for_data(task);
  made.reduces = reduces(task);
  made.shapes = shapes;
  for (const TaskAccess& access : task.data()) {
    const Layout& layout = access.data()->view.layout;
    made.data.push_back(layout);
    made.bytes += layout.payload();
    made.element_bytes = std::max<std::uint64_t>(made.element_bytes, layout.element_size);
  }
  classes_.push_back(std::move(made));
  return classes_.back().id;
}

}  // namespace troupe::graph
