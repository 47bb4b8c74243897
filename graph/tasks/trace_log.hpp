/// Memory for recorded traces: lists that grow by chunks. A common limit holds for all lists of a runtime.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace troupe::graph {

/// A limit for the entries that all logs of one runtime may hold together. Thread-safe; must outlive its logs.
class TraceBudget {
 public:
  explicit TraceBudget(std::size_t entries) : left_(entries) {}

  /// Takes room for up to `wanted` entries, and returns the number of entries for which room was taken; 0 if no room is
  /// left. One call gets only a fraction of the remaining room, so that the first log does not starve the others.
  std::size_t take(std::size_t wanted) noexcept {
    // All accesses are relaxed: `left_` is only a count and publishes nothing.
    std::size_t left = left_.load(std::memory_order_relaxed);
    std::size_t granted = 0;
    do {
      if (left == 0) return 0;
      granted = std::min(wanted, std::max<std::size_t>(left / kLogs, 1));
    } while (!left_.compare_exchange_weak(left, left - granted, std::memory_order_relaxed));
    return granted;
  }
  void give_back(std::size_t entries) noexcept { left_.fetch_add(entries, std::memory_order_relaxed); }
  [[nodiscard]] std::size_t left() const noexcept { return left_.load(std::memory_order_relaxed); }

 private:
  /// A log gets at most the remaining room divided by this number.
  static constexpr std::size_t kLogs = 16;
  std::atomic<std::size_t> left_;
};

/// An append-only list of plain values. Entries never move. An append does not throw: an entry for which the budget or
/// the memory has no room is lost, and counted. Not thread-safe.
template <class T>
class TraceLog {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  static constexpr std::size_t kChunk = 1024;

  /// If `budget` is null, memory is the only limit.
  explicit TraceLog(TraceBudget* budget = nullptr) : budget_(budget) {}
  /// Takes the entries of the other log, which is empty afterwards and keeps its budget.
  TraceLog(TraceLog&& other) noexcept
      : budget_(other.budget_),
        chunks_(std::exchange(other.chunks_, {})),
        next_(std::exchange(other.next_, nullptr)),
        end_(std::exchange(other.end_, nullptr)),
        dropped_(std::exchange(other.dropped_, 0)) {}
  TraceLog& operator=(TraceLog&&) = delete;
  ~TraceLog() {
    if (budget_ == nullptr) return;
    for (const Chunk& chunk : chunks_) budget_->give_back(chunk.capacity);
  }

  /// Sets the budget. The log must be empty.
  void use(TraceBudget* budget) noexcept { budget_ = budget; }

  bool add(const T& entry) noexcept {
    if (next_ == end_ && !grow()) {
      ++dropped_;
      return false;
    }
    *next_++ = entry;
    return true;
  }

  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t capacity = 0;
    for (const Chunk& chunk : chunks_) capacity += chunk.capacity;
    return capacity - static_cast<std::size_t>(end_ - next_);
  }
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }

  /// Calls `visit(entry)` for each entry, in the order of the appends.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const T* const begin = chunks_[i].entries.get();
      const T* const end = i + 1 == chunks_.size() ? next_ : begin + chunks_[i].capacity;
      for (const T* entry = begin; entry != end; ++entry) visit(*entry);
    }
  }

 private:
  struct Chunk {
    std::unique_ptr<T[]> entries;
    std::size_t capacity = 0;
  };

  bool grow() noexcept {
    const std::size_t capacity = budget_ != nullptr ? budget_->take(kChunk) : kChunk;
    if (capacity == 0) return false;
    try {
      chunks_.push_back({std::make_unique_for_overwrite<T[]>(capacity), capacity});
    } catch (const std::bad_alloc&) {
      if (budget_ != nullptr) budget_->give_back(capacity);
      return false;
    }
    next_ = chunks_.back().entries.get();
    end_ = next_ + capacity;
    return true;
  }

  TraceBudget* budget_;
  std::vector<Chunk> chunks_;
  /// The next free entry and the end of the last chunk.
  T* next_ = nullptr;
  T* end_ = nullptr;
  std::uint64_t dropped_ = 0;
};

}  // namespace troupe::graph
