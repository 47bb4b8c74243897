#include "graph/data/usable.hpp"

namespace troupe::graph {

bool needs_content(const DataRecord& record, AccessMode mode) {
  const bool divided = record.parent != nullptr || !record.children.empty();
  return reads(mode) && (mode != AccessMode::reduce || divided);
}

std::string never_written(const DataRecord& unwritten) {
  return describe(unwritten) + " has no valid content: the " +
         (unwritten.content.discarded ? "program has discarded it" : "runtime allocated it") +
         ", and nothing has written it since; submit a task that writes it before, or acquire it in mode write";
}

std::string registered_as_const(const DataRecord& record) {
  return describe(record) + " was registered as const: register memory that may be written, or use mode read";
}

Result<void> check_halo(const DataRecord& record, AccessMode mode) {
  if (!record.is_halo || !writes(mode)) return {};
  return Failure{ErrorCode::invalid_argument, describe(record) +
                                                  " is a halo part, which may only be read, and is used in mode " +
                                                  to_string(mode) + ": write the part of the data that it surrounds"};
}

Result<void> check_writable(const DataRecord& record, AccessMode mode) {
  if (auto allowed = check_halo(record, mode); !allowed) return allowed;
  if (writes(mode) && record.content.read_only)
    return Failure{ErrorCode::invalid_argument, registered_as_const(record)};
  return {};
}

Result<void> check_usable(const DataRecord& record, AccessMode mode) {
  if (auto allowed = check_writable(record, mode); !allowed) return allowed;
  if (!needs_content(record, mode)) return {};
  const DataRecord* const unwritten = DataRegistry::find_unwritten(record);
  if (unwritten == nullptr) return {};
  return Failure{ErrorCode::invalid_argument, never_written(*unwritten)};
}

Failure discards_const(const DataRecord& record) {
  return {ErrorCode::invalid_argument, describe(record) +
                                           " was registered as const, so its content cannot be discarded: no task "
                                           "could ever write it again"};
}

Failure discards_declared(const DataRecord& record) {
  return {ErrorCode::invalid_argument,
          describe(record) +
              " can be discarded where it was registered only: by the program, or in the kernel of the "
              "nested task that registered it"};
}

Failure discards_in_recording(const DataRecord& record) {
  return {ErrorCode::invalid_argument, describe(record) +
                                           " was discarded inside of a recording, which records tasks only: discard "
                                           "the content when RecordedGraph::run has returned"};
}

bool reduces_without_content(const DataRecord& record, AccessMode mode) {
  if (mode != AccessMode::reduce || record.reduction == nullptr || needs_content(record, mode)) return false;
  return record.content.unwritten;
}

void note_written(DataRegistry& registry, DataRecord& record, AccessMode mode) {
  if (!writes(mode)) return;
  if (reduces_without_content(record, mode)) record.reduction->open_without_content();
  registry.note_written(record);
}

}  // namespace troupe::graph
