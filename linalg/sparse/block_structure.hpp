/// Structures of sparse matrices that are generated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "linalg/sparse/block_pattern.hpp"
#include "troupe/errors.hpp"

namespace troupe::linalg {

struct BlockStructure {
  enum class Kind {
    /// A third of the blocks off the diagonal, drawn from a seed, is empty; blocks that fill in become full. It is one
    /// reading of J.-Y. Vet, P. Carribault and A. Cohen, Multigrain Affinity for Heterogeneous Work Stealing (2012).
    third,
    /// A third of the blocks is empty, as in `third`, but these stay empty, and products that would fill them in are
    /// left out. It is another reading of the same paper.
    third_closed,
    /// The structure of the program sparselu in the Barcelona OpenMP Tasks Suite (A. Duran et al., ICPP 2009), with
    /// fill-in.
    bots,
    /// The blocks up to `width` blocks from the diagonal are full.
    band,
  };

  Kind kind = Kind::third;
  int width = 1;

  /// Returns true if blocks that fill in become full.
  [[nodiscard]] bool fills_in() const { return kind != Kind::third_closed; }
};

/// Parses `third`, `third-closed`, `bots`, `band:W`. Fails with `invalid_argument` and a message that says what is
/// wrong.
[[nodiscard]] Result<BlockStructure> parse_structure(std::string_view text);
[[nodiscard]] std::string to_string(const BlockStructure& structure);

/// Returns the number of blocks that are full before any fills in.
[[nodiscard]] std::int64_t full_before_fill_in(const BlockStructure& structure, int blocks, std::uint64_t seed);

/// Returns the pattern, with fill-in if the structure has it.
[[nodiscard]] BlockPattern pattern_of(const BlockStructure& structure, int blocks, std::uint64_t seed);

}  // namespace troupe::linalg
