#include "service/configuration/weights.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "proto/mutex.hpp"
#include "proto/tokens.hpp"

namespace troupe::service {

namespace {

/// Calls `call(entry, buffer, size, result)` with growing buffers until the strings of the entry fit into `buffer`.
/// Returns the found entry; null if there is none.
template <class Entry, class Call>
const Entry* look_up(Entry& entry, std::vector<char>& buffer, Call call) {
  constexpr std::size_t kMost = std::size_t{1} << 24U;
  for (buffer.resize(4096); buffer.size() <= kMost; buffer.resize(buffer.size() * 4)) {
    Entry* result = nullptr;
    if (call(&entry, buffer.data(), buffer.size(), &result) != ERANGE) return result;
  }
  return nullptr;
}

/// Returns the user or group number if `name` consists of digits. The system need not know the number.
std::optional<std::uint32_t> as_number(const std::string& name) {
  const auto number = parse_integer(name);
  if (number.status != NumberStatus::ok || number.value < 0 || number.value > UINT32_MAX - 1) return std::nullopt;
  return static_cast<std::uint32_t>(number.value);
}

Result<std::uint32_t> find_user(const std::string& name) {
  if (const auto number = as_number(name)) return *number;
  passwd entry{};
  std::vector<char> buffer;
  const passwd* const found =
      look_up(entry, buffer, [&](auto... arguments) { return ::getpwnam_r(name.c_str(), arguments...); });
  if (found != nullptr) return found->pw_uid;
  return Failure{ErrorCode::bad_input, fmt::format("\"weights.users\": there is no user {}", troupe::quoted(name))};
}

Result<std::uint32_t> find_weighted_group(const std::string& name) {
  if (const auto number = as_number(name)) return *number;
  group entry{};
  std::vector<char> buffer;
  const group* const found =
      look_up(entry, buffer, [&](auto... arguments) { return ::getgrnam_r(name.c_str(), arguments...); });
  if (found != nullptr) return found->gr_gid;
  return Failure{ErrorCode::bad_input, fmt::format("\"weights.groups\": there is no group {}", troupe::quoted(name))};
}

/// Returns the user's groups; empty if the system does not know the user.
std::vector<gid_t> groups_of(std::uint32_t user) {
  passwd entry{};
  std::vector<char> buffer;
  const passwd* const found =
      look_up(entry, buffer, [&](auto... arguments) { return ::getpwuid_r(user, arguments...); });
  if (found == nullptr) return {};
  int count = 64;
  std::vector<gid_t> groups(static_cast<std::size_t>(count));
  while (::getgrouplist(found->pw_name, found->pw_gid, groups.data(), &count) < 0) {
    // Some systems do not set `count` to the needed size, so the size is doubled.
    groups.resize(std::max(groups.size() * 2, static_cast<std::size_t>(count)));
    count = static_cast<int>(groups.size());
  }
  groups.resize(static_cast<std::size_t>(count));
  return groups;
}

class Weights {
 public:
  Weights(double other, std::map<std::uint32_t, double> users, std::map<std::uint32_t, double> groups)
      : other_(other), users_(std::move(users)), groups_(std::move(groups)) {}

  double of(std::uint32_t user) {
    const LockGuard lock(mutex_);
    const auto known = users_.find(user);
    if (known != users_.end()) return known->second;
    return users_[user] = of_groups(user);
  }

 private:
  [[nodiscard]] double of_groups(std::uint32_t user) const {
    if (groups_.empty()) return other_;
    std::optional<double> largest;
    for (const gid_t group : groups_of(user)) {
      const auto found = groups_.find(group);
      if (found != groups_.end()) largest = std::max(largest.value_or(0), found->second);
    }
    return largest.value_or(other_);
  }

  const double other_;
  Mutex mutex_;
  /// The weights of users: those that the configuration names, and those that have been looked up since.
  std::map<std::uint32_t, double> users_ TROUPE_GUARDED_BY(mutex_);
  const std::map<std::uint32_t, double> groups_;
};

}  // namespace

std::function<double(std::uint32_t user)> weights_of(const WeightConfiguration& configuration,
                                                     const std::function<void(const std::string&)>& unknown) {
  const auto numbers_of = [&](const std::map<std::string, double>& named, auto find) {
    std::map<std::uint32_t, double> numbers;
    for (const auto& [name, weight] : named) {
      const Result<std::uint32_t> number = find(name);
      if (number) {
        numbers[number.value()] = weight;
      } else {
        unknown(number.failure().message);
      }
    }
    return numbers;
  };
  auto weights = std::make_shared<Weights>(configuration.other, numbers_of(configuration.users, find_user),
                                           numbers_of(configuration.groups, find_weighted_group));
  return [weights](std::uint32_t user) { return weights->of(user); };
}

}  // namespace troupe::service
