/// Expressions with the numbers of one launch in them: linear in the ids of the items.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "opencl/analysis/kernel_facts.hpp"

namespace troupe::opencl {

/// The global ids of the three dimensions, then the ids of groups, then those within a group.
inline constexpr std::size_t kIds = 9;

/// constant + sum of coefficients times ids.
struct AffineForm {
  std::int64_t constant = 0;
  std::array<std::int64_t, kIds> coefficients{};

  [[nodiscard]] bool is_constant() const { return coefficients == std::array<std::int64_t, kIds>{}; }
};

/// From the least to the greatest, both included.
struct Interval {
  std::int64_t least = 0;
  std::int64_t greatest = 0;
};

/// Evaluates expressions for the items of a box. Numbers are those of mathematics: where the kernel's wrap around, what
/// depends on that is not known, but for multiples of 2^bits that do not matter in the end.
class Evaluation {
 public:
  Evaluation(const KernelFacts& facts, const ItemBox& items, const LaunchValues& values);

  /// Fewer items: those of which all conditions hold, as far as these are understood. False: there are none.
  [[nodiscard]] bool restrict_to(const std::vector<KernelFacts::Condition>& conditions);
  /// For all items of the box that there are now.
  [[nodiscard]] bool always(const KernelFacts::Condition& condition) const;
  /// The form whose value, as a number with a sign, the expression has in each item. In global ids alone where what it
  /// has of groups makes such.
  [[nodiscard]] std::optional<AffineForm> form(ExpressionId expression) const;
  /// Of all items' values.
  [[nodiscard]] std::optional<Interval> range(const AffineForm& form) const;
  /// Of an id; nothing where it is not known.
  [[nodiscard]] const std::optional<Interval>& ids(std::size_t id) const { return ids_[id]; }

 private:
  using Form = std::optional<AffineForm>;

  /// Equal to the expression up to a multiple of 2^bits.
  [[nodiscard]] Form congruent(ExpressionId expression) const;
  [[nodiscard]] Form compute(const Expression& expression) const;
  [[nodiscard]] Form compute_binary(const Expression& expression) const;
  [[nodiscard]] Form value_of_argument(const Expression& expression) const;
  [[nodiscard]] Form size_of_launch(const Expression& expression) const;
  /// Shifted by such multiples so that all values are those of a number of so many bits; nothing where none fits all.
  [[nodiscard]] Form fitted(const Form& form, unsigned bits, bool is_signed) const;
  [[nodiscard]] Form divided(const Expression& expression, const AffineForm& left, const AffineForm& right) const;
  [[nodiscard]] AffineForm joined(const AffineForm& form) const;
  /// left - right of a condition.
  [[nodiscard]] Form difference(const KernelFacts::Condition& condition) const;
  /// Keeps the items in which the form is at most `most`. False: there are none.
  [[nodiscard]] bool limit(const AffineForm& form, std::int64_t most);

  const KernelFacts& facts_;
  const LaunchValues& values_;
  std::array<std::optional<Interval>, kIds> ids_;
  bool is_empty_ = false;
  /// By expression, for the present ids.
  mutable std::vector<std::optional<Form>> known_;
};

}  // namespace troupe::opencl
