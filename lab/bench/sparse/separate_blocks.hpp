/// Full blocks, each in separate memory, for runtimes that have no matrices of blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "linalg/sparse/block_pattern.hpp"
#include "troupe/layout.hpp"

namespace troupe::bench {

class SeparateBlocks {
 public:
  SeparateBlocks(const linalg::BlockPattern& pattern, std::int64_t block);

  [[nodiscard]] std::int64_t block_order() const { return block_; }
  /// Returns the index of a block, which must be full. The full blocks are numbered from 0 without gaps, row by row.
  [[nodiscard]] std::size_t index(int i, int j) const {
    return index_[static_cast<std::size_t>(i) * static_cast<std::size_t>(side_) + static_cast<std::size_t>(j)];
  }
  [[nodiscard]] std::size_t size() const { return elements_.size(); }
  [[nodiscard]] MatrixView<double> operator[](std::size_t index) const {
    return {elements_[index].get(), block_, block_, block_};
  }
  [[nodiscard]] MatrixView<double> operator()(int i, int j) const { return (*this)[index(i, j)]; }

 private:
  std::int64_t block_;
  int side_;
  std::vector<std::size_t> index_;
  std::vector<std::unique_ptr<double[]>> elements_;
};

}  // namespace troupe::bench
