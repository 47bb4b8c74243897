#include "lab/bench/pattern.hpp"

#include <algorithm>
#include <bit>

namespace troupe::bench {
namespace {

/// The number of rows after which random dependencies repeat, as in Task Bench: three successive rows differ.
constexpr std::int64_t kRandomPeriod = 3;

/// Returns true for a quarter of all arguments. The choice is random, but the same for equal arguments.
bool connected(int radix, std::int64_t set, int from, int to) {
  std::uint64_t state = 0;
  for (const auto value : {static_cast<std::int64_t>(radix), set, std::int64_t{from}, std::int64_t{to}}) {
    // SplitMix64, Steele et al., OOPSLA 2014.
    state += static_cast<std::uint64_t>(value) + 0x9E3779B97F4A7C15ULL;
    state = (state ^ (state >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    state = (state ^ (state >> 27U)) * 0x94D049BB133111EBULL;
    state ^= state >> 31U;
  }
  return state % 4 == 0;
}

std::int64_t period_of(const GraphShape& shape) {
  if (shape.pattern == Pattern::random_nearest) return kRandomPeriod;
  if (shape.pattern != Pattern::fft) return 1;
  return std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(shape.width - 1))));
}

/// Appends the columns from `first` to `last` that exist and for which `take` returns true.
template <class Take>
void append_range(std::vector<int>& columns, int width, int first, int last, Take take) {
  for (int column = std::max(0, first); column <= std::min(last, width - 1); ++column) {
    if (take(column)) columns.push_back(column);
  }
}

/// Appends the inputs of task `column` in a row whose number modulo `period` is `set`.
void append_inputs(const GraphShape& shape, std::int64_t period, std::int64_t set, int column,
                   std::vector<int>& columns) {
  const auto any = [](int) { return true; };
  const int first = column - shape.radix / 2;
  const int last = column + (shape.radix - 1) / 2;
  switch (shape.pattern) {
    case Pattern::trivial: return;
    case Pattern::stencil_1d: return append_range(columns, shape.width, column - 1, column + 1, any);
    case Pattern::stencil_2d: {
      const int side = shape.width;
      const int row = column % side;
      for (int j = std::max(0, column / side - 1); j <= std::min(column / side + 1, side - 1); ++j) {
        for (int i = std::max(0, row - 1); i <= std::min(row + 1, side - 1); ++i) columns.push_back(i + j * side);
      }
      return;
    }
    case Pattern::fft: {
      const int stride = 1 << ((set + period - 1) % period);
      return append_range(columns, shape.width, column - stride, column + stride,
                          [&](int from) { return (column - from) % stride == 0; });
    }
    case Pattern::nearest:
      if (shape.radix > 0) append_range(columns, shape.width, first, last, any);
      return;
    case Pattern::random_nearest:
      if (shape.radix == 0) return;
      return append_range(columns, shape.width, first, last,
                          [&](int from) { return from == column || connected(shape.radix, set, from, column); });
    case Pattern::tree: columns.push_back(column / 2); return;
  }
}

}  // namespace

const char* to_string(Pattern pattern) {
  switch (pattern) {
    case Pattern::trivial: return "trivial";
    case Pattern::stencil_1d: return "stencil_1d";
    case Pattern::stencil_2d: return "stencil_2d";
    case Pattern::fft: return "fft";
    case Pattern::nearest: return "nearest";
    case Pattern::random_nearest: return "random_nearest";
    case Pattern::tree: return "tree";
  }
  return "unknown";
}

std::optional<Pattern> pattern_named(std::string_view name) {
  for (const Pattern pattern : kPatterns) {
    if (name == to_string(pattern)) return pattern;
  }
  return std::nullopt;
}

bool has_radix(Pattern pattern) { return pattern == Pattern::nearest || pattern == Pattern::random_nearest; }

GraphPattern::GraphPattern(const GraphShape& shape) : shape_(shape), period_(period_of(shape)) {
  begins_.push_back(0);
  for (std::int64_t set = 0; set < period_; ++set) {
    for (int column = 0; column < width(); ++column) {
      append_inputs(shape_, period_, set, column, columns_);
      begins_.push_back(columns_.size());
    }
  }
}

int GraphPattern::row_width(std::int64_t step) const {
  constexpr std::int64_t kWidest = 30;
  if (shape_.pattern != Pattern::tree || step >= kWidest) return width();
  return std::min(shape_.width, 1 << step);
}

std::int64_t GraphPattern::tasks(std::int64_t steps) const {
  std::int64_t tasks = 0;
  std::int64_t step = 0;
  for (; step < steps && row_width(step) < width(); ++step) tasks += row_width(step);
  return tasks + (steps - step) * width();
}

}  // namespace troupe::bench
