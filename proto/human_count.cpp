#include "proto/human_count.hpp"

#include <cstddef>

namespace troupe {

std::string human_count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return human_count(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace troupe
