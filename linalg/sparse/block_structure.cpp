#include "linalg/sparse/block_structure.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <limits>

#include "proto/random.hpp"
#include "proto/tokens.hpp"

namespace troupe::linalg {
namespace {

bool is_full_in_bots(int i, int j) {
  if (std::abs(i - j) <= 1) return true;
  return i % 2 == 0 && j % 2 == 0 && (i < j ? i : j) % 3 == 0;
}

/// Makes all blocks on the diagonal full, and about two thirds of the other blocks, chosen at random.
void draw(BlockPattern& pattern, std::uint64_t seed) {
  Random random(seed);
  for (int column = 0; column < pattern.blocks(); ++column) {
    for (int row = 0; row < pattern.blocks(); ++row) {
      if (row == column || random.below(3) != 0) pattern.set(row, column);
    }
  }
}

/// Returns the pattern without fill-in.
BlockPattern bare_pattern(const BlockStructure& structure, int blocks, std::uint64_t seed) {
  using Kind = BlockStructure::Kind;
  BlockPattern pattern(blocks);
  if (structure.kind == Kind::third || structure.kind == Kind::third_closed) {
    draw(pattern, seed);
    return pattern;
  }
  for (int i = 0; i < blocks; ++i) {
    for (int j = 0; j < blocks; ++j) {
      if (structure.kind == Kind::bots ? is_full_in_bots(i, j) : std::abs(i - j) <= structure.width) pattern.set(i, j);
    }
  }
  return pattern;
}

}  // namespace

Result<BlockStructure> parse_structure(std::string_view text) {
  using Kind = BlockStructure::Kind;
  if (text == "third") return BlockStructure{Kind::third};
  if (text == "third-closed") return BlockStructure{Kind::third_closed};
  if (text == "bots") return BlockStructure{Kind::bots};
  constexpr std::string_view kBand = "band:";
  if (text.starts_with(kBand)) {
    const auto width = parse_integer(text.substr(kBand.size()));
    if (width.status == NumberStatus::ok && width.value >= 0 && width.value <= std::numeric_limits<int>::max()) {
      return BlockStructure{Kind::band, static_cast<int>(width.value)};
    }
    return Failure{ErrorCode::invalid_argument,
                   fmt::format("the width of the band in {} is no number of blocks: 'band:2', say", quoted(text))};
  }
  return Failure{ErrorCode::invalid_argument,
                 fmt::format("the structure {} is unknown; known are third, third-closed, bots, band:W and a Matrix "
                             "Market file (*.mtx)",
                             quoted(text))};
}

std::string to_string(const BlockStructure& structure) {
  switch (structure.kind) {
    case BlockStructure::Kind::third: return "third";
    case BlockStructure::Kind::third_closed: return "third-closed";
    case BlockStructure::Kind::bots: return "bots";
    case BlockStructure::Kind::band: return fmt::format("band:{}", structure.width);
  }
  return "unknown";
}

std::int64_t full_before_fill_in(const BlockStructure& structure, int blocks, std::uint64_t seed) {
  return bare_pattern(structure, blocks, seed).count();
}

BlockPattern pattern_of(const BlockStructure& structure, int blocks, std::uint64_t seed) {
  BlockPattern pattern = bare_pattern(structure, blocks, seed);
  if (structure.fills_in()) pattern.fill_in();
  return pattern;
}

}  // namespace troupe::linalg
