/// The parameters of a measurement as `key=value` words, which a runner gets as arguments.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string>

namespace troupe::bench {

/// Thrown if a word is not valid: the runner ends with exit code 2.
struct BadParameter : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The parameters, which the measured case looks up. If a word is never looked up, it is a mistake of the caller.
class Parameters {
 public:
  /// Throws `BadParameter` for words without `=` and for keys that appear twice.
  explicit Parameters(std::span<const char* const> words);

  /// These three return the value of a key, or `otherwise` if the key is not given. They throw `BadParameter` if the
  /// value is not a number, or is below `least`.
  [[nodiscard]] std::int64_t integer(const std::string& key, std::int64_t otherwise, std::int64_t least = 0);
  [[nodiscard]] double number(const std::string& key, double otherwise);
  [[nodiscard]] std::string text(const std::string& key, const std::string& otherwise);
  /// Returns the value of a key that must be 0 or 1.
  [[nodiscard]] bool flag(const std::string& key);

  /// Throws `BadParameter` if a given key has not been looked up.
  void require_all_used() const;

 private:
  const std::string* find(const std::string& key);

  std::map<std::string, std::string> values_;
  std::set<std::string> used_;
};

}  // namespace troupe::bench
