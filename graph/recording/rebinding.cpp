#include "graph/recording/rebinding.hpp"

#include <algorithm>
#include <unordered_set>

#include "graph/codelets/type_names.hpp"
#include "graph/data/usable.hpp"

namespace troupe::graph {

namespace {

/// Returns a text such as "3 x 4 of double, with gaps between the columns".
std::string look_of(const Layout& layout) {
  return shape_text(layout) + " of " + type_name(layout.element_tag, layout.element_size) +
         (layout.contiguous() ? "" : ", with gaps between the columns");
}

/// Returns true if the record is a halo part, or if the recording uses a halo part of the same data.
bool overlaps_halo(const Recording& recording, const DataRecord& record) {
  return std::ranges::any_of(recording.uses(), [&record](const Recording::Use& use) {
    return use.recorded->is_halo && &use.recorded->whole() == &record.whole();
  });
}

}  // namespace

Result<std::vector<DataRecord*>> rebind(const Recording& recording, const DataRegistry& registry,
                                        std::span<const Rebinding> rebindings) {
  std::vector<DataRecord*> data;
  for (const Recording::Use& use : recording.uses()) {
    // Even recorded data that are exchanged are looked up, because their layout is compared, and their record may
    // belong to another handle by now.
    const auto recorded = registry.find(Handle(use.recorded, use.id));
    if (!recorded) return recorded.failure();
    data.push_back(recorded.value());
  }
  std::vector<bool> exchanged(data.size());
  for (const Rebinding& rebinding : rebindings) {
    const std::size_t number = recording.use_of(rebinding.recorded);
    if (number == data.size()) {
      return Failure{ErrorCode::invalid_argument,
                     "handle " + std::to_string(rebinding.recorded.id().value()) +
                         " is to be exchanged, but no task of the recording uses it (or only through its parts)"};
    }
    const Recording::Use& use = recording.uses()[number];
    const auto now = registry.find(rebinding.now);
    if (!now) return now.failure();
    const Layout& old_layout = use.recorded->view.layout;
    const Layout& layout = now.value()->view.layout;
    const std::string which = describe(*use.recorded) + " cannot be exchanged for " + describe(*now.value()) + ": ";
    if (layout.rows != old_layout.rows || layout.cols != old_layout.cols || layout.planes != old_layout.planes ||
        layout.element_tag != old_layout.element_tag || (old_layout.contiguous() && !layout.contiguous())) {
      return Failure{ErrorCode::invalid_argument,
                     which + "it was " + look_of(old_layout) + " and is " + look_of(layout)};
    }
    if (use.inside_another || use.contains_another) {
      return Failure{
          ErrorCode::invalid_argument,
          which + "the recording uses " + (use.inside_another ? "data that contain it" : "parts of it") + ", too"};
    }
    if (overlaps_halo(recording, *use.recorded) || overlaps_halo(recording, *now.value()) || now.value()->is_halo) {
      return Failure{ErrorCode::invalid_argument,
                     which + "halo parts, and data that the recording uses halo parts of, stay as they were recorded"};
    }
    if (use.in_nested) {
      return Failure{ErrorCode::invalid_argument, which +
                                                      "a nested task of the recording declares it, and what the kernel "
                                                      "of that task submits names its data itself"};
    }
    if (use.reduces) return Failure{ErrorCode::invalid_argument, which + "the recording reduces into it"};
    if (exchanged[number]) return Failure{ErrorCode::invalid_argument, which + "it is to be exchanged twice"};
    exchanged[number] = true;
    data[number] = now.value();
  }
  return data;
}

Result<void> check_uses(const Recording& recording, std::span<DataRecord* const> data, std::uint64_t id) {
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Recording::Use& use = recording.uses()[i];
    if (use.inside_another || data[i]->mark(id, use.mode)) continue;
    return Failure{ErrorCode::conflicting_access, describe(*data[i]) +
                                                      " is the same data as, or part of, other data of the recorded "
                                                      "graph '" +
                                                      recording.name() + "', and not both only read"};
  }
  return {};
}

Result<void> check_usable(const Recording& recording, std::span<DataRecord* const> data) {
  // The data that the accesses before the current access of the loop write.
  std::unordered_set<const DataRecord*> written;
  for (const Recording::Access& access : recording.first_accesses()) {
    const DataRecord& record = *data[access.use];
    const DataRecord* missing = nullptr;
    record.visit_tree([&](const DataRecord& part) {
      if (missing == nullptr && part.content.unwritten && !part.covered && !written.contains(&part)) missing = &part;
    });
    std::string why;
    if (missing != nullptr && needs_content(record, access.mode)) why = never_written(*missing);
    if (record.content.read_only && writes(access.mode)) why = registered_as_const(record);
    if (!why.empty()) {
      return Failure{ErrorCode::invalid_argument, "a run of the recorded graph '" + recording.name() + "' uses " +
                                                      describe(record) + " in mode " + to_string(access.mode) +
                                                      ", but " + why};
    }
    if (writes(access.mode)) record.visit_tree([&](const DataRecord& part) { written.insert(&part); });
  }
  return {};
}

void note_written(DataRegistry& registry, const Recording& recording, std::span<DataRecord* const> data) {
  for (const Recording::Access& access : recording.first_accesses()) {
    if (writes(access.mode)) registry.note_written(*data[access.use]);
  }
}

std::vector<DataRecord*> find_without_content(const Recording& recording, std::span<DataRecord* const> data) {
  std::vector<DataRecord*> found;
  // If the run writes data before it reduces them, their reduction is not among the first accesses.
  for (const Recording::Access& access : recording.first_accesses()) {
    if (reduces_without_content(*data[access.use], access.mode)) found.push_back(data[access.use]);
  }
  return found;
}

std::vector<RecordingRun::Unwritten> find_unwritten(const Recording& recording, std::span<DataRecord* const> data) {
  std::vector<RecordingRun::Unwritten> found;
  std::unordered_set<const DataRecord*> written;
  for (const Recording::Access& access : recording.first_accesses()) {
    if (!writes(access.mode)) continue;
    data[access.use]->visit_tree([&](DataRecord& part) {
      const bool lacks_content = part.content.unwritten && !part.covered && written.insert(&part).second;
      const bool by_children = access.weak_in != nullptr && access.mode == AccessMode::write;
      if (lacks_content && by_children) found.push_back({access.weak_in, Handle(&part, part.handle_id())});
    });
  }
  return found;
}

Failure runs_in_recording() { return {ErrorCode::invalid_argument, "a recorded graph was run inside of a recording"}; }

Failure runs_in_nested(const Recording& recording) {
  return {ErrorCode::invalid_argument, "the recorded graph '" + recording.name() +
                                           "' was run in the kernel of a nested task: run it from the program, or "
                                           "submit its tasks as children"};
}

Failure takes_no_runs(const Recording& recording) {
  return {ErrorCode::stopped, "recorded graph '" + recording.name() + "': the runtime is stopping and takes no tasks"};
}

Failure records_in_recording() {
  return {ErrorCode::invalid_argument, "a recording inside of another: end the first one before"};
}

Failure partitioned_while_recorded(const DataRecord& record) {
  return {ErrorCode::invalid_argument,
          describe(record) + " was partitioned while a graph with tasks on it is recorded: do it before or after"};
}

Failure records_in_kernel() {
  return {ErrorCode::wait_in_kernel, "a kernel or callback began a recording of its own runtime"};
}

}  // namespace troupe::graph
