/// Idle set: the workers that sleep or are about to sleep.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "troupe/ids.hpp"

namespace troupe::workers {

/// A worker declares itself idle, looks for work once more, and only then sleeps. A thread that adds work makes the
/// work visible first, and then looks for idle workers here. Both threads use sequentially consistent operations, so at
/// least one of them sees what the other has done. A thread that erases a worker must call `Peers::wake` for that
/// worker. All functions may be called from any thread.
class IdleSet {
 public:
  explicit IdleSet(std::size_t workers) : words_((workers + 63) / 64), workers_(workers) {}

  void insert(WorkerId worker) { word(worker).fetch_or(bit(worker), std::memory_order_seq_cst); }
  /// Erases a worker. If several threads erase the same worker, only one of these calls returns true.
  bool erase(WorkerId worker) {
    return (word(worker).fetch_and(~bit(worker), std::memory_order_seq_cst) & bit(worker)) != 0;
  }
  [[nodiscard]] bool contains(WorkerId worker) const {
    return (word(worker).load(std::memory_order_seq_cst) & bit(worker)) != 0;
  }
  [[nodiscard]] bool empty() const {
    for (const Word& word : words_) {
      if (word.bits.load(std::memory_order_seq_cst) != 0) return false;
    }
    return true;
  }
  /// Erases one worker, the first at or after `start` in cyclic order; returns an invalid id if none is idle.
  WorkerId take(std::size_t start) {
    if (empty()) return WorkerId{};
    for (std::size_t i = 0; i < workers_; ++i) {
      const WorkerId candidate(static_cast<std::uint32_t>((start + i) % workers_));
      if (contains(candidate) && erase(candidate)) return candidate;
    }
    return WorkerId{};
  }

 private:
  std::atomic<std::uint64_t>& word(WorkerId worker) { return words_[worker.index() / 64].bits; }
  [[nodiscard]] const std::atomic<std::uint64_t>& word(WorkerId worker) const {
    return words_[worker.index() / 64].bits;
  }
  static std::uint64_t bit(WorkerId worker) { return std::uint64_t{1} << (worker.index() % 64); }

  /// The idle ones of sixty-four workers, as bits. Every submission reads this word. So the word has a cache line of
  /// its own, and writes to neighbouring data do not slow these reads down.
  struct alignas(64) Word {
    std::atomic<std::uint64_t> bits{0};
  };
  std::vector<Word> words_;
  const std::size_t workers_;
};

}  // namespace troupe::workers
