#include "service/sessions/session_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

Result<std::vector<Block>> SessionData::reserve_blocks(const v1::Partition& message) {
  const auto whole = get("partition.whole", message.whole());
  if (!whole) return whole.failure();
  if (whole.value()->depth >= kDeepest) {
    return violation("partition.whole", fmt::format("blocks of blocks are {} deep, and may not be deeper", kDeepest));
  }
  if (message.blocks_size() != message.handles_size()) {
    return violation("partition.handles",
                     fmt::format("{} numbers for {} blocks", message.handles_size(), message.blocks_size()));
  }
  const auto count = static_cast<std::uint64_t>(message.handles_size());
  if (count > most_ - std::min(most_, count_)) {
    return violation("partition.handles",
                     fmt::format("{} more handles, when the client has {} and may have {}", count, count_, most_));
  }
  std::vector<Block> blocks;
  for (const v1::Block& block : message.blocks())
    blocks.push_back({block.row(), block.col(), block.rows(), block.cols()});
  for (const std::uint64_t number : message.handles()) {
    auto is_new = check_new("partition.handles", number);
    if (!is_new) return is_new.failure();
    reserved_.insert(number);
  }
  count_ += count;
  return blocks;
}

void SessionData::add_blocks(std::uint64_t whole, std::span<const std::uint64_t> numbers,
                             std::span<const Handle> handles, std::span<const Block> blocks) {
  // The copy is needed, because the table's elements may move when the table grows.
  SessionHandle block = handles_.find(whole)->second;
  block.whole = whole;
  block.blocks.clear();
  block.has_halos = false;
  ++block.depth;
  block.partial_bytes = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    reserved_.erase(numbers[i]);
    block.handle = handles[i];
    block.layout.rows = blocks[i].rows;
    block.layout.cols = blocks[i].cols;
    handles_.emplace(numbers[i], block);
  }
  auto& list = handles_.find(whole)->second.blocks;
  list.insert(list.end(), numbers.begin(), numbers.end());
}

bool SessionData::allows_blocks(std::uint64_t whole, std::uint64_t count, bool halos) {
  constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 24U;
  SessionHandle& handle = handles_.find(whole)->second;
  if (!halos && !handle.has_halos) return true;
  if (count * (handle.blocks.size() + count) > kMostPairs) return false;
  handle.has_halos = true;
  return true;
}

void SessionData::drop_blocks(std::span<const std::uint64_t> numbers) {
  for (const std::uint64_t number : numbers) reserved_.erase(number);
  count_ -= numbers.size();
}

void SessionData::note_partials(std::uint64_t number, std::uint64_t bytes) {
  const auto found = handles_.find(number);
  if (found == handles_.end()) return;
  partial_bytes_ += bytes - std::exchange(found->second.partial_bytes, bytes);
}

std::size_t SessionData::erase_tree(std::uint64_t number) {
  const auto found = handles_.find(number);
  const std::vector<std::uint64_t> blocks = std::move(found->second.blocks);
  partial_bytes_ -= found->second.partial_bytes;
  handles_.erase(found);
  std::size_t count = 1;
  for (const std::uint64_t block : blocks) count += erase_tree(block);
  return count;
}

Result<SessionData::Removed> SessionData::remove(std::uint64_t number) {
  const auto found = get("release_data.handle", number);
  if (!found) return found.failure();
  Removed removed{found.value()->handle, found.value()->segment, 0};
  if (const auto whole = found.value()->whole) std::erase(handles_.find(*whole)->second.blocks, number);
  removed.count = erase_tree(number);
  return removed;
}

}  // namespace troupe::service
