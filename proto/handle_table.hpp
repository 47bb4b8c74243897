/// A table with a row of values for each handle that is in use.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "troupe/ids.hpp"

namespace troupe {

/// A table that has a row of `width` values for each handle in use. Ids of handles are never used again, and a service
/// makes handles for years; therefore rows lie in pages of 256, and the memory of a page without rows is freed. The
/// table takes memory for the pages with rows in use, and one byte for every 16 handles that ever existed. Every
/// operation except `visit` is O(1).
template <class T>
class HandleTable {
 public:
  explicit HandleTable(std::size_t width = 1) : width_(width) {}

  [[nodiscard]] bool contains(HandleId handle) const { return find(handle) != nullptr; }
  /// Returns the handle's row; null if there is none. The pointer stays valid until the row is removed.
  [[nodiscard]] const T* find(HandleId handle) const {
    const std::size_t page = handle.index() / kRows;
    if (page >= pages_.size() || !pages_[page].rows || !pages_[page].marks->contains(handle.index() % kRows)) {
      return nullptr;
    }
    return &(*this)[handle];
  }
  [[nodiscard]] T* find(HandleId handle) { return const_cast<T*>(std::as_const(*this).find(handle)); }
  /// Returns the first value of the row; the others follow it. The handle must have a row.
  [[nodiscard]] T& operator[](HandleId handle) { return const_cast<T&>(std::as_const(*this)[handle]); }
  [[nodiscard]] const T& operator[](HandleId handle) const {
    return pages_[handle.index() / kRows].rows[handle.index() % kRows * width_];
  }

  /// Returns the handle's row; if there is none, makes a row with default values.
  T& make(HandleId handle) {
    const std::size_t at = handle.index() / kRows;
    if (at >= pages_.size()) pages_.resize(at + 1);
    Page& page = pages_[at];
    if (!page.rows) open(page);
    size_ += page.marks->insert(handle.index() % kRows) ? 1 : 0;
    return (*this)[handle];
  }
  /// Removes the row of a handle, if it has one.
  void remove(HandleId handle) {
    T* const values = find(handle);
    if (values == nullptr) return;
    for (std::size_t i = 0; i < width_; ++i) values[i] = T{};
    --size_;
    Page& page = pages_[handle.index() / kRows];
    page.marks->erase(handle.index() % kRows);
    if (page.marks->count > 0) return;
    // One empty page is kept. Otherwise a single handle that comes and goes would each time cost the allocation of a
    // page.
    spare_ = std::move(page);
    page = {};
  }

  /// Returns the number of rows.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Calls `visit(handle)` for each handle that has a row, in the order of the ids. `visit` must not make or remove
  /// rows.
  template <class Visit>
  void visit(Visit&& visit) const {
    for (std::size_t i = 0; i < pages_.size(); ++i) {
      if (!pages_[i].rows) continue;
      for (std::size_t j = 0; j < kRows / 64; ++j) {
        for (std::uint64_t left = pages_[i].marks->words[j]; left != 0; left &= left - 1) {
          visit(HandleId(i * kRows + j * 64 + static_cast<std::size_t>(std::countr_zero(left))));
        }
      }
    }
  }

 private:
  static constexpr std::size_t kRows = 256;

  /// Marks which rows of a page are in use.
  struct Marks {
    [[nodiscard]] bool contains(std::size_t at) const { return (words[at / 64] >> at % 64 & 1U) != 0; }
    bool insert(std::size_t at) {
      if (contains(at)) return false;
      words[at / 64] |= std::uint64_t{1} << at % 64;
      ++count;
      return true;
    }
    void erase(std::size_t at) {
      words[at / 64] &= ~(std::uint64_t{1} << at % 64);
      --count;
    }
    std::array<std::uint64_t, kRows / 64> words{};
    std::size_t count = 0;
  };
  /// Rows and marks are in separate blocks of memory, because most look-ups need only a row. With both in one block,
  /// the memory manager took a tenth longer for a task.
  struct Page {
    std::unique_ptr<T[]> rows;
    std::unique_ptr<Marks> marks;
  };

  void open(Page& page) {
    if (spare_.rows) {
      page = std::move(spare_);
      return;
    }
    auto marks = std::make_unique<Marks>();
    page.rows = std::make_unique<T[]>(kRows * width_);
    page.marks = std::move(marks);
  }

  std::size_t width_;
  std::size_t size_ = 0;
  std::vector<Page> pages_;
  /// A page without rows in use, or no page.
  Page spare_;
};

}  // namespace troupe
