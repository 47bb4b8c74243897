#include "proto/edit_distance.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "proto/tokens.hpp"

namespace troupe {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Row i holds the distances between the first i letters of `a` and each beginning of `b`; `above` is row i - 1, and
  // `before` is row i - 2.
  std::vector<std::size_t> row(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> before(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::swap(before, above);
    std::swap(above, row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({above[j] + (a[i] == b[j] ? 0 : 1), above[j + 1] + 1, row[j] + 1});
      const bool swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (swapped) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
  }
  return row.back();
}

std::string nearest_name(std::string_view name, std::span<const std::string> names) {
  constexpr std::size_t kLongestName = 64;
  if (name.size() > kLongestName) return {};
  const std::string small = lower_case(name);
  std::string nearest;
  std::size_t least = kLongestName;
  for (const std::string& known : names) {
    const std::size_t away = edit_distance(small, lower_case(known));
    const std::size_t near = std::max<std::size_t>(known.size() > 3 ? 2 : 1, known.size() / 3);
    if (away >= least || away > near || away >= known.size()) continue;
    least = away;
    nearest = known;
  }
  return nearest;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> names) {
  const std::string nearest = nearest_name(name, names);
  return nearest.empty() ? std::string() : "; did you mean " + nearest + "?";
}

}  // namespace troupe
