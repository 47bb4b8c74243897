#include "service/configuration/configuration_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <type_traits>

#include "actors/options/option_table.hpp"
#include "actors/options/option_values.hpp"
#include "proto/byte_amounts.hpp"
#include "proto/edit_distance.hpp"
#include "proto/tokens.hpp"

namespace troupe::service {

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// The check of a key that accepts every value.
constexpr auto kAny = [](const auto&) -> Wrong { return std::nullopt; };

/// Makes a key whose value is a `T`. `place` is a function from a configuration to a reference to the value.
template <class T, class Place, class Check>
ConfigurationKey key(std::string name, std::string description, Place place, Check check) {
  using Member = std::remove_reference_t<decltype(place(std::declval<Configuration&>()))>;
  return {.name = std::move(name),
          .description = std::move(description),
          .kind = static_cast<ValueKind>(ConfigurationValue(T()).index()),
          .set = [place, check](const ConfigurationValue& given, Configuration& c) -> Wrong {
            const T& value = std::get<T>(given);
            if (Wrong wrong = check(value)) return wrong;
            place(c) = static_cast<Member>(value);
            return std::nullopt;
          },
          .get = [place](const Configuration& c) -> ConfigurationValue {
            return static_cast<T>(place(const_cast<Configuration&>(c)));
          }};
}

template <class Place>
ConfigurationKey flag(std::string name, std::string description, Place place) {
  return key<bool>(std::move(name), std::move(description), place, kAny);
}

template <class Place>
ConfigurationKey whole(std::string name, std::string description, std::int64_t least, std::int64_t most, Place place) {
  return key<std::int64_t>(std::move(name), std::move(description), place, [least, most](std::int64_t value) -> Wrong {
    if (value < least) return fmt::format("must be at least {}", least);
    if (value > most) return fmt::format("must be at most {}", most);
    return std::nullopt;
  });
}

template <class Place, class Check = decltype(kAny)>
ConfigurationKey text(std::string name, std::string description, Place place, Check check = kAny) {
  return key<std::string>(std::move(name), std::move(description), place, check);
}

constexpr const char* kAmount = "must be an amount of memory above zero with its unit, such as \"64GiB\"";

template <class Place>
ConfigurationKey memory(std::string name, std::string description, Place place) {
  return {.name = std::move(name),
          .description = std::move(description),
          .kind = ValueKind::text,
          .set = [place](const ConfigurationValue& given, Configuration& c) -> Wrong {
            const auto bytes = parse_bytes(std::get<std::string>(given));
            if (!bytes || bytes->count == 0) return kAmount;
            place(c) = *bytes;
            return std::nullopt;
          },
          .get = [place](const Configuration& c) { return text_of(place(const_cast<Configuration&>(c))); }};
}

/// Makes a key whose value is one of `words`; the values of `Enum` count from 0 in the same order.
template <class Place>
ConfigurationKey choice(std::string name, std::string description, std::vector<std::string> words, Place place) {
  using Enum = std::remove_reference_t<decltype(place(std::declval<Configuration&>()))>;
  return {.name = std::move(name),
          .description = std::move(description),
          .kind = ValueKind::text,
          .set = [place, words](const ConfigurationValue& given, Configuration& c) -> Wrong {
            const auto found = std::ranges::find(words, std::get<std::string>(given));
            if (found == words.end()) return fmt::format("must be one of {}", fmt::join(words, ", "));
            place(c) = static_cast<Enum>(found - words.begin());
            return std::nullopt;
          },
          .get =
              [place, words](const Configuration& c) {
                return words[static_cast<std::size_t>(place(const_cast<Configuration&>(c)))];
              }};
}

Wrong check_absolute(const std::string& path) {
  if (path.empty() || path.front() == '/') return std::nullopt;
  return "must be an absolute path";
}

/// Returns true if a weight is allowed. Shares are quotients of weights; these limits keep the quotients finite.
bool is_weight(double value) { return value >= 1e-6 && value <= 1e6; }
using NamedWeights = std::map<std::string, double>;

Wrong check_weights(const NamedWeights& weights) {
  if (std::ranges::all_of(weights, [](const auto& one) { return is_weight(one.second); })) return std::nullopt;
  return "must have weights from 0.000001 to 1000000";
}

Wrong check_other_weight(double value) {
  if (is_weight(value)) return std::nullopt;
  return "must be from 0.000001 to 1000000";
}

ConfigurationKey cancel_after() {
  return {
      .name = "stop.cancel_after_s",
      .description = "Seconds that clients have to finish when the service stops; 0: as long as they take",
      .kind = ValueKind::whole,
      .set = [](const ConfigurationValue& given, Configuration& c) -> Wrong {
        const std::int64_t value = std::get<std::int64_t>(given);
        if (value < 0) return "must be at least 0";
        if (value > 86'400) return "must be at most 86400, a day";
        c.stop.cancel_after = std::chrono::seconds(value);
        return std::nullopt;
      },
      .get = [](const Configuration& c) -> ConfigurationValue {
        return static_cast<std::int64_t>(std::chrono::duration_cast<std::chrono::seconds>(c.stop.cancel_after).count());
      }};
}

ConfigurationKey kernel_time() {
  return {.name = "limits.kernel_s",
          .description =
              "Seconds that a kernel may take, as far as that can be told before, as nothing can interrupt it; "
              "0: any number",
          .kind = ValueKind::number,
          .set = [](const ConfigurationValue& given, Configuration& c) -> Wrong {
            const double value = std::get<double>(given);
            if (!(value == 0 || (value >= 0.001 && value <= 86'400))) return "must be 0, or from 0.001 to 86400, a day";
            c.server.limits.kernel_time = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(value));
            return std::nullopt;
          },
          .get = [](const Configuration& c) -> ConfigurationValue { return seconds(c.server.limits.kernel_time); }};
}

/// Makes a key for an amount of memory. If the key has no value, the service chooses the amount.
template <class Place>
ConfigurationKey optional_memory(std::string name, std::string description, Place place) {
  return {.name = std::move(name),
          .description = std::move(description),
          .kind = ValueKind::text,
          .set = [place](const ConfigurationValue& given, Configuration& c) -> Wrong {
            const auto& text = std::get<std::string>(given);
            std::optional<Bytes>& memory = place(c);
            memory = text.empty() ? std::nullopt : parse_bytes(text);
            if (!text.empty() && (!memory || memory->count == 0)) return kAmount;
            return std::nullopt;
          },
          .get =
              [place](const Configuration& c) {
                const std::optional<Bytes>& memory = place(const_cast<Configuration&>(c));
                return memory ? text_of(*memory) : std::string();
              }};
}

Wrong check_folders(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    if (folder.empty() || check_absolute(folder)) return "must have absolute paths";
  }
  return std::nullopt;
}

std::string capitalized(std::string_view text) {
  std::string capital(text);
  capital[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(capital[0])));
  return capital;
}

#define TROUPE_PLACE(member) \
  [](Configuration & c) -> auto& { return c.member; }

void add_socket_and_limits(std::vector<ConfigurationKey>& keys) {
  keys.push_back(text("socket.folder", "Where the sockets are; empty: $XDG_RUNTIME_DIR/troupe, for root /run/troupe",
                      TROUPE_PLACE(server.folder), check_absolute));
  keys.push_back(text("socket.group", "Members of this group may use the service; empty: its owner and root alone",
                      TROUPE_PLACE(server.group)));
  keys.push_back(flag("socket.inherit", "Take the sockets that systemd passes, where it does",
                      TROUPE_PLACE(server.inherit_sockets)));
  keys.push_back(whole("limits.clients", "Clients at a time", 1, 100'000, TROUPE_PLACE(server.sessions)));
  keys.push_back(
      whole("limits.clients_per_user", "And those of one user", 1, 100'000, TROUPE_PLACE(server.sessions_per_user)));
  keys.push_back(whole("limits.connections_per_user", "Connections at a time of one user to each socket", 1, 1'000'000,
                       TROUPE_PLACE(server.connections_per_user)));
  keys.push_back(whole("limits.connections_per_s", "Connections of one user to each socket in a second; more wait", 1,
                       1'000'000, TROUPE_PLACE(server.connections_per_second)));
  keys.push_back(whole("limits.calls_per_s", "Calls of one user in a second, such as those of troupe status", 1,
                       1'000'000, TROUPE_PLACE(server.calls_per_second)));
  keys.push_back(memory("limits.unread_answers", "Answers to calls that one user has not read, with their unit",
                        TROUPE_PLACE(server.unread_answers)));
  keys.push_back(whole("limits.tasks", "Tasks in flight of one client, those of runs of recordings included", 1, kMost,
                       TROUPE_PLACE(server.limits.tasks)));
  keys.push_back(whole("limits.recorded_tasks", "Tasks in all recordings of one client", 0, kMost,
                       TROUPE_PLACE(server.limits.recorded_tasks)));
  keys.push_back(whole("limits.handles", "Registered handles of one client, blocks included", 1, kMost,
                       TROUPE_PLACE(server.limits.handles)));
  keys.push_back(
      memory("limits.memory", "Shared memory of one client, with its unit", TROUPE_PLACE(server.limits.memory)));
  keys.push_back(optional_memory("limits.memory_per_user",
                                 "The same of all clients of a user together, with what the service keeps for them; "
                                 "empty: three quarters of the machine's",
                                 TROUPE_PLACE(server.limits.memory_per_user)));
  keys.push_back(whole("limits.segments", "Segments of shared memory of one client", 1, 1'000'000,
                       TROUPE_PLACE(server.limits.segments)));
  keys.push_back(kernel_time());
  for (const BudgetTraits& budget : kBudgetTraits) {
    const std::size_t row = static_cast<std::size_t>(budget.resource);
    keys.push_back(whole(
        std::string(budget.key),
        fmt::format("{} of all clients of a user; 0: half of what the system has for all", capitalized(budget.what)), 0,
        kMost, [row](Configuration & c) -> auto& { return c.server.budgets_per_user[row]; }));
  }
  keys.push_back(key<double>("weights.other",
                             "Share of the workers of a user who is not named below, nor are his groups",
                             TROUPE_PLACE(weights.other), check_other_weight));
  keys.push_back(key<NamedWeights>("weights.users", "Shares of users, by name: { alice = 2 }",
                                   TROUPE_PLACE(weights.users), check_weights));
  keys.push_back(key<NamedWeights>("weights.groups", "Shares of members of groups, by name",
                                   TROUPE_PLACE(weights.groups), check_weights));
}

/// Converts a value to the text that an option of the runtime accepts.
std::string option_text(const ConfigurationValue& value) {
  if (const auto* const on = std::get_if<bool>(&value)) return text_of(*on);
  if (const auto* const whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  return std::get<std::string>(value);
}

/// Returns the option's value as the kind of its key. The value stays text if a TOML file cannot express the number.
ConfigurationValue option_value(const RuntimeOption& option, const RuntimeOptions& options) {
  std::string text = option.text(options);
  if (option.kind == OptionKind::flag) return text == text_of(true);
  if (option.kind != OptionKind::whole) return text;
  const auto number = parse_integer(text);
  return number.status == NumberStatus::ok ? ConfigurationValue(number.value) : ConfigurationValue(text);
}

ValueKind kind_of(OptionKind kind) {
  if (kind == OptionKind::flag) return ValueKind::flag;
  return kind == OptionKind::whole ? ValueKind::whole : ValueKind::text;
}

/// Checks that a path is absolute. A service has no working folder to which a relative path could refer.
Wrong check_option_path(const RuntimeOption& option, const std::string& text) {
  if (option.kind != OptionKind::path || !check_absolute(model_folder_of(text))) return std::nullopt;
  return fmt::format("{} is no absolute path: give one, default or none", troupe::quoted(text));
}

ConfigurationKey key_of(const RuntimeOption& option) {
  return {.name = option.key(),
          .description = option.help(),
          .kind = kind_of(option.kind),
          .option = &option,
          .set = [&option](const ConfigurationValue& given, Configuration& c) -> Wrong {
            const std::string text = option_text(given);
            if (Wrong wrong = check_option_path(option, text)) return wrong;
            const Result<void> set = option.read(option, c.server.runtime, text);
            return set ? std::nullopt : Wrong(set.failure().message);
          },
          .get = [&option](const Configuration& c) { return option_value(option, c.server.runtime); }};
}

void add_runtime(std::vector<ConfigurationKey>& keys) {
  for (const RuntimeOption& option : runtime_options()) {
    if (option.has(OptionDoor::service)) keys.push_back(key_of(option));
  }
}

void add_others(std::vector<ConfigurationKey>& keys) {
  keys.push_back(key<std::vector<std::string>>(
      "plugins.folders", "Folders of plug-ins, which nobody but root and the service's user may write: docs/plugins.md",
      TROUPE_PLACE(plugins.folders), check_folders));
  keys.push_back(flag("plugins.strict", "A plug-in that cannot be used keeps the service from starting",
                      TROUPE_PLACE(plugins.strict)));
  keys.push_back(flag("http.enabled", "Offer metrics and the page over HTTP", TROUPE_PLACE(http.enabled)));
  keys.push_back(
      text("http.address", "Address to listen on; other than loopback only with a token", TROUPE_PLACE(http.address)));
  keys.push_back(whole("http.port", "Port to listen on; 0: one that is free", 0, 65535, TROUPE_PLACE(http.port)));
  keys.push_back(text("http.token_file", "File with the token that callers must show; only its owner may read it",
                      TROUPE_PLACE(http.token_file), check_absolute));
  keys.push_back(
      choice("log.format", "text, or json: one object per line", {"text", "json"}, TROUPE_PLACE(log.format)));
  keys.push_back(choice("log.level", "The least that is logged: debug, info, warning or error",
                        {"debug", "info", "warning", "error"}, TROUPE_PLACE(log.level)));
  keys.push_back(text("log.file", "File that the log is appended to; empty: standard error", TROUPE_PLACE(log.file),
                      check_absolute));
  keys.push_back(cancel_after());
}

#undef TROUPE_PLACE

Failure must(const char* what) { return {ErrorCode::invalid_argument, std::string("must be ") + what}; }

/// Parses the weights from the command line and adds them to the weights of the configuration.
Result<ConfigurationValue> weights_of(const ConfigurationKey& key, const std::vector<std::string>& given,
                                      const Configuration& configuration) {
  auto all = std::get<std::map<std::string, double>>(key.get(configuration));
  for (const std::string& one : given) {
    const std::size_t equals = one.find('=');
    const auto number = equals == std::string::npos ? ParsedNumber<double>() : parse_real(one.substr(equals + 1));
    if (equals == 0 || number.status != NumberStatus::ok) return must("a name and a weight, such as alice=2");
    all[one.substr(0, equals)] = number.value;
  }
  return ConfigurationValue(all);
}

Result<ConfigurationValue> value_of(const ConfigurationKey& key, const std::vector<std::string>& given,
                                    const Configuration& configuration) {
  const std::string& last = given.back();
  if (key.option != nullptr) return ConfigurationValue(last);
  switch (key.kind) {
    case ValueKind::flag:
      if (last == "true" || last == "false") return ConfigurationValue(last == "true");
      return must("true or false");
    case ValueKind::whole: {
      const auto number = parse_integer(last);
      if (number.status == NumberStatus::ok) return ConfigurationValue(number.value);
      return must("a whole number");
    }
    case ValueKind::number: {
      const auto number = parse_real(last);
      if (number.status == NumberStatus::ok) return ConfigurationValue(number.value);
      return must("a number");
    }
    case ValueKind::text: return ConfigurationValue(last);
    case ValueKind::texts: return ConfigurationValue(given);
    case ValueKind::weights: break;
  }
  return weights_of(key, given, configuration);
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
  static const std::vector<ConfigurationKey> keys = [] {
    std::vector<ConfigurationKey> all;
    add_socket_and_limits(all);
    add_runtime(all);
    add_others(all);
    return all;
  }();
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

Result<void> set_from_text(const ConfigurationKey& key, const std::vector<std::string>& given,
                           Configuration& configuration) {
  if (given.empty()) return {};
  const auto value = value_of(key, given, configuration);
  const Wrong wrong = value ? key.set(value.value(), configuration) : Wrong(value.failure().message);
  if (!wrong) return {};
  // A message of the table of options already quotes the value.
  return Failure{ErrorCode::invalid_argument,
                 key.option != nullptr ? fmt::format("--{}: {}", key.name, *wrong)
                                       : fmt::format("--{} {}: {}", key.name, troupe::quoted(given.back()), *wrong)};
}

}  // namespace troupe::service
