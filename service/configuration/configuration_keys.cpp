#include "service/configuration/configuration_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <utility>

#include "actors/options/option_rows.hpp"
#include "actors/options/option_values.hpp"
#include "proto/edit_distance.hpp"
#include "proto/tokens.hpp"

namespace troupe::service {

namespace {

using NamedWeights = std::map<std::string, double>;
using Key = OptionOf<Configuration>;
using option_rows::bytes;
using option_rows::flag;
using option_rows::Names;
using option_rows::number;
using option_rows::row;
using option_rows::store;
using option_rows::text;
using option_rows::whole;
using option_rows::word;

constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
/// The range of weights. Shares are quotients of weights; these limits keep the quotients finite.
constexpr double kLeastWeight = 1e-6;
constexpr double kMostWeight = 1e6;
constexpr std::uint64_t kDay_s = 86'400;

Result<void> any_name(const std::string& /*text*/) { return {}; }

Result<void> check_absolute(const std::string& path) {
  if (path.starts_with('/')) return {};
  return Failure{ErrorCode::invalid_argument,
                 fmt::format("{} is no absolute path: give one that begins with /", troupe::quoted(path))};
}

constexpr Names key(std::string_view name, std::string_view description) {
  return {.word = name, .meaning = description};
}

constexpr Key cancel_after() {
  Key option = row<Key>(OptionKind::whole, key("stop.cancel_after_s",
                                               "Seconds that clients have to finish when the service stops; 0: as long "
                                               "as they take"));
  option.most = kDay_s;
  option.read = [](const Key& self, Configuration& c, const std::string& text) {
    const auto value = read_whole(text, self.least, self.most);
    if (!value) return Result<void>(value.failure());
    c.stop.cancel_after = std::chrono::seconds(value.value());
    return Result<void>();
  };
  option.text = [](const Configuration& c) { return std::to_string(c.stop.cancel_after / std::chrono::seconds(1)); };
  return option;
}

constexpr Key kernel_time() {
  Key option = row<Key>(OptionKind::number,
                        key("limits.kernel_s",
                            "Seconds that a kernel may take, as far as that can be told before, as nothing can "
                            "interrupt it; 0: any number"));
  option.most_number = kDay_s;
  option.read = [](const Key& self, Configuration& c, const std::string& text) -> Result<void> {
    constexpr double kLeast_s = 0.001;
    auto value = read_real(text, self.least_number, self.most_number);
    if (value && value.value() != 0) value = read_real(text, kLeast_s, self.most_number);
    if (!value) return value.failure();
    c.server.limits.kernel_time = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(value.value()));
    return {};
  };
  option.text = [](const Configuration& c) { return text_of(seconds(c.server.limits.kernel_time)); };
  return option;
}

constexpr std::array kSocketAndLimits{
    text<check_absolute, &Configuration::server, &ServerOptions::folder>(
        key("socket.folder", "Where the sockets are; empty: $XDG_RUNTIME_DIR/troupe, for root /run/troupe"), "/place",
        OptionKind::path),
    text<any_name, &Configuration::server, &ServerOptions::group>(
        key("socket.group", "Members of this group may use the service; empty: its owner and root alone"), "group"),
    flag<&Configuration::server, &ServerOptions::inherit_sockets>(
        key("socket.inherit", "Take the sockets that systemd passes, where it does")),
    whole<&Configuration::server, &ServerOptions::sessions>(key("limits.clients", "Clients at a time"), 1, 100'000),
    whole<&Configuration::server, &ServerOptions::sessions_per_user>(
        key("limits.clients_per_user", "And those of one user"), 1, 100'000),
    whole<&Configuration::server, &ServerOptions::connections_per_user>(
        key("limits.connections_per_user", "Connections at a time of one user to each socket"), 1, 1'000'000),
    whole<&Configuration::server, &ServerOptions::connections_per_second>(
        key("limits.connections_per_s", "Connections of one user to each socket in a second; more wait"), 1, 1'000'000),
    whole<&Configuration::server, &ServerOptions::calls_per_second>(
        key("limits.calls_per_s", "Calls of one user in a second, such as those of troupe status"), 1, 1'000'000),
    bytes<&Configuration::server, &ServerOptions::unread_answers>(
        key("limits.unread_answers", "Answers to calls that one user has not read, with their unit"), "1MiB"),
    whole<&Configuration::server, &ServerOptions::limits, &SessionLimits::tasks>(
        key("limits.tasks", "Tasks in flight of one client, those of runs of recordings included"), 1, kMost),
    whole<&Configuration::server, &ServerOptions::limits, &SessionLimits::recorded_tasks>(
        key("limits.recorded_tasks", "Tasks in all recordings of one client"), 0, kMost),
    whole<&Configuration::server, &ServerOptions::limits, &SessionLimits::handles>(
        key("limits.handles", "Registered handles of one client, blocks included"), 1, kMost),
    bytes<&Configuration::server, &ServerOptions::limits, &SessionLimits::memory>(
        key("limits.memory", "Shared memory of one client, with its unit"), "1MiB"),
    bytes<&Configuration::server, &ServerOptions::limits, &SessionLimits::memory_per_user>(
        key("limits.memory_per_user",
            "The same of all clients of a user together, with what the service keeps for them; empty: three quarters "
            "of the machine's"),
        "1MiB"),
    whole<&Configuration::server, &ServerOptions::limits, &SessionLimits::segments>(
        key("limits.segments", "Segments of shared memory of one client"), 1, 1'000'000),
    kernel_time(),
};

/// Makes the option that limits what each user may have of resource number `at`.
template <std::size_t at>
constexpr Key budget() {
  Key option = row<Key>(OptionKind::whole, key(kBudgetTraits[at].key, kBudgetTraits[at].what));
  option.most = kMost;
  option.read = [](const Key& self, Configuration& c, const std::string& text) {
    return store(read_whole(text, self.least, self.most), c.server.budgets_per_user[at]);
  };
  option.text = [](const Configuration& c) { return std::to_string(c.server.budgets_per_user[at]); };
  return option;
}

template <std::size_t... at>
constexpr std::array<Key, kResources> budgets(std::index_sequence<at...> /*all*/) {
  return {budget<at>()...};
}

constexpr std::array<Key, kResources> kBudgets = budgets(std::make_index_sequence<kResources>());

constexpr Key kOtherWeight = number<&Configuration::weights, &WeightConfiguration::other>(
    key("weights.other", "Share of the workers of a user who is not named below, nor are his groups"), kLeastWeight,
    kMostWeight);

constexpr std::array kOthers{
    flag<&Configuration::plugins, &PluginConfiguration::strict>(
        key("plugins.strict", "A plug-in that cannot be used keeps the service from starting")),
    flag<&Configuration::http, &HttpConfiguration::enabled>(
        key("http.enabled", "Offer metrics and the page over HTTP")),
    text<any_name, &Configuration::http, &HttpConfiguration::address>(
        key("http.address", "Address to listen on; other than loopback only with a token"), "::1"),
    whole<&Configuration::http, &HttpConfiguration::port>(key("http.port", "Port to listen on; 0: one that is free"), 0,
                                                          65535),
    text<check_absolute, &Configuration::http, &HttpConfiguration::token_file>(
        key("http.token_file", "File with the token that callers must show; only its owner may read it"), "/place",
        OptionKind::path),
    word<&Configuration::log, &LogConfiguration::format>(key("log.format", "text, or json: one object per line"),
                                                         "text json"),
    word<&Configuration::log, &LogConfiguration::level>(
        key("log.level", "The least that is logged: debug, info, warning or error"), "debug info warning error"),
    text<check_absolute, &Configuration::log, &LogConfiguration::file>(
        key("log.file", "File that the log is appended to; empty: standard error"), "/place", OptionKind::path),
    cancel_after(),
};

ValueKind kind_of(OptionKind kind) {
  switch (kind) {
    case OptionKind::flag: return ValueKind::flag;
    case OptionKind::whole: return ValueKind::whole;
    case OptionKind::number: return ValueKind::number;
    default: return ValueKind::text;
  }
}

ConfigurationKey key_of(const Key& option) {
  return {.name = std::string(option.word),
          .description = std::string(option.meaning),
          .kind = kind_of(option.kind),
          .row = &option,
          .set = [&option](const KeyTexts& given, Configuration& c) { return option.read(option, c, given.back()); },
          .get = [&option](const Configuration& c) { return KeyTexts{option.text(c)}; }};
}

ConfigurationKey key_of(const RuntimeOption& option) {
  return {.name = option.key(),
          .description = option.help(),
          .kind = kind_of(option.kind),
          .row = &option,
          .set = [&option](const KeyTexts& given, Configuration& c) -> Result<void> {
            // A service has no working folder to which a relative path could refer.
            const std::string folder = option.kind == OptionKind::path ? model_folder_of(given.back()) : "";
            if (!folder.empty() && !folder.starts_with('/')) {
              return Failure{
                  ErrorCode::invalid_argument,
                  fmt::format("{} is no absolute path: give one, default or none", troupe::quoted(given.back()))};
            }
            return option.read(option, c.server.runtime, given.back());
          },
          .get = [&option](const Configuration& c) { return KeyTexts{option.text(c.server.runtime)}; }};
}

std::string capitalized(std::string_view text) {
  std::string capital(text);
  capital[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(capital[0])));
  return capital;
}

ConfigurationKey budget_key(const Key& budget) {
  ConfigurationKey made = key_of(budget);
  made.description =
      fmt::format("{} of all clients of a user; 0: half of what the system has for all", capitalized(budget.meaning));
  return made;
}

ConfigurationKey weights_key(std::string name, std::string description, NamedWeights WeightConfiguration::*place) {
  return {.name = std::move(name),
          .description = std::move(description),
          .kind = ValueKind::weights,
          .set = [place](const KeyTexts& given, Configuration& c) -> Result<void> {
            for (const std::string& one : given) {
              const std::size_t equals = one.rfind('=');
              if (equals == std::string::npos || equals == 0) {
                return Failure{
                    ErrorCode::invalid_argument,
                    fmt::format("{} is no weight: give a name and a number, such as alice=2", troupe::quoted(one))};
              }
              const auto weight = read_real(std::string_view(one).substr(equals + 1), kLeastWeight, kMostWeight);
              if (!weight) return weight.failure();
              (c.weights.*place)[one.substr(0, equals)] = weight.value();
            }
            return {};
          },
          .get =
              [place](const Configuration& c) {
                KeyTexts texts;
                for (const auto& [who, weight] : c.weights.*place) texts.push_back(fmt::format("{}={}", who, weight));
                return texts;
              }};
}

ConfigurationKey plugin_folders() {
  return {.name = "plugins.folders",
          .description = "Folders of plug-ins, which nobody but root and the service's user may write: docs/plugins.md",
          .kind = ValueKind::texts,
          .set = [](const KeyTexts& given, Configuration& c) -> Result<void> {
            for (const std::string& folder : given) {
              if (Result<void> usable = check_absolute(folder); !usable) return usable;
            }
            c.plugins.folders = given;
            return {};
          },
          .get = [](const Configuration& c) { return c.plugins.folders; }};
}

std::vector<ConfigurationKey> all_keys() {
  std::vector<ConfigurationKey> keys;
  keys.reserve(kSocketAndLimits.size() + kBudgets.size() + runtime_options().size() + kOthers.size() + 4);
  for (const Key& option : kSocketAndLimits) keys.push_back(key_of(option));
  for (const Key& budget : kBudgets) keys.push_back(budget_key(budget));
  keys.push_back(key_of(kOtherWeight));
  keys.push_back(weights_key("weights.users", "Shares of users, by name: { alice = 2 }", &WeightConfiguration::users));
  keys.push_back(weights_key("weights.groups", "Shares of members of groups, by name", &WeightConfiguration::groups));
  for (const RuntimeOption& option : runtime_options()) {
    if (option.has(OptionDoor::service)) keys.push_back(key_of(option));
  }
  keys.push_back(plugin_folders());
  for (const Key& option : kOthers) keys.push_back(key_of(option));
  return keys;
}

}  // namespace

std::string_view describe(ValueKind kind) {
  switch (kind) {
    case ValueKind::flag: return "true or false";
    case ValueKind::whole: return "a whole number";
    case ValueKind::number: return "a number";
    case ValueKind::text: return "a text in quotes";
    case ValueKind::texts: return "a list of texts";
    case ValueKind::weights: return "a table of names and numbers";
  }
  return "";
}

std::span<const ConfigurationKey> configuration_keys() {
  static const std::vector<ConfigurationKey> keys = all_keys();
  return keys;
}

const ConfigurationKey* find_key(std::string_view name) {
  // Older files use the former name of this key.
  if (name == "runtime.restrict_to") name = "runtime.cpus";
  const auto keys = configuration_keys();
  const auto found = std::ranges::find(keys, name, &ConfigurationKey::name);
  return found == keys.end() ? nullptr : &*found;
}

std::string nearest_key(std::string_view name) {
  constexpr std::size_t kLongestName = 64;
  if (name.size() > kLongestName) return {};
  std::string nearest;
  std::size_t least = name.size() / 2 + 1;
  const std::string_view last_given = name.substr(name.rfind('.') + 1);
  for (const ConfigurationKey& key : configuration_keys()) {
    // A key with a similar last word in its name, but in another section, also counts as near.
    const std::size_t away = std::min(edit_distance(name, key.name), edit_distance(last_given, key.last_name()) + 2);
    if (away < least) {
      least = away;
      nearest = key.name;
    }
  }
  return nearest;
}

Result<void> set_from_text(const ConfigurationKey& key, const KeyTexts& given, Configuration& configuration) {
  if (given.empty()) return {};
  Result<void> set = key.set(given, configuration);
  if (set) return set;
  return Failure{ErrorCode::invalid_argument, fmt::format("--{}: {}", key.name, set.failure().message)};
}

}  // namespace troupe::service
