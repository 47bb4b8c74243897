/// The NUMA node that each tile belongs to.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "proto/ids.hpp"

namespace troupe {

/// A block-cyclic distribution over a grid of nodes, as ScaLAPACK distributes matrices: tile (i, j) belongs to node (i
/// mod p) q + (j mod q). So every node owns an equal share of each step's tiles, and neighbours in a row or column of
/// tiles lie on few nodes.
class TileOwners {
 public:
  /// Returns the grid closest to a square that has exactly `nodes` nodes, with at most as many rows as columns.
  static TileOwners square(std::size_t nodes) {
    std::size_t rows = 1;
    for (std::size_t p = 1; p * p <= nodes; ++p) {
      if (nodes % p == 0) rows = p;
    }
    return {rows, nodes / rows};
  }
  /// Returns a distribution of whole block columns.
  static TileOwners columns(std::size_t nodes) { return {1, nodes}; }

  [[nodiscard]] NumaId owner(int i, int j) const {
    return NumaId(
        static_cast<std::uint16_t>(static_cast<std::size_t>(i) % rows_ * cols_ + static_cast<std::size_t>(j) % cols_));
  }
  [[nodiscard]] std::size_t nodes() const { return rows_ * cols_; }

 private:
  TileOwners(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols) {
    assert(rows_ > 0 && cols_ > 0 && "there is at least one node");
  }

  std::size_t rows_;
  std::size_t cols_;
};

}  // namespace troupe
