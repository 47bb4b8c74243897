/// Tasks that cores run in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace troupe {

class KernelContext;

/// Of how many pieces a task is made, from the shapes of its data and its arguments.
using PieceCount = std::function<std::int64_t(const KernelContext&)>;
/// One of them, by its number. It may throw, as a `Kernel` may.
using PieceKernel = std::function<void(std::size_t piece, const KernelContext&)>;

/// A codelet's implementation for cores, see `Codelet::pieces`.
struct Pieces {
  /// So many that numbers of pieces fit into 32 bits.
  static constexpr std::int64_t kMost = 0xffff'ffff;

  PieceCount count;
  PieceKernel piece;
  /// Pieces that a core takes at a time; at least 1.
  std::uint32_t grain = 1;

  /// What `count` says. Throws what that throws, and `Error` (`invalid_argument`) for less than none or more than
  /// `kMost`.
  [[nodiscard]] std::uint32_t count_of(const KernelContext& context) const;
  /// Runs `number` pieces of a task of `all`, beginning with `first`, one after the other. What one of them throws is
  /// thrown as an `Error` that names the piece; those behind it are not run then.
  void run(std::uint32_t first, std::uint32_t number, std::uint32_t all, const KernelContext& context) const;
};

}  // namespace troupe
