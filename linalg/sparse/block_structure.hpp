/// Sparse structures that are made for the purpose.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "linalg/sparse/block_pattern.hpp"
#include "proto/errors.hpp"

namespace troupe::linalg {

struct BlockStructure {
  enum class Kind {
    /// A third of the blocks off the diagonal is empty, drawn from a seed; what fills in is full: J.-Y. Vet, P.
    /// Carribault
    /// and A. Cohen, Multigrain Affinity for Heterogeneous Work Stealing (2012), as one can read it.
    third,
    /// The same, read otherwise: the empty ones stay empty, and what would fill them in is left out.
    third_closed,
    /// That of the program sparselu in the Barcelona OpenMP Tasks Suite (A. Duran et al., ICPP 2009), with fill-in.
    bots,
    /// Full up to `width` blocks from the diagonal.
    band,
  };

  Kind kind = Kind::third;
  int width = 1;

  /// Whether what fills in becomes full.
  [[nodiscard]] bool fills_in() const { return kind != Kind::third_closed; }
};

/// `third`, `third-closed`, `bots`, `band:W`. `invalid_argument` says what is wrong.
[[nodiscard]] Result<BlockStructure> parse_structure(std::string_view text);
[[nodiscard]] std::string to_string(const BlockStructure& structure);

/// How many blocks are full before any fills in.
[[nodiscard]] std::int64_t full_before_fill_in(const BlockStructure& structure, int blocks, std::uint64_t seed);

/// With what fills in, where it does.
[[nodiscard]] BlockPattern pattern_of(const BlockStructure& structure, int blocks, std::uint64_t seed);

}  // namespace troupe::linalg
