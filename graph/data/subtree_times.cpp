#include "graph/data/subtree_times.hpp"

#include <algorithm>
#include <bit>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/data/data_record.hpp"
#include "proto/hash.hpp"

namespace troupe::graph {

namespace {

/// Returns a step on a scale with eight steps for each power of two, so that similar sizes have the same number.
std::uint64_t eighths_of(std::uint64_t size) {
  if (size < 8) return size;
  const auto width = static_cast<std::uint64_t>(std::bit_width(size));
  return 8 * width + (size >> (width - 4) & 7U);
}

}  // namespace

SubtreeTimes::SubtreeTimes() : entries_(std::make_unique<Entry[]>(kEntries)) {}

std::uint64_t SubtreeTimes::class_of(const CodeletDefinition& codelet, std::span<const TaskAccess> data,
                                     const Arguments& arguments) {
  std::uint64_t hash = mix(1, reinterpret_cast<std::uintptr_t>(&codelet));
  for (const TaskAccess& access : data) hash = mix(hash, eighths_of(access.data()->view.layout.payload().count));
  const std::size_t count = arguments.size() - (codelet.captures ? 1 : 0);
  for (std::size_t i = 0; i < count; ++i) {
    // The bytes between two arguments have no meaning, so they are left out if the arguments' types are known.
    const std::size_t begin = arguments.offsets()[i];
    const std::size_t end = i < codelet.argument_types.size() ? begin + codelet.argument_types[i].size
                            : i + 1 < arguments.size()        ? arguments.offsets()[i + 1]
                                                              : arguments.bytes().size();
    for (std::size_t at = begin; at < end; ++at) hash = mix(hash, static_cast<std::uint64_t>(arguments.bytes()[at]));
  }
  return hash | 1U;
}

SubtreeTimes::Entry* SubtreeTimes::look_up(std::uint64_t of) const noexcept {
  for (std::size_t i = 0; i < kTries; ++i) {
    Entry& entry = entries_[(of / 2 + i) % kEntries];
    const std::uint64_t found = entry.of.load(std::memory_order_relaxed);
    if (found == of) return &entry;
    if (found == 0) return nullptr;
  }
  return nullptr;
}

SubtreeTimes::Entry& SubtreeTimes::make(std::uint64_t of) noexcept {
  for (std::size_t i = 0; i < kTries; ++i) {
    Entry& entry = entries_[(of / 2 + i) % kEntries];
    std::uint64_t found = 0;
    if (entry.of.compare_exchange_strong(found, of, std::memory_order_relaxed) || found == of) return entry;
  }
  // Another thread may note a time of the old class meanwhile. A wrong time does no harm: times only decide how tasks
  // run.
  Entry& entry = entries_[(of / 2 + (of >> 40U) % kTries) % kEntries];
  entry.of.store(of, std::memory_order_relaxed);
  entry.time.store(kUnknown, std::memory_order_relaxed);
  entry.surprises.store(0, std::memory_order_relaxed);
  return entry;
}

std::optional<Duration> SubtreeTimes::find(std::uint64_t of) const noexcept {
  const Entry* const entry = look_up(of);
  if (entry == nullptr) return std::nullopt;
  const Duration::rep time = entry->time.load(std::memory_order_relaxed);
  return time > kUnknown ? std::optional(Duration(time)) : std::nullopt;
}

void SubtreeTimes::note(std::uint64_t of, Duration time) noexcept {
  Entry& entry = make(of);
  const Duration::rep now = std::max<Duration::rep>(time.count(), 1);
  Duration::rep before = entry.time.load(std::memory_order_relaxed);
  while (before != kDistrusted) {
    const Duration::rep next = now >= before ? now : before - (before - now + 3) / 4;
    if (entry.time.compare_exchange_weak(before, next, std::memory_order_relaxed)) return;
  }
}

void SubtreeTimes::distrust(std::uint64_t of) noexcept { make(of).time.store(kDistrusted, std::memory_order_relaxed); }

void SubtreeTimes::note_small(std::uint64_t of, bool surprise) noexcept {
  Entry& entry = make(of);
  if (surprise) {
    if (entry.surprises.fetch_add(kSurprise, std::memory_order_relaxed) >= kMostSurprises) distrust(of);
  } else if (entry.surprises.load(std::memory_order_relaxed) > 0) {
    entry.surprises.fetch_sub(1, std::memory_order_relaxed);
  }
}

}  // namespace troupe::graph
