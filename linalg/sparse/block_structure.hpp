/// Structures of generated sparse matrices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "linalg/sparse/block_pattern.hpp"
#include "troupe/errors.hpp"

namespace troupe::linalg {

struct BlockStructure {
  enum class Kind {
    /// A random third of the blocks off the diagonal is empty before the factorization; fill-in makes blocks full. This
    /// is one interpretation of J.-Y. Vet, P. Carribault and A. Cohen, Multigrain Affinity for Heterogeneous Work
    /// Stealing (2012).
    third,
    /// A third of the blocks is empty, as in `third`, but these blocks stay empty: products that would fill them in are
    /// skipped. This is another interpretation of the same paper.
    third_closed,
    /// The structure of the program sparselu in the Barcelona OpenMP Tasks Suite (A. Duran et al., ICPP 2009), with
    /// fill-in.
    bots,
    /// The blocks at a distance of at most `width` blocks from the diagonal are full.
    band,
  };

  Kind kind = Kind::third;
  int width = 1;

  /// Returns true if blocks that fill in become full.
  [[nodiscard]] bool fills_in() const { return kind != Kind::third_closed; }
};

/// Parses `third`, `third-closed`, `bots`, `band:W`. Fails with `invalid_argument` if the text is none of these; the
/// message says what is wrong.
[[nodiscard]] Result<BlockStructure> parse_structure(std::string_view text);
[[nodiscard]] std::string to_string(const BlockStructure& structure);

/// Returns the number of blocks that are full before fill-in.
[[nodiscard]] std::int64_t full_before_fill_in(const BlockStructure& structure, int blocks, std::uint64_t seed);

/// Returns the pattern, including fill-in if `fills_in` is true for the structure.
[[nodiscard]] BlockPattern pattern_of(const BlockStructure& structure, int blocks, std::uint64_t seed);

}  // namespace troupe::linalg
