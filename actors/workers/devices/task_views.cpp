#include "actors/workers/devices/task_views.hpp"

namespace troupe::workers {

platform::HostBlock host_block_of(const DataView& view) {
  const Layout& layout = view.layout;
  const auto bytes = [&](std::int64_t elements) { return static_cast<std::size_t>(elements) * layout.element_size; };
  if (layout.contiguous()) return {view.data, layout.payload().count, 1, layout.payload().count};
  return {view.data,
          bytes(layout.rows),
          static_cast<std::size_t>(layout.cols),
          bytes(layout.ld),
          static_cast<std::size_t>(layout.planes),
          bytes(layout.plane_stride)};
}

void TaskViews::use_others(std::span<const graph::TaskAccess> data) {
  made_.clear();
  if (copies_) use_replicas(data);
  use_partials(data);
}

void TaskViews::use_replicas(std::span<const graph::TaskAccess> data) {
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data[i].mode() != AccessMode::reduce) views_[i] = &made_.emplace_back(find_replica_(*data[i].data()));
  }
}

void TaskViews::use_partials(std::span<const graph::TaskAccess> data) {
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data[i].mode() != AccessMode::reduce) continue;
    graph::DataRecord& record = *data[i].data();
    views_[i] = &made_.emplace_back(record.reduction->partial(worker_.index(), record.view.layout));
  }
}

void TaskViews::move_to(std::size_t index, std::byte* address) {
  views_[index] = &made_.emplace_back(DataView{address, views_[index]->layout});
}

}  // namespace troupe::workers
