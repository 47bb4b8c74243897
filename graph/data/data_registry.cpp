#include "graph/data/data_registry.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/type_names.hpp"
#include "graph/data/blocks.hpp"
#include "graph/data/domain.hpp"
#include "graph/data/part_index.hpp"
#include "troupe/codelet.hpp"

namespace troupe::graph {

namespace {

Failure outside(const DataRecord& parent, const Block& b) {
  const Layout& whole = parent.view.layout;
  const std::string which = "a part of " + size_text(b, whole) + " at " + place_text(b, whole);
  if (b.col_step < 1 || b.plane_step < 1) {
    return {ErrorCode::invalid_argument, which + " of " + describe(parent) + " has steps of " +
                                             std::to_string(b.col_step) + " columns and " +
                                             std::to_string(b.plane_step) + " planes: a step is at least 1"};
  }
  std::string steps;
  if (has_steps(b)) {
    steps = ", in steps of " + std::to_string(b.col_step) + " columns and " + std::to_string(b.plane_step) + " planes,";
  }
  return {ErrorCode::overlapping_handles,
          which + steps + " does not lie inside " + describe(parent) + ", which is " + shape_text(whole)};
}

Failure part_of_halo(const DataRecord& halo) {
  return {ErrorCode::invalid_argument,
          describe(halo) + " is a halo part, which has no parts of its own: divide the data that it lies in"};
}

Failure steps_in_halo(const DataRecord& parent, const Block& b) {
  return {ErrorCode::invalid_argument, "the block at " + place_text(b, parent.view.layout) + " of " + describe(parent) +
                                           " has steps between its columns or planes: a halo part has no gaps inside"};
}

/// Returns a block that does not lie inside the parent, or null.
const Block* find_outside(const DataRecord& parent, std::span<const Block> blocks) {
  const auto lies_outside = [&parent](const Block& b) { return !lies_inside(b, parent.view.layout); };
  const auto found = std::ranges::find_if(blocks, lies_outside);
  return found != blocks.end() ? &*found : nullptr;
}

std::int64_t add_overlapped(DataRecord& record, const Block& block, std::vector<DataRecord*>& found);

/// Adds to `found` the records of the part's tree that have data of their own in `block`, a block of the part's whole.
/// Returns the number of elements that the block and the part have in common.
std::int64_t add_overlapped_in(DataRecord& part, const Block& block, std::vector<DataRecord*>& found) {
  if (!may_meet(block, part.place)) return 0;
  const Block common = intersection(block, part.place);
  if (elements_of(common) > 0) add_overlapped(part, in_part(common, part.place), found);
  return elements_of(common);
}

/// Adds to `found` the records of the tree below `record`, including `record`, that have data of their own in `block`.
/// The block lies inside `record`. Returns the number of its elements that lie in no part.
std::int64_t add_overlapped(DataRecord& record, const Block& block, std::vector<DataRecord*>& found) {
  std::int64_t left = elements_of(block);
  for (DataRecord* part : record.children) {
    if (left == 0) return 0;
    left -= add_overlapped_in(*part, block, found);
  }
  if (left > 0) found.push_back(&record);
  return left;
}

/// Finds the records that blocks of one record overlap. For many blocks the search makes an index of the parts, so that
/// n blocks over n parts do not take n^2 steps.
class OverlapSearch {
 public:
  OverlapSearch(DataRecord& record, std::size_t blocks) : record_(record) {
    constexpr std::size_t kFew = 8;
    if (blocks > kFew && record.children.size() > kFew) index_.emplace(record);
  }
  /// Adds the records that the block overlaps to `found`. Returns the number of its elements that lie in no part.
  std::int64_t add(const Block& block, std::vector<DataRecord*>& found) {
    if (!index_) return add_overlapped(record_, block, found);
    places_.clear();
    index_->find(block, places_);
    std::int64_t left = elements_of(block);
    for (const std::uint32_t place : places_) left -= add_overlapped_in(*record_.children[place], block, found);
    if (left > 0) found.push_back(&record_);
    return left;
  }

 private:
  DataRecord& record_;
  std::optional<PartIndex> index_;
  std::vector<std::uint32_t> places_;
};

/// Sets `children` to the records that a halo part overlaps, or to its parent if it has no elements.
void find_children(DataRecord& halo, OverlapSearch& search) {
  halo.children.clear();
  if (elements_of(halo.place) == 0) return halo.children.push_back(halo.parent);
  search.add(halo.place, halo.children);
}

/// Finds anew what the halo parts overlap, after parts of `changed` inside `block` have changed.
void update_halos(DataRecord& changed, Block block) {
  for (DataRecord* record = &changed; record != nullptr; record = record->parent) {
    std::vector<DataRecord*> halos;
    for (DataRecord* halo : record->halos) {
      if (may_meet(block, halo->place) && elements_of(intersection(block, halo->place)) > 0) halos.push_back(halo);
    }
    OverlapSearch search(*record, halos.size());
    for (DataRecord* halo : halos) find_children(*halo, search);
    block = in_whole(block, record->place);
  }
}

/// Forgets all tasks. Short lists keep their memory for the next data that use this record, so data that are made in a
/// loop need no new memory for their lists.
void clear(DependencyState& state) {
  constexpr std::size_t kShort = 8;
  for (std::vector<TaskReference>* list : {&state.writers, &state.readers, &state.before}) {
    if (list->capacity() > kShort) *list = {};
    list->clear();
  }
  state.kind = EpochKind::write;
  state.open_reduction = false;
}

}  // namespace

std::vector<Handle> handles_of(std::span<DataRecord* const> records) {
  std::vector<Handle> handles;
  for (DataRecord* record : records) handles.emplace_back(record, record->handle_id());
  return handles;
}

std::string describe(const DataRecord& record) {
  return record.name.empty() ? "handle " + std::to_string(record.handle_id().value()) : "'" + record.name + "'";
}

std::string describe(const Task& task) {
  // A client's tasks have numbers of the client; children have numbers of the service. The word "child" tells two equal
  // numbers apart.
  const bool of_client = task.nesting.is_child && task.client_graph() != nullptr;
  std::string text = of_client ? "child " : "task ";
  text += std::to_string(task.tag() != 0 ? task.tag() : task.task_id().value());
  if (task.extras && !task.extras->name.empty()) text += " '" + task.extras->name + "'";
  if (task.codelet != nullptr) text += " (codelet " + task.codelet->name + ")";
  return text;
}

DataRecord& DataRegistry::allocate() {
  if (free_ == nullptr) {
    records_.emplace_back();
    records_.back().owner = owner_;
    free_ = &records_.back();
  }
  DataRecord& record = *free_;
  free_ = record.next;
  record.made.in = {};
  record.id.store(next_id_->fetch_add(1, std::memory_order_relaxed), std::memory_order_relaxed);
  ++size_;
  return record;
}

DataRecord& DataRegistry::add(DataDescription description) {
  DataRecord& record = allocate();
  record.view = {description.host, description.layout};
  record.owned = std::move(description.owned);
  record.name = std::move(description.name);
  record.hidden = description.hidden;
  set_read_only(record, description.read_only);
  set_unwritten(record, description.unwritten && description.host != nullptr && description.layout.elements() > 0);
  return record;
}

Result<DataRecord*> DataRegistry::add_apart(DataDescription description) {
  const DataView view{description.host, description.layout};
  if (const DataRecord* other = memory_.find_overlap(view)) {
    return Failure{
        ErrorCode::overlapping_handles,
        (description.name.empty() ? std::string("data") : "'" + description.name + "'") + " of " +
            shape_text(view.layout) + " elements share memory with " + describe(*other) +
            ", which is registered: tasks on the one would not be ordered after tasks on the other; register "
            "the whole once, and partition it"};
  }
  DataRecord& record = add(std::move(description));
  memory_.add(record);
  return &record;
}

DataRecord& DataRegistry::add_block(DataRecord& parent, const Block& block) {
  DataRecord& part = allocate();
  part.view = view_of_block(parent.view, block);
  part.parent = &parent;
  part.hidden = parent.hidden;
  part.refusals = parent.refusals;
  set_read_only(part, parent.content.read_only);
  part.place = without_idle_steps(block);
  return part;
}

Result<bool> DataRegistry::check_parts(const DataRecord& parent, std::span<const Block> blocks,
                                       std::span<DataRecord* const> present) {
  if (parent.is_halo) return part_of_halo(parent);
  if (const Block* b = find_outside(parent, blocks)) return outside(parent, *b);
  std::vector<Block> all(blocks.begin(), blocks.end());
  for (const DataRecord* part : present) all.push_back(part->place);
  std::int64_t covered = 0;
  for (const Block& b : all) covered += elements_of(b);
  // Even a whole without elements counts as covered only if it has parts, because some record must count as having its
  // data.
  const bool covers = !all.empty() && covered == parent.view.layout.elements();
  const Block* const b = find_overlap(all);
  if (b == nullptr) return covers;
  return Failure{ErrorCode::overlapping_handles,
                 "the part at " + place_text(*b, parent.view.layout) + " of " + describe(parent) +
                     " overlaps another part; parts of one handle must be disjoint (repartition divides data anew, and "
                     "parts that overlap and are only read are halo parts: Runtime::halos)"};
}

Result<void> DataRegistry::check_rim(const Rim& rim) {
  if (rim.rows >= 0 && rim.cols >= 0 && rim.planes >= 0) return {};
  return Failure{ErrorCode::invalid_argument, "a rim of " + std::to_string(rim.rows) + " rows, " +
                                                  std::to_string(rim.cols) + " columns and " +
                                                  std::to_string(rim.planes) + " planes: it cannot be negative"};
}

std::vector<std::vector<DataRecord*>> DataRegistry::find_overlapped(DataRecord& record, std::span<const Block> blocks) {
  std::vector<std::vector<DataRecord*>> found(blocks.size());
  OverlapSearch search(record, blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) search.add(blocks[i], found[i]);
  return found;
}

std::vector<DataRecord*> DataRegistry::detach_parts(DataRecord& parent) {
  std::vector<DataRecord*> parts = std::exchange(parent.children, {});
  for (DataRecord* part : parts) part->is_former = true;
  parent.former.insert(parent.former.end(), parts.begin(), parts.end());
  parent.covered = false;
  return parts;
}

DataRegistry::NewParts DataRegistry::replace_parts(DataRecord& parent, std::span<const Block> blocks) {
  NewParts parts;
  parts.overlapped.resize(blocks.size());
  // The elements that are in no part now, and in none of the new parts either.
  std::int64_t rest = parent.view.layout.elements();
  for (const DataRecord* part : parent.children) rest -= elements_of(part->place);
  {
    OverlapSearch search(parent, blocks.size());
    for (std::size_t i = 0; i < blocks.size(); ++i) rest -= search.add(blocks[i], parts.overlapped[i]);
  }
  parts.keeps_rest = rest > 0;
  // The marks are read before they change: the parent may be among the records that a block overlaps.
  std::vector<DataRecord::Content> contents(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (const DataRecord* one : parts.overlapped[i]) {
      contents[i].unwritten = contents[i].unwritten || one->content.unwritten;
      contents[i].discarded = contents[i].discarded || one->content.discarded;
    }
  }
  parts.former = detach_parts(parent);
  parts.added = add_parts(parent, blocks).value_or_throw();
  for (std::size_t i = 0; i < parts.added.size(); ++i) {
    set_unwritten(*parts.added[i], contents[i].unwritten);
    set_discarded(*parts.added[i], contents[i].discarded);
  }
  if (!parts.keeps_rest) set_unwritten(parent, false);
  if (!parent.covered) find_returned(parent, parts);
  return parts;
}

void DataRegistry::find_returned(DataRecord& parent, NewParts& parts) {
  OverlapSearch search(parent, parts.former.size());
  std::vector<DataRecord*> found;
  for (DataRecord* part : parts.former) {
    found.clear();
    if (search.add(part->place, found) == 0) continue;
    parts.returned.push_back(part);
    return_marks(*part);
  }
}

void DataRegistry::return_marks(const DataRecord& part) {
  DataRecord& parent = *part.parent;
  const DataRecord* const unwritten = find_unwritten(part);
  // A parent that its parts cover has no data of its own, so the flags in its record are out of date.
  set_unwritten(parent, unwritten != nullptr || (!parent.covered && parent.content.unwritten));
  if (unwritten != nullptr && unwritten->content.discarded) set_discarded(parent, true);
}

Result<std::vector<DataRecord*>> DataRegistry::add_parts(DataRecord& parent, std::span<const Block> blocks) {
  const auto covers = check_parts(parent, blocks, parent.children);
  if (!covers) return covers.failure();
  std::vector<DataRecord*> parts;
  for (const Block& b : blocks) {
    DataRecord& part = add_block(parent, b);
    set_unwritten(part, parent.content.unwritten && elements_of(b) > 0);
    set_discarded(part, parent.content.discarded);
    part.poisoned.store(parent.poisoned.load(std::memory_order_relaxed), std::memory_order_relaxed);
    if (!parent.name.empty()) part.name = parent.name + "[" + short_place_text(b, parent.view.layout) + "]";
    parent.children.push_back(&part);
    parts.push_back(&part);
  }
  parent.covered = covers.value();
  if (parent.covered) set_unwritten(parent, false);
  update_halos(parent, whole_block(parent.view.layout));
  return parts;
}

Result<std::vector<DataRecord*>> DataRegistry::add_halos(DataRecord& parent, std::span<const Block> blocks,
                                                         const Rim& rim) {
  if (parent.is_halo) return part_of_halo(parent);
  if (auto valid = check_rim(rim); !valid) return valid.failure();
  if (const Block* b = find_outside(parent, blocks)) return outside(parent, *b);
  if (const auto b = std::ranges::find_if(blocks, has_steps); b != blocks.end()) return steps_in_halo(parent, *b);
  std::vector<DataRecord*> halos;
  OverlapSearch search(parent, blocks.size());
  for (const Block& block : blocks) {
    const Block b = with_rim(without_idle_steps(block), rim, parent.view.layout);
    DataRecord& halo = add_block(parent, b);
    halo.is_halo = halo.covered = true;
    halo.home = parent.home;
    if (!parent.name.empty()) {
      const Layout& whole = parent.view.layout;
      halo.name = parent.name + "[" + short_place_text(b, whole) + " " + size_text(b, whole, "x") + "]";
    }
    find_children(halo, search);
    parent.halos.push_back(&halo);
    halos.push_back(&halo);
  }
  return halos;
}

namespace {

/// Takes a record out of the list of former parts, whose order has no meaning. The search begins at the end of the
/// list, because most former parts are removed from the last to the first.
void erase_former(DataRecord& whole, const DataRecord& record) {
  const auto found = std::find(whole.former.rbegin(), whole.former.rend(), &record);
  if (found == whole.former.rend()) return;
  *found = whole.former.back();
  whole.former.pop_back();
}

}  // namespace

bool DataRegistry::restore_parts(DataRecord& parent, std::span<DataRecord* const> former) {
  std::vector<Block> places;
  for (const DataRecord* part : former) places.push_back(part->place);
  const auto covers = check_parts(parent, places, parent.children);
  if (!covers) return false;
  for (DataRecord* part : former) {
    erase_former(parent, *part);
    part->is_former = false;
    parent.children.push_back(part);
  }
  parent.covered = covers.value();
  if (parent.covered) set_unwritten(parent, false);
  update_halos(parent, whole_block(parent.view.layout));
  return true;
}

void DataRegistry::remove(DataRecord& record) {
  if (record.is_halo) {
    // The children of a halo part are the records that it overlaps. They must not be removed with the halo part.
    record.children.clear();
    if (record.parent != nullptr) std::erase(record.parent->halos, &record);
    record.parent = nullptr;
  }
  for (DataRecord* halo : std::exchange(record.halos, {})) {
    halo->parent = nullptr;
    remove(*halo);
  }
  for (DataRecord* part : std::exchange(record.former, {})) part->parent = nullptr;
  if (record.is_former) {
    if (record.parent != nullptr) erase_former(*record.parent, record);
    record.parent = nullptr;
  }
  while (!record.children.empty()) {
    DataRecord& part = *record.children.back();
    record.children.pop_back();
    part.parent = nullptr;
    remove(part);
  }
  if (record.parent != nullptr) {
    std::vector<DataRecord*>& parts = record.parent->children;
    // Many parts are removed from the last to the first.
    if (!parts.empty() && parts.back() == &record) {
      parts.pop_back();
    } else {
      std::erase(parts, &record);
    }
    record.parent->covered = false;
    update_halos(*record.parent, record.place);
  }
  if (record.parent == nullptr) memory_.remove(record);
  record.id.store(HandleId{}.value(), std::memory_order_relaxed);
  record.view.data = nullptr;
  record.poisoned.store(false, std::memory_order_relaxed);
  record.abandoned.store(false, std::memory_order_relaxed);
  set_unwritten(record, false);
  set_read_only(record, false);
  removed_.add(std::move(record.reduction));
  clear(record.dependencies);
  record.parent = nullptr;
  record.refusals = 0;
  record.made.named_by.clear();
  record.is_halo = false;
  record.is_former = false;
  record.covered = false;
  record.owned.reset();
  record.name.clear();
  record.next = free_;
  free_ = &record;
  --size_;
}

void DataRegistry::set_unwritten(DataRecord& record, bool unwritten) {
  if (!unwritten) set_discarded(record, false);
  if (record.content.unwritten == unwritten) return;
  record.content.unwritten = unwritten;
  to_check_ += unwritten ? 1 : -1;
}

void DataRegistry::set_read_only(DataRecord& record, bool read_only) {
  if (record.content.read_only == read_only) return;
  record.content.read_only = read_only;
  to_check_ += read_only ? 1 : -1;
}

void DataRegistry::set_discarded(DataRecord& record, bool discarded) {
  if (record.content.discarded == discarded) return;
  record.content.discarded = discarded;
  to_check_ += discarded ? 1 : -1;
}

bool DataRegistry::is_discarded(const DataRecord& record) {
  bool all = true;
  record.visit_tree([&all](const DataRecord& part) { all = all && (part.covered || part.content.discarded); });
  return all;
}

void DataRegistry::note_discarded(DataRecord& record) {
  record.visit_data([this](DataRecord& part) {
    set_unwritten(part, part.view.data != nullptr && part.view.layout.elements() > 0);
    set_discarded(part, true);
  });
}

void DataRegistry::note_written(DataRecord& record) {
  record.visit_tree([this](DataRecord& part) { set_unwritten(part, false); });
}

const DataRecord* DataRegistry::find_unwritten(const DataRecord& record) {
  const DataRecord* found = nullptr;
  record.visit_tree([&found](const DataRecord& part) {
    if (found == nullptr && part.content.unwritten && !part.covered) found = &part;
  });
  return found;
}

Result<DataRecord*> DataRegistry::find(const Handle& handle, const Domain* domain) const {
  DataRecord* record = handle.record();
  if (record == nullptr) {
    return Failure{ErrorCode::invalid_handle, "an empty handle was used: register data with the runtime first"};
  }
  if (record->owner != owner_) {
    return Failure{ErrorCode::invalid_handle, "handle " + std::to_string(handle.id().value()) +
                                                  " belongs to another runtime: register the data with this one"};
  }
  const bool known = exists(handle);
  if (known && record->releasing() && domain != nullptr && domain->declared(*record) != nullptr) return record;
  if (!known || record->releasing()) {
    const bool divided = known && record->is_former;
    return Failure{ErrorCode::invalid_handle, "handle " + std::to_string(handle.id().value()) +
                                                  " was used after its data were " +
                                                  (divided ? "divided anew" : "released")};
  }
  return record;
}

}  // namespace troupe::graph
