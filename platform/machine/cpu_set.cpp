#include "platform/machine/cpu_set.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

namespace troupe::platform {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

std::optional<int> parse_pu(std::string_view text) {
  text = trimmed(text);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > kMaxPu) return std::nullopt;
  return value;
}

std::optional<std::pair<int, int>> parse_range(std::string_view text) {
  const auto dash = text.find('-');
  const auto first = parse_pu(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_pu(text.substr(dash + 1));
  if (!first || !last || *first > *last) return std::nullopt;
  return std::pair(*first, *last);
}

}  // namespace

Result<CpuSet> parse_cpu_set(std::string_view text) {
  std::vector<bool> member(kMaxPu + 1, false);
  for (std::string_view rest = text;;) {
    const auto comma = rest.find(',');
    const auto range = parse_range(rest.substr(0, comma));
    if (!range) {
      return Failure{ErrorCode::invalid_argument, "\"" + std::string(text) +
                                                      "\" is not a list of CPUs: write numbers and ranges up to " +
                                                      std::to_string(kMaxPu) + " with commas, for instance 0-3,8"};
    }
    std::fill(member.begin() + range->first, member.begin() + range->second + 1, true);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  CpuSet set;
  for (int pu = 0; pu <= kMaxPu; ++pu) {
    if (member[static_cast<std::size_t>(pu)]) set.push_back(pu);
  }
  return set;
}

std::string to_string(const CpuSet& set) {
  if (set.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < set.size();) {
    std::size_t last = i;
    while (last + 1 < set.size() && set[last + 1] == set[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(set[i]);
    if (last > i) text += '-' + std::to_string(set[last]);
    i = last + 1;
  }
  return text;
}

CpuSet intersection(const CpuSet& a, const CpuSet& b) {
  CpuSet both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

bool contains(const CpuSet& set, int pu) { return std::binary_search(set.begin(), set.end(), pu); }

}  // namespace troupe::platform
