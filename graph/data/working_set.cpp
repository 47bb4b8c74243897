#include "graph/data/working_set.hpp"

#include <algorithm>

#include "graph/data/halo_overlaps.hpp"

namespace troupe::graph {

namespace {

/// The kinds of device with memory of their own.
constexpr KindSet kWithOwnMemory = kinds_where([](const DeviceTraits& row) { return row.own_memory; });

/// Returns true if the task writes data that the halo part overlaps.
bool writes_in(const Task& task, const DataRecord& halo) {
  return std::ranges::any_of(task.data(), [&halo](const TaskAccess& access) {
    const auto lies_inside = [&access](const DataRecord* data) { return access.data()->contains(*data); };
    return writes(access.mode()) && !access.data()->is_halo && std::ranges::any_of(halo.children, lies_inside);
  });
}

}  // namespace

void append_halo(const DataRecord& halo, std::vector<memory::Use>& uses) {
  const HandleId id = halo.handle_id();
  uses.push_back({id, AccessMode::read, halo.view.layout.payload(), false, id, {}});
  for (const HaloOverlap& overlap : overlaps_of(halo)) {
    const DataRecord& data = *overlap.data;
    uses.push_back({data.handle_id(), AccessMode::read, data.view.layout.payload(), false, id, overlap.bytes()});
  }
}

const DataRecord* find_bound_to_host(const Task& task) {
  const DataRecord* found = nullptr;
  for (const TaskAccess& access : task.data()) {
    const DataRecord* const data = access.data();
    if (data->is_halo) {
      if (lies_between_parts(*data) || writes_in(task, *data)) return data;
    } else if (found == nullptr && !data->children.empty()) {
      found = data;
    }
  }
  return found;
}

KindSet kinds_for_halo(const DataRecord& halo, bool writes_in_it) {
  return writes_in_it || lies_between_parts(halo) ? kOnCores : static_cast<KindSet>(kOnCores | kWithOwnMemory);
}

KindSet kinds_for_data(const Task& task) {
  KindSet kinds = kEveryKind;
  for (const TaskAccess& access : task.data()) {
    const DataRecord* const data = access.data();
    if (data->is_halo) {
      kinds &= kinds_for_halo(*data, writes_in(task, *data));
    } else if (!data->children.empty()) {
      kinds &= kOnHostMemory;
    }
  }
  return kinds;
}

}  // namespace troupe::graph
