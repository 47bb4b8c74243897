/// The text by which a user chooses a policy: a name, and options behind a colon.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "troupe/errors.hpp"

namespace troupe::scheduler {

/// `dada:alpha=0.5,cp` is the policy `dada` with `alpha` = 0.5 and the switch `cp`.
struct PolicySpecification {
  std::string name;
  /// The options in the order in which they were written; a switch has an empty value.
  std::vector<std::pair<std::string, std::string>> options;
};

/// Reads a policy's text. Fails with `invalid_argument` if the name is empty, or if an option has no name or is given
/// twice.
[[nodiscard]] Result<PolicySpecification> parse_policy(std::string_view text);

/// Reads a policy's options one by one and keeps the first error. An option in the text that no call has asked for is
/// an error, too.
class PolicyOptions {
 public:
  explicit PolicyOptions(const PolicySpecification& specification) : specification_(specification) {}

  /// Returns a number from `least` to `most`, or `fallback` if the option is not given.
  double number(std::string_view name, double fallback, double least, double most);
  /// Returns a whole number from `least` to `most`, or `fallback` if the option is not given.
  std::size_t count(std::string_view name, std::size_t fallback, std::size_t least, std::size_t most);
  /// Returns true if the flag is given. A flag takes no value.
  bool flag(std::string_view name);
  /// Returns the option's value, which must be one of `words`; the first word if the option is not given.
  std::string word(std::string_view name, const std::vector<std::string_view>& words);

  /// Returns the first error; also fails if the text contains an option that no call has asked for.
  [[nodiscard]] Result<void> finish() const;

 private:
  /// Returns the option's value, or nothing if it is not given.
  std::optional<std::string> take(std::string_view name);
  void wrong(std::string_view option, const std::string& what);

  const PolicySpecification& specification_;
  std::vector<std::string> known_;
  std::string failure_;
};

}  // namespace troupe::scheduler
