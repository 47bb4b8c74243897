/// Tasks that cores run in pieces.
#pragma once

#include <cstdint>

#include "troupe/codelet.hpp"

namespace troupe {

/// A codelet's implementation for cores that runs a task in pieces, see `Codelet::pieces`.
struct Pieces {
  /// The largest number of pieces of a task, so that numbers of pieces fit into 32 bits.
  static constexpr std::int64_t kMost = 0xffff'ffff;

  PieceCount count;
  PieceKernel piece;
  /// The number of pieces that a core takes at a time; at least 1.
  std::uint32_t grain = 1;

  /// Returns the value of `count`. Throws what `count` throws, and `Error` (`invalid_argument`) if the value is
  /// negative or more than `kMost`.
  [[nodiscard]] std::uint32_t count_of(const KernelContext& context) const;
  /// Runs `number` pieces one after the other, beginning with piece `first`; the task has `all` pieces. If a piece
  /// throws, the later pieces are not run, and an `Error` is thrown that names the piece.
  void run(std::uint32_t first, std::uint32_t number, std::uint32_t all, const KernelContext& context) const;
};

}  // namespace troupe
