/// The expressions in tables of claims: what a check compares, and the texts that report the numbers. README.md
/// describes the notation.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "apps/simulate/estimate.hpp"

namespace troupe::apps {

/// A number, with the margin of its confidence interval if it was estimated, or a text.
struct ClaimValue : std::variant<Estimate, std::string> {
  ClaimValue() = default;
  ClaimValue(const Estimate& estimate) : variant(estimate) {}
  template <class Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
  ClaimValue(Number number) : variant(Estimate{static_cast<double>(number), 0}) {}
  ClaimValue(std::string text) : variant(std::move(text)) {}
  ClaimValue(const char* text) : variant(std::string(text)) {}
};

/// A point of an experiment's results: the values of its places and figures by their names in the table.
using ClaimPoint = std::map<std::string, ClaimValue>;

/// A name in a table of claims.
struct ClaimName {
  /// A place tells points apart. A plain name is a figure of points, a constant, or a variable of loops. The table
  /// defines the others.
  enum class Kind { place, plain, value, list, expression, text };
  Kind kind = Kind::plain;
  std::string meaning = {};
  /// For a value, the place that it is a value of.
  std::string place = {};
};
using ClaimNames = std::map<std::string, ClaimName>;

/// A scope is what an expression sees: the points with the same values in all places that are set. All functions throw
/// `bad_input` for texts that are not understood or do not fit the points. `names` and `points` must outlive the scope.
class ClaimScope {
 public:
  ClaimScope(const ClaimNames& names, const std::vector<ClaimPoint>& points) : names_(&names), points_(&points) {}

  /// Returns the value of an expression; nothing if a point that it needs is missing.
  [[nodiscard]] std::optional<ClaimValue> value(std::string_view expression) const;
  /// Returns a text in which values have taken the place of `{expression:format}` and `[text | loops]`; nothing if one
  /// is missing.
  [[nodiscard]] std::optional<std::string> text(std::string_view pattern) const;
  /// Calls `visit` for each combination of the loops' values.
  void for_each(std::string_view loops, const std::function<void(const ClaimScope&)>& visit) const;

  [[nodiscard]] const ClaimNames& names() const { return *names_; }
  void set(const std::string& name, const ClaimValue& value);
  /// Returns what a name is set to, or stands for, or what all matching points have in common.
  [[nodiscard]] std::optional<ClaimValue> value_of(const std::string& name) const;
  /// Returns the different values of the points that match, whatever the name itself is set to.
  [[nodiscard]] std::vector<ClaimValue> values_of(const std::string& name) const;

  /// The combinations that reductions without `for` go over; null if there are none.
  const std::vector<ClaimScope>* counted = nullptr;

 private:
  const ClaimNames* names_;
  const std::vector<ClaimPoint>* points_;
  // The values of the places, and of all other names.
  ClaimPoint places_;
  ClaimPoint variables_;
};

/// Throws `bad_input` if a text is not understood: an expression, a list, a text, or, for `place`, loops.
void check_claim_text(ClaimName::Kind kind, std::string_view text, const ClaimNames& names);

/// Returns the number of a value. Throws `bad_input` for a text.
[[nodiscard]] double number_of(const ClaimValue& value);

}  // namespace troupe::apps
