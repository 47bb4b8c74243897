#include "opencl/analysis/affine_form.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace troupe::opencl {
namespace {

using Kind = Expression::Kind;
using Form = std::optional<AffineForm>;

constexpr std::size_t kGroups = 3;
constexpr std::size_t kLocals = 6;
constexpr unsigned kBits = 64;

std::optional<std::int64_t> sum(std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(left, right, &result)) return std::nullopt;
  return result;
}

std::optional<std::int64_t> product(std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(left, right, &result)) return std::nullopt;
  return result;
}

/// Divides and rounds down, for divisors above 0.
std::int64_t floor_of(std::int64_t number, std::int64_t divisor) {
  return number / divisor - (number % divisor < 0 ? 1 : 0);
}

Form constant_form(std::int64_t number) { return AffineForm{number, {}}; }

/// Returns left + factor * right.
Form combined(const AffineForm& left, const AffineForm& right, std::int64_t factor) {
  AffineForm result;
  const auto add = [&](std::int64_t a, std::int64_t b, std::int64_t& to) {
    const auto scaled = product(b, factor);
    const auto all = scaled ? sum(a, *scaled) : std::nullopt;
    if (all) to = *all;
    return all.has_value();
  };
  if (!add(left.constant, right.constant, result.constant)) return std::nullopt;
  for (std::size_t i = 0; i < kIds; ++i) {
    if (!add(left.coefficients[i], right.coefficients[i], result.coefficients[i])) return std::nullopt;
  }
  return result;
}

bool divisible(const AffineForm& form, std::int64_t by, bool with_constant) {
  return (!with_constant || form.constant % by == 0) &&
         std::ranges::all_of(form.coefficients, [&](std::int64_t c) { return c % by == 0; });
}

std::optional<Interval> interval(std::size_t first, std::size_t count) {
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max() / 4);
  if (first > kMost || count > kMost || count == 0) return std::nullopt;
  return Interval{static_cast<std::int64_t>(first), static_cast<std::int64_t>(first + count - 1)};
}

}  // namespace

Evaluation::Evaluation(const KernelFacts& facts, const ItemBox& items, const LaunchValues& values)
    : facts_(facts), values_(values), known_(facts.expressions.size()) {
  for (std::size_t d = 0; d < 3; ++d) {
    is_empty_ |= items.count[d] == 0;
    ids_[d] = interval(items.first[d], items.count[d]);
    const std::size_t local = values.local[d];
    if (!ids_[d] || local == 0 || items.first[d] < values.offset[d]) continue;
    ids_[kLocals + d] = interval(0, local);
    const std::size_t first = (items.first[d] - values.offset[d]) / local;
    const std::size_t last = (items.first[d] - values.offset[d] + items.count[d] - 1) / local;
    ids_[kGroups + d] = interval(first, last - first + 1);
  }
}

/// Replaces ids of groups and ids within a group by global ids, if their coefficients allow it.
AffineForm Evaluation::joined(const AffineForm& form) const {
  AffineForm result = form;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t of_local = form.coefficients[kLocals + d];
    const auto size = static_cast<std::int64_t>(values_.local[d]);
    if (of_local == 0 || size == 0 || product(of_local, size) != form.coefficients[kGroups + d]) continue;
    const auto of_global = sum(form.coefficients[d], of_local);
    const auto of_offset = product(-of_local, static_cast<std::int64_t>(values_.offset[d]));
    const auto rest = of_offset ? sum(form.constant, *of_offset) : std::nullopt;
    if (!of_global || !rest) continue;
    result.coefficients[d] = *of_global;
    result.coefficients[kGroups + d] = result.coefficients[kLocals + d] = 0;
    result.constant = *rest;
  }
  return result;
}

std::optional<Interval> Evaluation::range(const AffineForm& form) const {
  const AffineForm whole = joined(form);
  Interval result{whole.constant, whole.constant};
  for (std::size_t i = 0; i < kIds; ++i) {
    const std::int64_t coefficient = whole.coefficients[i];
    if (coefficient == 0) continue;
    if (!ids_[i]) return std::nullopt;
    const auto first = product(coefficient, coefficient > 0 ? ids_[i]->least : ids_[i]->greatest);
    const auto last = product(coefficient, coefficient > 0 ? ids_[i]->greatest : ids_[i]->least);
    const auto least = first ? sum(result.least, *first) : std::nullopt;
    const auto greatest = last ? sum(result.greatest, *last) : std::nullopt;
    if (!least || !greatest) return std::nullopt;
    result = {*least, *greatest};
  }
  return result;
}

Form Evaluation::fitted(const Form& form, unsigned bits, bool is_signed) const {
  if (!form) return form;
  const auto values = range(*form);
  if (!values) return std::nullopt;
  if (bits >= kBits) return is_signed || values->least >= 0 ? form : std::nullopt;
  const std::int64_t span = std::int64_t{1} << bits;
  // For 63 bits the span does not fit into a signed integer, so the form is unknown.
  if (span <= 0) return std::nullopt;
  const std::int64_t lowest = is_signed ? -(span / 2) : 0;
  const auto above = sum(values->least, -lowest);
  if (!above) return std::nullopt;
  const auto shift = product(floor_of(*above, span), -span);
  const auto constant = shift ? sum(form->constant, *shift) : std::nullopt;
  const auto greatest = shift ? sum(values->greatest, *shift) : std::nullopt;
  if (!constant || !greatest || *greatest > lowest + (span - 1)) return std::nullopt;
  AffineForm result = *form;
  result.constant = *constant;
  return result;
}

Form Evaluation::form(ExpressionId expression) const {
  const unsigned bits = facts_.expressions[static_cast<std::size_t>(expression)].bits;
  const Form fit = fitted(congruent(expression), bits, true);
  return fit ? Form(joined(*fit)) : Form();
}

Form Evaluation::congruent(ExpressionId expression) const {
  const auto index = static_cast<std::size_t>(expression);
  if (!known_[index]) known_[index] = compute(facts_.expressions[index]);
  return *known_[index];
}

Form Evaluation::compute(const Expression& expression) const {
  const auto id = [&](std::size_t first) {
    AffineForm form;
    form.coefficients[first + static_cast<std::size_t>(expression.left)] = 1;
    return Form(form);
  };
  switch (expression.kind) {
    case Kind::constant: return constant_form(expression.number);
    case Kind::argument: return value_of_argument(expression);
    case Kind::global_id: return id(0);
    case Kind::group_id: return id(kGroups);
    case Kind::local_id: return id(kLocals);
    case Kind::global_size:
    case Kind::local_size:
    case Kind::num_groups: return size_of_launch(expression);
    case Kind::truncate: return congruent(expression.left);
    case Kind::sign_extend:
    case Kind::zero_extend: {
      const unsigned bits = facts_.expressions[static_cast<std::size_t>(expression.left)].bits;
      return fitted(congruent(expression.left), bits, expression.kind == Kind::sign_extend);
    }
    default: return compute_binary(expression);
  }
}

Form Evaluation::value_of_argument(const Expression& expression) const {
  const auto argument = static_cast<std::size_t>(expression.left);
  const std::size_t size = expression.bits / 8;
  if (argument >= values_.arguments.size() || expression.bits % 8 != 0 || size > sizeof(std::uint64_t)) return {};
  const auto bytes = values_.arguments[argument];
  const auto from = static_cast<std::size_t>(expression.number);
  if (expression.number < 0 || from > bytes.size() || bytes.size() - from < size) return {};
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data() + from, size);
  // The highest bit of the number becomes its sign. This changes the value only by a multiple of 2^bits.
  const unsigned above = kBits - expression.bits;
  return constant_form(static_cast<std::int64_t>(number << above) >> above);
}

Form Evaluation::size_of_launch(const Expression& expression) const {
  const auto dimension = static_cast<std::size_t>(expression.left);
  const std::size_t global = values_.global[dimension];
  const std::size_t local = values_.local[dimension];
  const auto number = [](std::size_t size) {
    return size > std::size_t{1} << 62U ? Form() : constant_form(static_cast<std::int64_t>(size));
  };
  if (expression.kind == Kind::global_size) return number(global);
  // If the local size does not divide the global size, groups at the border may be smaller.
  if (local == 0 || global % local != 0) return {};
  return number(expression.kind == Kind::local_size ? local : global / local);
}

Form Evaluation::compute_binary(const Expression& expression) const {
  const Form left = congruent(expression.left);
  const Form right = left ? congruent(expression.right) : Form();
  if (!right) return {};
  switch (expression.kind) {
    case Kind::add: return combined(*left, *right, 1);
    case Kind::subtract: return combined(*left, *right, -1);
    case Kind::multiply:
      if (right->is_constant()) return combined({}, *left, right->constant);
      return left->is_constant() ? combined({}, *right, left->constant) : Form();
    case Kind::shift_left:
      if (!right->is_constant() || right->constant < 0 || right->constant > 62) return {};
      return combined({}, *left, std::int64_t{1} << right->constant);
    case Kind::bit_or: {
      // For `or`: if the left operand is a multiple of a power of two that is larger than the right operand, the result
      // is the sum of the operands.
      if (!right->is_constant() || right->constant <= 0 || right->constant > std::int64_t{1} << 32U) return {};
      std::int64_t above = 1;
      while (above <= right->constant) above *= 2;
      return divisible(*left, above, true) ? combined(*left, *right, 1) : Form();
    }
    default: return divided(expression, *left, *right);
  }
}

Form Evaluation::divided(const Expression& expression, const AffineForm& left, const AffineForm& right) const {
  const bool shifts = expression.kind == Kind::shift_right || expression.kind == Kind::shift_right_signed;
  const bool is_signed = expression.kind == Kind::shift_right_signed || expression.kind == Kind::divide_signed ||
                         expression.kind == Kind::remainder_signed;
  const Form number = fitted(left, expression.bits, is_signed);
  const Form other = fitted(right, expression.bits, is_signed);
  if (!number || !other || !other->is_constant() || (shifts && other->constant > 62)) return {};
  if (other->constant < 0 || (!shifts && other->constant == 0)) return {};
  const std::int64_t by = shifts ? std::int64_t{1} << other->constant : other->constant;
  const auto values = range(*number);
  // Division rounds towards zero, while shifts round down. So only shifts may have a negative left operand here.
  if (!divisible(*number, by, false) || !values || (!shifts && values->least < 0)) return {};
  const std::int64_t quotient = floor_of(number->constant, by);
  if (expression.kind == Kind::remainder || expression.kind == Kind::remainder_signed) {
    return constant_form(number->constant - quotient * by);
  }
  AffineForm result = *number;
  result.constant = quotient;
  for (std::int64_t& coefficient : result.coefficients) coefficient /= by;
  return result;
}

Form Evaluation::difference(const KernelFacts::Condition& condition) const {
  const unsigned bits = facts_.expressions[static_cast<std::size_t>(condition.left)].bits;
  const Form left = fitted(congruent(condition.left), bits, condition.is_signed);
  const Form right = left ? fitted(congruent(condition.right), bits, condition.is_signed) : Form();
  const Form both = right ? combined(*left, *right, -1) : Form();
  return both ? Form(joined(*both)) : Form();
}

bool Evaluation::always(const KernelFacts::Condition& condition) const {
  const Form form = difference(condition);
  const auto values = form ? range(*form) : std::nullopt;
  if (!values) return false;
  switch (condition.relation) {
    case KernelFacts::Condition::Relation::equal: return values->least == 0 && values->greatest == 0;
    case KernelFacts::Condition::Relation::less: return values->greatest < 0;
    case KernelFacts::Condition::Relation::less_or_equal: return values->greatest <= 0;
  }
  return false;
}

bool Evaluation::limit(const AffineForm& form, std::int64_t most) {
  const auto values = range(form);
  if (!values) return true;
  if (values->least > most) return false;
  for (std::size_t i = 0; i < kIds; ++i) {
    const std::int64_t coefficient = form.coefficients[i];
    if (coefficient == 0) continue;
    // `room` is the largest value that this id's term may have: `most` minus the least sum of the other terms.
    const auto from_id = product(coefficient, coefficient > 0 ? ids_[i]->least : ids_[i]->greatest);
    const auto others = from_id ? sum(values->least, -*from_id) : std::nullopt;
    const auto room = others ? sum(most, -*others) : std::nullopt;
    if (!room) continue;
    if (coefficient > 0) {
      ids_[i]->greatest = std::min(ids_[i]->greatest, floor_of(*room, coefficient));
    } else {
      ids_[i]->least = std::max(ids_[i]->least, -floor_of(*room, -coefficient));
    }
  }
  return true;
}

bool Evaluation::restrict_to(const std::vector<KernelFacts::Condition>& conditions) {
  if (is_empty_) return false;
  // One condition may narrow the ids so that another condition is understood in the second round.
  for (int round = 0; round < 2; ++round) {
    for (const KernelFacts::Condition& condition : conditions) {
      const Form form = difference(condition);
      if (!form) continue;
      const bool equal = condition.relation == KernelFacts::Condition::Relation::equal;
      const bool less = condition.relation == KernelFacts::Condition::Relation::less;
      if (!limit(*form, less ? -1 : 0)) return false;
      if (const Form opposite = equal ? combined({}, *form, -1) : Form(); opposite && !limit(*opposite, 0))
        return false;
      std::ranges::fill(known_, std::nullopt);
    }
  }
  return true;
}

}  // namespace troupe::opencl
