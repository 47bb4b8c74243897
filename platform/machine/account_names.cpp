#include "platform/machine/account_names.hpp"

#include <grp.h>
#include <pwd.h>

#include <cerrno>
#include <cstddef>
#include <vector>

namespace troupe::platform {

namespace {

/// Returns the name of the entry that `call` (getpwuid_r or getgrgid_r) finds for `number`.
template <class Entry, class Call>
std::string name_found(std::uint32_t number, char* Entry::*name, Call call) {
  constexpr std::size_t kMost = std::size_t{1} << 24U;
  for (std::vector<char> buffer(4096); buffer.size() <= kMost; buffer.resize(buffer.size() * 4)) {
    Entry entry{};
    Entry* found = nullptr;
    if (call(number, &entry, buffer.data(), buffer.size(), &found) == ERANGE) continue;
    if (found != nullptr) return found->*name;
    break;
  }
  return std::to_string(number);
}

}  // namespace

std::string user_name(std::uint32_t user) { return name_found(user, &passwd::pw_name, ::getpwuid_r); }
std::string group_name(std::uint32_t group) { return name_found(group, &::group::gr_name, ::getgrgid_r); }

}  // namespace troupe::platform
