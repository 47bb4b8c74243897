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

  /// Says that the data have no content before the first combination, which therefore begins with the neutral element.
  /// Called at most once, before any task is submitted that uses the data.
  void begin_with_neutral() { begins_with_neutral_ = true; }
  /// Folds all partial results into `into`, in the order of the workers, and forgets them. Throws what the methods
  /// throw.
  void combine(const DataView& into);
  /// Forgets all partial results.
  void discard() noexcept;

 private:
  struct Partial;
  [[nodiscard]] static DataView view_of(const Partial& partial);

  /// The unit of memory for partial results, so that they are aligned as well as any data.
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
  bool begins_with_neutral_ = false;
};

}  // namespace troupe::graph
