#include "opencl/analysis/kernel_facts.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "opencl/analysis/affine_form.hpp"

namespace troupe::opencl {
namespace {

/// A range of bytes, as distances from an argument's address. It may begin before that address.
struct SignedRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Returns the range of bytes that the access touches in all items of the evaluation; nothing if the range is not
/// known.
std::optional<SignedRange> bytes_of(const KernelFacts::Access& access, const Evaluation& evaluation) {
  const auto form = evaluation.form(access.offset);
  const auto offsets = form ? evaluation.range(*form) : std::nullopt;
  std::int64_t end = 0;
  if (!offsets || __builtin_add_overflow(offsets->greatest, access.size, &end)) return std::nullopt;
  return SignedRange{offsets->least, end};
}

std::optional<ByteRange> accessed_bytes(const KernelFacts& facts, const std::vector<KernelFacts::Access>& accesses,
                                        const ItemBox& items, const LaunchValues& values) {
  std::optional<SignedRange> all;
  for (const KernelFacts::Access& access : accesses) {
    Evaluation evaluation(facts, items, values);
    if (!evaluation.restrict_to(access.conditions)) continue;
    const auto bytes = bytes_of(access, evaluation);
    if (!bytes) return std::nullopt;
    if (!all) all = bytes;
    all = SignedRange{std::min(all->begin, bytes->begin), std::max(all->end, bytes->end)};
  }
  // In a correct program, accesses before the beginning of the buffer never happen: a condition of the kernel prevents
  // them.
  if (!all || all->end <= 0) return ByteRange{};
  return ByteRange{static_cast<std::uint64_t>(std::max<std::int64_t>(all->begin, 0)),
                   static_cast<std::uint64_t>(all->end)};
}

/// Sorts the ranges, and joins ranges that touch or overlap.
std::vector<SignedRange> merged(std::vector<SignedRange> ranges) {
  std::ranges::sort(ranges, {}, &SignedRange::begin);
  std::vector<SignedRange> result;
  for (const SignedRange& range : ranges) {
    if (!result.empty() && range.begin <= result.back().end) {
      result.back().end = std::max(result.back().end, range.end);
    } else {
      result.push_back(range);
    }
  }
  return result;
}

/// Returns the range that all items write together, if each item writes `piece`, shifted by its ids times the
/// coefficients. Returns nothing if the range has gaps.
std::optional<SignedRange> spread(SignedRange piece, const std::array<std::int64_t, kIds>& coefficients,
                                  const Evaluation& evaluation) {
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;  // The distance of each step, and the number of steps.
  for (std::size_t i = 0; i < kIds; ++i) {
    if (coefficients[i] == 0) continue;
    // Group ids and ids within a group depend on each other, and the ranges of the ids do not show this.
    if (i >= 3 || !evaluation.ids(i)) return std::nullopt;
    const Interval ids = *evaluation.ids(i);
    if (ids.greatest > ids.least) steps.emplace_back(std::abs(coefficients[i]), ids.greatest - ids.least);
    const std::int64_t from = coefficients[i] > 0 ? ids.least : ids.greatest;
    piece = {piece.begin + coefficients[i] * from, piece.end + coefficients[i] * from};
  }
  std::ranges::sort(steps);
  for (const auto& [step, count] : steps) {
    if (step > piece.end - piece.begin) return std::nullopt;
    piece.end += step * count;
  }
  return piece;
}

/// Returns the pieces that each item certainly writes, grouped by the coefficients of their offsets.
std::map<std::array<std::int64_t, kIds>, std::vector<SignedRange>> certain_pieces(
    const std::vector<KernelFacts::Access>& stores, const Evaluation& evaluation) {
  std::map<std::array<std::int64_t, kIds>, std::vector<SignedRange>> pieces;
  for (const KernelFacts::Access& access : stores) {
    const bool happens = access.certain && std::ranges::all_of(access.conditions, [&](const auto& condition) {
                           return evaluation.always(condition);
                         });
    const auto form = happens ? evaluation.form(access.offset) : std::nullopt;
    // The range is known, so the sums below do not overflow.
    if (form && evaluation.range(*form)) {
      pieces[form->coefficients].push_back({form->constant, form->constant + access.certain_size});
    }
  }
  return pieces;
}

}  // namespace

std::optional<ByteRange> stored_bytes(const KernelFacts& facts, std::size_t argument, const ItemBox& items,
                                      const LaunchValues& values) {
  const KernelFacts::Argument& what = facts.arguments.at(argument);
  if (!what.writes) return ByteRange{};
  return what.knows_stores ? accessed_bytes(facts, what.stores, items, values) : std::nullopt;
}

std::optional<ByteRange> loaded_bytes(const KernelFacts& facts, std::size_t argument, const ItemBox& items,
                                      const LaunchValues& values) {
  const KernelFacts::Argument& what = facts.arguments.at(argument);
  if (!what.reads) return ByteRange{};
  return what.knows_loads ? accessed_bytes(facts, what.loads, items, values) : std::nullopt;
}

bool stores_all(const KernelFacts& facts, std::size_t argument, const ItemBox& items, const LaunchValues& values) {
  const auto range = stored_bytes(facts, argument, items, values);
  if (!range) return false;
  if (range->empty()) return true;
  const Evaluation evaluation(facts, items, values);
  std::vector<SignedRange> written;
  for (const auto& [coefficients, pieces] : certain_pieces(facts.arguments[argument].stores, evaluation)) {
    for (const SignedRange& piece : merged(pieces)) {
      if (const auto all = spread(piece, coefficients, evaluation)) written.push_back(*all);
    }
  }
  return std::ranges::any_of(merged(written), [&](const SignedRange& all) {
    return all.begin <= static_cast<std::int64_t>(range->begin) && all.end >= static_cast<std::int64_t>(range->end);
  });
}

}  // namespace troupe::opencl
