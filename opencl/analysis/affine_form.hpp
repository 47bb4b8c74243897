/// Linear forms of the ids of work-items. The expressions of a kernel are converted to linear forms for one launch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "opencl/analysis/kernel_facts.hpp"

namespace troupe::opencl {

/// The number of ids. Their order: the global ids of the three dimensions, the ids of groups, the ids within a group.
inline constexpr std::size_t kIds = 9;

/// A linear form: the constant, plus the sum of coefficients times ids.
struct AffineForm {
  std::int64_t constant = 0;
  std::array<std::int64_t, kIds> coefficients{};

  [[nodiscard]] bool is_constant() const { return coefficients == std::array<std::int64_t, kIds>{}; }
};

/// The numbers from `least` to `greatest`, both included.
struct Interval {
  std::int64_t least = 0;
  std::int64_t greatest = 0;
};

/// Evaluates expressions for the items of a box. Unlike the kernel's numbers, the numbers here do not wrap around. If a
/// number of the kernel may wrap around, results that depend on this number are unknown, except for results that need
/// only its low bits.
class Evaluation {
 public:
  Evaluation(const KernelFacts& facts, const ItemBox& items, const LaunchValues& values);

  /// Narrows the box to the items for which all conditions hold. Conditions that are not understood are ignored.
  /// Returns false if there are no such items.
  [[nodiscard]] bool restrict_to(const std::vector<KernelFacts::Condition>& conditions);
  /// Returns true if the condition holds for all items of the current box.
  [[nodiscard]] bool always(const KernelFacts::Condition& condition) const;
  /// Returns a linear form that equals the expression, read as a signed number, in every item. Group ids are replaced
  /// by global ids where that is possible.
  [[nodiscard]] std::optional<AffineForm> form(ExpressionId expression) const;
  /// Returns the range of the form's values over all items.
  [[nodiscard]] std::optional<Interval> range(const AffineForm& form) const;
  /// Returns the range of an id; nothing if it is not known.
  [[nodiscard]] const std::optional<Interval>& ids(std::size_t id) const { return ids_[id]; }

 private:
  using Form = std::optional<AffineForm>;

  /// Returns a form that equals the expression up to a multiple of 2^bits; `bits` is the width of the expression.
  [[nodiscard]] Form congruent(ExpressionId expression) const;
  [[nodiscard]] Form compute(const Expression& expression) const;
  [[nodiscard]] Form compute_binary(const Expression& expression) const;
  [[nodiscard]] Form value_of_argument(const Expression& expression) const;
  [[nodiscard]] Form size_of_launch(const Expression& expression) const;
  /// Shifts the form by a multiple of 2^bits so that all its values fit into a number of `bits` bits; returns nothing
  /// if no shift fits all.
  [[nodiscard]] Form fitted(const Form& form, unsigned bits, bool is_signed) const;
  [[nodiscard]] Form divided(const Expression& expression, const AffineForm& left, const AffineForm& right) const;
  [[nodiscard]] AffineForm joined(const AffineForm& form) const;
  /// Returns the left side of a condition minus its right side.
  [[nodiscard]] Form difference(const KernelFacts::Condition& condition) const;
  /// Keeps the items for which the form is at most `most`. Returns false if there are no such items.
  [[nodiscard]] bool limit(const AffineForm& form, std::int64_t most);

  const KernelFacts& facts_;
  const LaunchValues& values_;
  std::array<std::optional<Interval>, kIds> ids_;
  bool is_empty_ = false;
  /// The forms that were computed for the current ids, indexed by expression.
  mutable std::vector<std::optional<Form>> known_;
};

}  // namespace troupe::opencl
