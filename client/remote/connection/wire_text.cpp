#include "client/remote/connection/wire_text.hpp"

#include <algorithm>
#include <string_view>

#include "proto/utf8.hpp"

namespace troupe::remote {

std::string wire_text(const std::string& text) {
  std::string result;
  for (std::string_view rest = text; !rest.empty();) {
    const auto first = static_cast<unsigned char>(rest[0]);
    const std::size_t size = first < 0x20 || first == 0x7f ? 0 : character_length(rest);
    if (result.size() + std::max<std::size_t>(size, 1) > kLongestName) break;
    result += size == 0 ? "?" : rest.substr(0, size);
    rest.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return result;
}

}  // namespace troupe::remote
