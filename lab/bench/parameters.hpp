/// `key=value` words that tell a runner what to measure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string>

namespace troupe::bench {

/// Thrown if the words make no sense: the runner ends with exit code 2.
struct BadParameter : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The parameters, looked up by the case that runs. A word that no case has looked up is a mistake of the caller.
class Parameters {
 public:
  /// Throws `BadParameter` for words without `=` and for keys that appear twice.
  explicit Parameters(std::span<const char* const> words);

  /// Each returns the value of a key, or `otherwise`. Throws `BadParameter` if the value is no number, or is below
  /// `least`.
  [[nodiscard]] std::int64_t integer(const std::string& key, std::int64_t otherwise, std::int64_t least = 0);
  [[nodiscard]] double number(const std::string& key, double otherwise);
  [[nodiscard]] std::string text(const std::string& key, const std::string& otherwise);
  /// Returns the value of a key that is 0 or 1.
  [[nodiscard]] bool flag(const std::string& key);

  /// Throws `BadParameter` if a key was given that has not been looked up.
  void require_all_used() const;

 private:
  const std::string* find(const std::string& key);

  std::map<std::string, std::string> values_;
  std::set<std::string> used_;
};

}  // namespace troupe::bench
