/// Partial results of a reduction, one per worker.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "troupe/handle.hpp"

namespace troupe::graph {

/// The functions of one handle's reduction, and the partial results of its current reduction. Each partial result is
/// touched by its worker alone, until the combining task folds all of them into the data; dependencies order that task
/// after all reducing tasks.
class Reduction {
 public:
  Reduction(ReductionMethods methods, std::size_t workers) : methods_(std::move(methods)), partials_(workers) {}

  /// Returns the worker's partial result, without gaps between columns, initialized at first use in a reduction. Throws
  /// `std::bad_alloc` and what the initializer throws.
  DataView partial(std::size_t worker, const Layout& layout);

  // The next three functions are called under the graph's submission lock. They tell the submission of the combining
  // task whether the data had content before the open reduction.
  void open_without_content() { opened_without_content_ = true; }
  [[nodiscard]] bool opened_without_content() const { return opened_without_content_; }
  void note_closed() { opened_without_content_ = false; }

  /// Makes the next combination begin with the neutral element. Called at the start of each run (of a recording) in
  /// which the reduced data have no content: the combining task's arguments are the same in all runs and cannot tell.
  void begin_with_neutral() { begins_with_neutral_ = true; }
  /// Folds all partial results into `into`, in the order of the workers, and forgets them. If `without_content`, the
  /// first operand is the neutral element instead of the content. Throws what the methods throw.
  void combine(const DataView& into, bool without_content);
  /// Forgets all partial results.
  void discard() noexcept;

  /// The next one of a list of reductions whose data were removed (`RemovedReductions`).
  std::unique_ptr<Reduction> next_removed;

 private:
  struct Partial;
  [[nodiscard]] static DataView view_of(const Partial& partial);

  /// Memory for partial results is allocated in lines, which are aligned to 64 bytes.
  struct alignas(64) Line {
    std::array<std::byte, 64> bytes;
  };
  struct alignas(64) Partial {
    std::unique_ptr<Line[]> memory;
    Layout layout;
    bool in_use = false;
  };

  ReductionMethods methods_;
  std::vector<Partial> partials_;
  bool opened_without_content_ = false;
  bool begins_with_neutral_ = false;
};

/// Reductions that have no data any more. Their functions are the program's, and the destruction of these may call the
/// graph: an object of this class must be destroyed without the submission lock.
class RemovedReductions {
 public:
  RemovedReductions() = default;
  ~RemovedReductions() { clear(); }
  RemovedReductions(const RemovedReductions&) = delete;
  RemovedReductions& operator=(const RemovedReductions&) = delete;

  void add(std::unique_ptr<Reduction> removed) {
    if (removed == nullptr) return;
    removed->next_removed = std::move(first_);
    first_ = std::move(removed);
  }
  /// Takes all reductions of the other list.
  void take(RemovedReductions& other) {
    while (other.first_ != nullptr) {
      std::unique_ptr<Reduction> one = std::move(other.first_);
      other.first_ = std::move(one->next_removed);
      add(std::move(one));
    }
  }

 private:
  /// The destruction of a long list must not call itself for each element.
  void clear() {
    while (first_ != nullptr) first_ = std::move(first_->next_removed);
  }

  std::unique_ptr<Reduction> first_;
};

/// Keeps the reductions that are removed in the calling thread while this object lives, and destroys them with it:
/// declared before the guard of a lock, it outlives the guard.
class RemovedUnderLock {
 public:
  RemovedUnderLock() : outer_(std::exchange(here_, this)) {}
  ~RemovedUnderLock() { here_ = outer_; }
  RemovedUnderLock(const RemovedUnderLock&) = delete;
  RemovedUnderLock& operator=(const RemovedUnderLock&) = delete;

  /// Takes the reductions of the list if there is an object of this class in the calling thread.
  static void take(RemovedReductions& removed) {
    if (here_ != nullptr) here_->removed_.take(removed);
  }

 private:
  RemovedReductions removed_;
  RemovedUnderLock* const outer_;

  static thread_local constinit RemovedUnderLock* here_;
};

inline thread_local constinit RemovedUnderLock* RemovedUnderLock::here_ = nullptr;

}  // namespace troupe::graph
