/// The keys of a service's configuration: one table for the file, the command line, `--print-config` and the manual.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "actors/options/option_table.hpp"
#include "service/configuration/configuration.hpp"

namespace troupe::service {

/// The kinds of value that a file can give.
enum class ValueKind { flag, whole, number, text, texts, weights };

/// Returns the kind in words, such as "a whole number".
[[nodiscard]] std::string_view describe(ValueKind kind);

/// The values of a key, as texts: one text in general, any number for `texts`, and texts such as "alice=2" for
/// `weights`.
using KeyTexts = std::vector<std::string>;

/// A key. A file or a command line gives its values as texts, which the table's row reads, so that a value that cannot
/// be used is refused by the same sentence everywhere.
struct ConfigurationKey {
  /// The full name, such as "limits.tasks".
  std::string name;
  /// One line that says what the key means, and its unit.
  std::string description;
  ValueKind kind = ValueKind::text;
  /// The row of the option that gives the range of the key's values; null for keys whose value is a list or a table.
  const OptionRow* row = nullptr;
  /// Sets the values. Weights are added to those that are set. Fails with a sentence that quotes the wrong text.
  std::function<Result<void>(const KeyTexts&, Configuration&)> set;
  std::function<KeyTexts(const Configuration&)> get;

  /// Both functions return a part of the name: "limits" and "tasks" of "limits.tasks".
  [[nodiscard]] std::string_view section() const { return std::string_view(name).substr(0, name.find('.')); }
  [[nodiscard]] std::string_view last_name() const { return std::string_view(name).substr(name.find('.') + 1); }
};

/// Returns all keys; the keys of a section follow one another.
[[nodiscard]] std::span<const ConfigurationKey> configuration_keys();

/// Returns the key with this name; null if there is none.
[[nodiscard]] const ConfigurationKey* find_key(std::string_view name);
/// Returns the name of the key that was probably meant; empty if no name is similar.
[[nodiscard]] std::string nearest_key(std::string_view name);

/// Sets a key from the texts of the command line; changes nothing if there are none. Fails with `invalid_argument`.
[[nodiscard]] Result<void> set_from_text(const ConfigurationKey& key, const KeyTexts& given,
                                         Configuration& configuration);

}  // namespace troupe::service
