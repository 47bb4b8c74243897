/// The keys of a service's configuration: one table for the file, the command line, `--print-config` and the manual.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "actors/options/option_table.hpp"
#include "service/configuration/configuration.hpp"

namespace troupe::service {

/// The kinds of value, in the order of `ConfigurationValue`'s alternatives.
enum class ValueKind { flag, whole, number, text, texts, weights };
using ConfigurationValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>, std::map<std::string, double>>;

/// Returns the kind in words, such as "a whole number".
[[nodiscard]] std::string_view describe(ValueKind kind);

/// The reason why a value is wrong, such as "must be positive"; nothing if the value is right.
using Wrong = std::optional<std::string>;

struct ConfigurationKey {
  /// The full name, such as "limits.tasks".
  std::string name;
  /// One line that says what the key means, and its unit.
  std::string description;
  ValueKind kind = ValueKind::text;
  /// The option of the runtime that the key sets; null if there is none. A key with an option also takes every text
  /// that the option takes.
  const RuntimeOption* option = nullptr;
  /// Sets the value, which must be of the kind above. Returns the reason if the value is wrong.
  std::function<Wrong(const ConfigurationValue&, Configuration&)> set;
  std::function<ConfigurationValue(const Configuration&)> get;

  /// The two words of the name: "limits" and "tasks" of "limits.tasks".
  [[nodiscard]] std::string_view section() const { return std::string_view(name).substr(0, name.find('.')); }
  [[nodiscard]] std::string_view last_name() const { return std::string_view(name).substr(name.find('.') + 1); }
};

/// Returns all keys; the keys of a section follow one another.
[[nodiscard]] std::span<const ConfigurationKey> configuration_keys();

/// Returns the key with this name; null if there is none.
[[nodiscard]] const ConfigurationKey* find_key(std::string_view name);
/// Returns the name of the key that was probably meant; empty if no name is similar.
[[nodiscard]] std::string nearest_key(std::string_view name);

/// Sets a key from the texts of the command line: one text in general, one text per list element for `texts`, and texts
/// such as "alice=2" for `weights`. Fails with `invalid_argument`.
[[nodiscard]] Result<void> set_from_text(const ConfigurationKey& key, const std::vector<std::string>& given,
                                         Configuration& configuration);

}  // namespace troupe::service
