/// The functions of the backend for parts of data.
#include <algorithm>
#include <utility>

#include "client/remote/remote_backend.hpp"
#include "graph/data/blocks.hpp"
#include "graph/recording/rebinding.hpp"
#include "graph/submission_checks.hpp"

namespace troupe::remote {

namespace {

void fill(v1::Block& out, const Block& block) {
  out.set_row(block.row);
  out.set_col(block.col);
  out.set_rows(block.rows);
  out.set_cols(block.cols);
  out.set_plane(block.plane);
  if (block.planes != 1) out.set_planes(block.planes);
  if (block.col_step != 1) out.set_col_step(block.col_step);
  if (block.plane_step != 1) out.set_plane_step(block.plane_step);
}

void fill(v1::Partition& out, const Handle& whole, std::span<graph::DataRecord* const> blocks) {
  out.set_whole(whole.id().value());
  for (const graph::DataRecord* block : blocks) {
    fill(*out.add_blocks(), block->place);
    out.add_handles(block->handle_id().value());
    out.set_halos(block->is_halo);
  }
}

/// Refuses these records and all records below them; returns their handles.
std::vector<Handle> refuse(std::span<graph::DataRecord* const> records) {
  std::vector<Handle> refused;
  for (graph::DataRecord* record : records) {
    record->visit_family([&refused](graph::DataRecord& one) {
      one.refuse(true);
      refused.emplace_back(&one, one.handle_id());
    });
  }
  return refused;
}

std::size_t size_of(std::size_t blocks) { return 32 + 20 * blocks; }

}  // namespace

bool RemoteBackend::is_being_recorded(const graph::DataRecord& record) const {
  for (const OpenRecording* open : open_recordings_) {
    for (const graph::Recording::Use& use : open->recording->uses()) {
      if (overlap(record, *use.recorded)) return true;
    }
  }
  return false;
}

Result<std::vector<Handle>> RemoteBackend::partition(const Handle& whole, std::span<const Block> blocks) {
  const auto add = [&](graph::DataRecord& record) -> Result<std::vector<graph::DataRecord*>> {
    if (is_being_recorded(record)) return graph::partitioned_while_recorded(record);
    if (auto ends = check_may_use(record.whole(), AccessMode::read_write); !ends) return ends.failure();
    return registry_.add_parts(record, blocks);
  };
  return add_blocks(whole, blocks.size(), add);
}

Result<std::vector<Handle>> RemoteBackend::halos(const Handle& whole, std::span<const Block> blocks, const Rim& rim) {
  if (blocks.empty()) return std::vector<Handle>();
  return add_blocks(whole, blocks.size(),
                    [&](graph::DataRecord& record) { return registry_.add_halos(record, blocks, rim); });
}

Result<std::vector<Handle>> RemoteBackend::add_blocks(const Handle& whole, std::size_t count, const AddBlocks& add) {
  if (auto allowed = check_wait(); !allowed) return allowed.failure();
  auto lock = session_->sender().lock();
  const auto record = registry_.find(whole);
  if (!record) return record.failure();
  if (auto room = check_handles(count); !room) return room.failure();
  const auto added = add(*record.value());
  if (!added) return added.failure();
  const std::vector<Handle> handles = graph::handles_of(added.value());
  const auto fill_in = [&](v1::Operation& operation, std::uint64_t request) {
    operation.mutable_partition()->set_request(request);
    fill(*operation.mutable_partition(), whole, added.value());
  };
  const auto answer = session_->call_interruptibly(std::move(lock), fill_in, size_of(count)).answer;
  if (!answer) {
    lock = session_->sender().lock();
    forget(handles);
    return answer.failure();
  }
  return handles;
}

void RemoteBackend::forget(std::span<const Handle> handles) {
  // The calls go backwards, because `DataRegistry::remove` searches the list of former parts from its end.
  for (auto handle = handles.rbegin(); handle != handles.rend(); ++handle) forget(*handle);
}

Result<std::vector<Handle>> RemoteBackend::repartition(const Handle& whole, std::span<const Block> blocks) {
  if (auto here = home_.check(); !here) return here.failure();
  if (recording_here() != nullptr) return graph::waits_in_recording();
  auto lock = session_->sender().lock();
  const auto found = registry_.find(whole);
  if (!found) return found.failure();
  graph::DataRecord& record = *found.value();
  if (auto room = check_handles(blocks.size()); !room) return room.failure();
  if (is_being_recorded(record)) return graph::partitioned_while_recorded(record);
  if (auto fit = graph::DataRegistry::check_parts(record, blocks, {}); !fit) return fit.failure();
  Result<void> may_wait = check_outside_callback();
  if (may_wait) may_wait = check_may_use(record.whole(), AccessMode::read_write);
  const bool unwritten = record.content.unwritten;
  const graph::DataRegistry::NewParts parts = registry_.replace_parts(record, blocks);
  const std::vector<Handle> added = graph::handles_of(parts.added);
  const std::vector<Handle> former = graph::handles_of(parts.former);
  const std::vector<Handle> refused = refuse(parts.former);
  const auto fill_in = [&](v1::Operation& operation, std::uint64_t request) {
    v1::Partition& out = *operation.mutable_partition();
    out.set_request(request);
    out.set_anew(true);
    out.set_at_once(!may_wait);
    fill(out, whole, parts.added);
  };
  const auto answer = session_->call_interruptibly(std::move(lock), fill_in, size_of(blocks.size())).answer;
  lock = session_->sender().lock();
  if (answer) {
    follow_former(parts, added);
    forget(former);
    return added;
  }
  forget(added);
  restore(whole, former, refused);
  if (graph::DataRegistry::exists(whole)) registry_.set_unwritten(*whole.record(), unwritten);
  return !may_wait && answer.failure().code == ErrorCode::wait_in_kernel ? may_wait.failure() : answer.failure();
}

void RemoteBackend::restore(const Handle& whole, std::span<const Handle> former, std::span<const Handle> refused) {
  std::vector<graph::DataRecord*> parts;
  for (const Handle& part : former) {
    if (graph::DataRegistry::exists(part)) parts.push_back(part.record());
  }
  const bool there = graph::DataRegistry::exists(whole);
  if (!there || !registry_.restore_parts(*whole.record(), parts)) return forget(former);
  // Another thread may be releasing the whole.
  if (whole.record()->releasing()) return;
  for (const Handle& part : refused) {
    if (graph::DataRegistry::exists(part)) part.record()->refuse(false);
  }
}

}  // namespace troupe::remote
