#include "service/sessions/session_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "graph/data/blocks.hpp"
#include "service/sessions/wire_checks.hpp"

namespace troupe::service {

Result<void> SessionData::check_new(std::string_view field, std::uint64_t number) const {
  if (!handles_.contains(number) && !reserved_.contains(number)) return {};
  return violation(field, fmt::format("the number {} is in use", number));
}

Result<const SessionHandle*> SessionData::get(std::string_view field, std::uint64_t number) const {
  if (const SessionHandle* const found = find(number)) return found;
  return violation(field, fmt::format("no data are registered with the number {}", number));
}

Result<void> SessionData::add(const v1::RegisterData& message) {
  if (auto is_new = check_new("register_data.handle", message.handle()); !is_new) return is_new;
  if (count_ >= most_) {
    return violation("register_data", fmt::format("the client has {} handles, and may have no more", count_));
  }
  if (auto named = check_name("register_data.name", message.name()); !named) return named;
  const auto layout = check_layout(message);
  if (!layout) return layout.failure();
  auto segment = memory_.find(message.segment());
  if (!segment) {
    return violation("register_data.segment", fmt::format("the client has no segment {}", message.segment()));
  }
  const std::uint64_t alignment = alignment_of(message.element_size());
  if (message.offset() % alignment != 0) {
    return violation("register_data.offset", fmt::format("{} is no multiple of {}, as elements of {} bytes need",
                                                         message.offset(), alignment, message.element_size()));
  }
  const std::uint64_t size = segment->size().count;
  if (message.offset() > size || extent_of(layout.value()).count > size - message.offset()) {
    return violation("register_data.offset",
                     fmt::format("{} bytes from byte {} on are not in the segment, which has {}",
                                 extent_of(layout.value()).count, message.offset(), size));
  }
  const Handle handle = graph_.register_data({layout.value(), segment->data() + message.offset(), segment,
                                              message.name(), message.hidden(), message.unwritten()});
  handles_.emplace(message.handle(), SessionHandle{handle, layout.value(), std::move(segment)});
  ++count_;
  return {};
}

Result<SessionData::NewBlocks> SessionData::reserve_blocks(const v1::Partition& message) {
  const auto whole = get("partition.whole", message.whole());
  if (!whole) return whole.failure();
  if (whole.value()->depth >= kDeepest) {
    return violation("partition.whole", fmt::format("blocks of blocks are {} deep, and may not be deeper", kDeepest));
  }
  if (message.blocks_size() != message.handles_size()) {
    return violation("partition.handles",
                     fmt::format("{} numbers for {} blocks", message.handles_size(), message.blocks_size()));
  }
  if (message.halos() && message.anew()) return violation("partition.anew", "halo parts replace nothing");
  const auto count = static_cast<std::uint64_t>(message.handles_size());
  if (count > most_ - std::min(most_, count_)) {
    return violation("partition.handles",
                     fmt::format("{} more handles, when the client has {} and may have {}", count, count_, most_));
  }
  NewBlocks added{
      .whole = message.whole(), .blocks = {}, .numbers = {}, .halos = message.halos(), .anew = message.anew()};
  for (const v1::Block& block : message.blocks()) added.blocks.push_back(block_of(block));
  for (const std::uint64_t number : message.handles()) {
    auto is_new = check_new("partition.handles", number);
    if (!is_new) return is_new.failure();
    reserved_.insert(number);
    added.numbers.push_back(number);
  }
  count_ += count;
  handles_.find(added.whole)->second.pending += count;
  return added;
}

namespace {

/// Returns true if only the new blocks will be left of the whole's blocks.
bool replaces_all(const SessionHandle& whole, const SessionData::NewBlocks& added) {
  return added.anew && !whole.has_halos && whole.pending == added.blocks.size();
}

/// Returns true if some of the whole's blocks will be boxes, or have steps, when the new blocks have been added.
bool has_boxes_with(const SessionHandle& whole, const SessionData::NewBlocks& added) {
  const auto is_box = [](const Block& block) { return block.planes != 1 || graph::has_steps(block); };
  return whole.layout.planes != 1 || (whole.has_boxes && !replaces_all(whole, added)) ||
         std::ranges::any_of(added.blocks, is_box);
}

}  // namespace

void SessionData::add_blocks(const NewBlocks& added, std::span<const Handle> handles) {
  SessionHandle& parent = handles_.find(added.whole)->second;
  parent.has_boxes = has_boxes_with(parent, added);
  parent.pending -= std::min<std::uint64_t>(parent.pending, added.numbers.size());
  if (added.anew) erase_replaced(parent);
  count_below(added.whole, static_cast<std::int64_t>(added.numbers.size()));
  // The copy is needed, because the table's elements may move when the table grows.
  SessionHandle block = handles_.find(added.whole)->second;
  const DataView whole{nullptr, block.layout};
  block.whole = added.whole;
  block.blocks.clear();
  block.is_halo = added.halos;
  block.has_halos = block.has_boxes = false;
  ++block.depth;
  block.partial_bytes = block.below = block.pending = 0;
  for (std::size_t i = 0; i < added.numbers.size(); ++i) {
    reserved_.erase(added.numbers[i]);
    block.handle = handles[i];
    block.layout = graph::view_of_block(whole, added.blocks[i]).layout;
    handles_.emplace(added.numbers[i], block);
  }
  auto& list = handles_.find(added.whole)->second.blocks;
  list.insert(list.end(), added.numbers.begin(), added.numbers.end());
}

void SessionData::erase_replaced(SessionHandle& whole) {
  const std::uint64_t partials_before = partial_bytes_;
  const auto first = std::stable_partition(whole.blocks.begin(), whole.blocks.end(), [this](std::uint64_t number) {
    return handles_.find(number)->second.is_halo;
  });
  const std::vector<std::uint64_t> replaced(first, whole.blocks.end());
  whole.blocks.erase(first, whole.blocks.end());
  for (const std::uint64_t number : replaced) count_ -= take_out(number).size();
  any_former_ = true;
  former_partial_bytes_ += partials_before - partial_bytes_;
}

void SessionData::settle_former() {
  if (!any_former_ || graph_.late_divisions() != 0) return;
  any_former_ = false;
  former_partial_bytes_ = 0;
}

Result<void> SessionData::allow_blocks(const NewBlocks& added) {
  constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 24U;
  constexpr std::uint64_t kMostBoxes = std::uint64_t{1} << 14U;
  SessionHandle& whole = handles_.find(added.whole)->second;
  const std::uint64_t count = added.blocks.size();
  // Every block inside a replaced block, or under a halo part, is looked at.
  const bool looks_inside = added.anew || added.halos || whole.has_halos;
  const std::uint64_t all = (looks_inside ? whole.below : whole.blocks.size()) + whole.pending;
  const std::uint64_t present = all - count;
  const auto too_many = [count](const std::string& why) {
    return Failure{
        ErrorCode::invalid_argument,
        fmt::format("{} more blocks of one whole are too many for a service, {}: make larger blocks", count, why)};
  };
  const bool boxes = has_boxes_with(whole, added);
  if (boxes && (replaces_all(whole, added) ? count : all) > kMostBoxes) {
    return too_many(fmt::format("which takes {} where there are several planes or blocks with steps", kMostBoxes));
  }
  const bool beside_halos = added.halos || whole.has_halos;
  if ((beside_halos && count * all > kMostPairs) || (added.anew && count * present > kMostPairs)) {
    return too_many(fmt::format("which compares at most {} pairs with the {} that are there", kMostPairs, present));
  }
  // Until these blocks have been added, those that are there count, too.
  whole.has_boxes = whole.has_boxes || boxes;
  whole.has_halos = whole.has_halos || added.halos;
  return {};
}

void SessionData::count_below(std::optional<std::uint64_t> number, std::int64_t more) {
  while (number) {
    SessionHandle& around = handles_.find(*number)->second;
    around.below += static_cast<std::uint64_t>(more);
    number = around.whole;
  }
}

void SessionData::drop_blocks(const NewBlocks& added) {
  for (const std::uint64_t number : added.numbers) reserved_.erase(number);
  count_ -= added.numbers.size();
  const auto whole = handles_.find(added.whole);
  if (whole == handles_.end()) return;
  // The client may have used the number of the whole for other data meanwhile.
  whole->second.pending -= std::min<std::uint64_t>(whole->second.pending, added.numbers.size());
}

void SessionData::note_partials(std::uint64_t number, std::uint64_t bytes) {
  const auto found = handles_.find(number);
  if (found == handles_.end()) return;
  partial_bytes_ += bytes - std::exchange(found->second.partial_bytes, bytes);
}

void SessionData::extract_tree(std::uint64_t number, std::vector<Node>& tree) {
  const std::size_t place = tree.size();
  tree.push_back(handles_.extract(number));
  partial_bytes_ -= tree[place].mapped().partial_bytes;
  // The list grows meanwhile, so that the node is looked up anew each time.
  for (std::size_t i = 0; i < tree[place].mapped().blocks.size(); ++i) {
    extract_tree(tree[place].mapped().blocks[i], tree);
  }
}

std::vector<SessionData::Node> SessionData::take_out(std::uint64_t number) {
  const std::optional<std::uint64_t> whole = handles_.find(number)->second.whole;
  std::vector<Node> tree;
  extract_tree(number, tree);
  count_below(whole, -static_cast<std::int64_t>(tree.size()));
  return tree;
}

Result<SessionData::Removed> SessionData::remove(std::uint64_t number) {
  const auto found = get("release_data.handle", number);
  if (!found) return found.failure();
  Removed removed{found.value()->handle, {}};
  if (const auto whole = found.value()->whole) std::erase(handles_.find(*whole)->second.blocks, number);
  removed.tree = take_out(number);
  return removed;
}

void SessionData::restore(Removed& removed) {
  const SessionHandle& top = removed.tree.front().mapped();
  const auto whole = top.whole ? handles_.find(*top.whole) : handles_.end();
  // The client breaks the protocol if it uses the numbers again, and its new data stay then.
  const bool taken = std::ranges::any_of(
      removed.tree, [this](const Node& node) { return !check_new("withdraw.request", node.key()).ok(); });
  if (taken || (top.whole && whole == handles_.end())) return forget(removed);
  if (top.whole) whole->second.blocks.push_back(removed.tree.front().key());
  count_below(top.whole, static_cast<std::int64_t>(removed.tree.size()));
  for (Node& node : removed.tree) {
    partial_bytes_ += node.mapped().partial_bytes;
    handles_.insert(std::move(node));
  }
}

}  // namespace troupe::service
