#include "lab/bench/sparse/separate_blocks.hpp"

namespace troupe::bench {

SeparateBlocks::SeparateBlocks(const linalg::BlockPattern& pattern, std::int64_t block)
    : block_(block),
      side_(pattern.blocks()),
      index_(static_cast<std::size_t>(pattern.blocks()) * static_cast<std::size_t>(pattern.blocks())) {
  for (int i = 0; i < pattern.blocks(); ++i) {
    pattern.for_row(i, 0, [&](int j) {
      index_[static_cast<std::size_t>(i) * static_cast<std::size_t>(side_) + static_cast<std::size_t>(j)] =
          elements_.size();
      elements_.push_back(std::make_unique<double[]>(static_cast<std::size_t>(block * block)));
    });
  }
}

}  // namespace troupe::bench
