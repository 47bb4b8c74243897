/// The divisions by `TaskGraph::repartition` that wait.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/data/data_record.hpp"

namespace troupe::graph {

/// The records whose division waits, once for each such call. Guarded by the submission lock.
class WaitingDivisions {
 public:
  void add(HandleId record) { records_.push_back(record); }
  /// Called when a division that waited ends.
  void remove(HandleId record) {
    const auto found = std::ranges::find(records_, record);
    if (found != records_.end()) records_.erase(found);
  }
  /// Returns true if a division of the record waits. Parts that it gets before are refused from the beginning, because
  /// tasks on them would come after the division that replaces them.
  [[nodiscard]] bool contains(HandleId record) const { return std::ranges::find(records_, record) != records_.end(); }
  /// Refuses tasks on new parts of a record as long as they are refused on the record, or divisions of it wait.
  void refuse_new(const DataRecord& record, std::span<DataRecord* const> parts) const {
    const auto waiting = std::ranges::count(records_, record.handle_id());
    for (DataRecord* part : parts) part->refusals = record.refusals + static_cast<std::uint32_t>(waiting);
  }

 private:
  std::vector<HandleId> records_;
};

}  // namespace troupe::graph
