#include "opencl/analysis/code/code_numbers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace troupe::opencl {
namespace {

constexpr int kDeepest = 500;

using Kind = Expression::Kind;

std::optional<Kind> kind_of_operation(std::string_view operation) {
  constexpr std::array<std::pair<std::string_view, Kind>, 10> kKinds{{{"add", Kind::add},
                                                                      {"sub", Kind::subtract},
                                                                      {"mul", Kind::multiply},
                                                                      {"shl", Kind::shift_left},
                                                                      {"lshr", Kind::shift_right},
                                                                      {"ashr", Kind::shift_right_signed},
                                                                      {"udiv", Kind::divide},
                                                                      {"sdiv", Kind::divide_signed},
                                                                      {"urem", Kind::remainder},
                                                                      {"srem", Kind::remainder_signed}}};
  const auto found = std::ranges::find(kKinds, operation, &std::pair<std::string_view, Kind>::first);
  return found == kKinds.end() ? std::nullopt : std::optional(found->second);
}

/// A function that returns an id or a size to the kernel, and its result for dimensions that do not exist.
struct Question {
  std::string_view name;
  Kind kind;
  std::int64_t beyond;
};
constexpr std::array<Question, 6> kQuestions{{{"get_global_id", Kind::global_id, 0},
                                              {"get_group_id", Kind::group_id, 0},
                                              {"get_local_id", Kind::local_id, 0},
                                              {"get_global_size", Kind::global_size, 1},
                                              {"get_local_size", Kind::local_size, 1},
                                              {"get_num_groups", Kind::num_groups, 1}}};

}  // namespace

std::string_view plain_name(std::string_view mangled) {
  if (!mangled.starts_with("_Z")) return mangled;
  const std::size_t digits = std::min(mangled.find_first_not_of("0123456789", 2), mangled.size());
  const auto length = code_number(mangled.substr(2, digits - 2));
  if (!length || *length < 1 || static_cast<std::size_t>(*length) > mangled.size() - digits) return mangled;
  return mangled.substr(digits, static_cast<std::size_t>(*length));
}

CodeNumbers::CodeNumbers(const CodeModule& module, const CodeFunction& function, const CodePointers& pointers)
    : module_(module), function_(function), pointers_(pointers) {
  for (const CodeBlock& block : function.blocks) {
    for (const CodeInstruction& instruction : block.instructions) definitions_[instruction.result] = &instruction;
  }
  definitions_.erase(std::string_view());
  for (std::size_t i = 0; i < function.parameters.size(); ++i) parameters_[function.parameters[i].name] = i;
  find_touched_values();
}

void CodeNumbers::find_touched_values() {
  constexpr std::array<std::string_view, 8> kOnlyLook{"load", "getelementptr", "bitcast", "addrspacecast",
                                                      "phi",  "select",        "freeze",  "icmp"};
  for (const CodeBlock& block : function_.blocks) {
    for (const CodeInstruction& instruction : block.instructions) {
      if (std::ranges::find(kOnlyLook, instruction.operation) != kOnlyLook.end()) continue;
      for (const CodeOperand& operand : instruction.operands) touched_values_ |= pointers_.roots(operand).arguments;
    }
  }
}

ExpressionId CodeNumbers::node(const Expression& expression) {
  const auto [place, fresh] =
      known_nodes_.try_emplace({expression.kind, expression.bits, expression.left, expression.right, expression.number},
                               static_cast<ExpressionId>(nodes_.size()));
  if (fresh) nodes_.push_back(expression);
  return place->second;
}

ExpressionId CodeNumbers::constant(std::int64_t number) { return node({Kind::constant, 64, 0, 0, number}); }

ExpressionId CodeNumbers::add(ExpressionId left, ExpressionId right) {
  const Expression& first = (*this)[left];
  const Expression& second = (*this)[right];
  std::int64_t sum = 0;
  if (first.kind == Kind::constant && second.kind == Kind::constant &&
      !__builtin_add_overflow(first.number, second.number, &sum)) {
    return constant(sum);
  }
  if (first == Expression{}) return right;
  if (second == Expression{}) return left;
  return node({Kind::add, 64, left, right, 0});
}

ExpressionId CodeNumbers::scaled(ExpressionId number, std::uint64_t factor) {
  if (factor == 1) return number;
  const Expression& what = (*this)[number];
  std::int64_t product = 0;
  if (what.kind == Kind::constant && !__builtin_mul_overflow(what.number, factor, &product)) return constant(product);
  return node({Kind::multiply, 64, number, constant(static_cast<std::int64_t>(factor)), 0});
}

std::uint8_t CodeNumbers::bits_of(CodeTypeId type) const {
  const CodeType& what = module_.types()[type];
  return what.kind == CodeType::Kind::integer && what.bits > 1 && what.bits <= 64 ? static_cast<std::uint8_t>(what.bits)
                                                                                  : std::uint8_t{0};
}

CodeNumbers::Number CodeNumbers::number(const CodeOperand& operand) {
  const std::uint8_t bits = bits_of(operand.type);
  if (bits == 0) return std::nullopt;
  if (operand.kind == CodeOperand::Kind::number) return node({Kind::constant, bits, 0, 0, operand.number});
  if (operand.kind != CodeOperand::Kind::local) return std::nullopt;
  if (const auto parameter = parameters_.find(operand.name); parameter != parameters_.end()) {
    return node({Kind::argument, bits, static_cast<std::int32_t>(parameter->second), 0, 0});
  }
  const Number found = of_name(operand.name);
  // Different widths show a mistake of this reader; the number is then unknown.
  return found && (*this)[*found].bits == bits ? found : std::nullopt;
}

CodeNumbers::Number CodeNumbers::of_name(std::string_view name) {
  if (const auto known = known_.find(name); known != known_.end()) return known->second;
  const auto definition = definitions_.find(name);
  if (definition == definitions_.end() || depth_ == kDeepest) return std::nullopt;
  ++depth_;
  const Number result = compute(*definition->second);
  --depth_;
  known_[name] = result;
  return result;
}

CodeNumbers::Number CodeNumbers::compute(const CodeInstruction& instruction) {
  const std::string_view operation = instruction.operation;
  if (operation == "and" || operation == "or" || operation == "xor") return compute_masked(instruction);
  if (operation == "zext" || operation == "sext" || operation == "trunc") return compute_cast(instruction);
  if (operation == "call") return compute_call(instruction);
  if (operation == "load") return compute_load(instruction);
  if (operation == "extractelement") return compute_element(instruction);
  if (operation == "freeze") return number(instruction.operands.at(0));
  return compute_binary(instruction);
}

CodeNumbers::Number CodeNumbers::compute_binary(const CodeInstruction& instruction) {
  const auto kind = kind_of_operation(instruction.operation);
  if (!kind) return std::nullopt;
  const Number left = number(instruction.operands.at(0));
  const Number right = left ? number(instruction.operands.at(1)) : std::nullopt;
  if (!right) return std::nullopt;
  return node({*kind, bits_of(instruction.type), *left, *right, 0});
}

/// Computes operations with a constant mask. Compilers use masks for extensions of numbers, for sums of numbers without
/// common bits, and for complements.
CodeNumbers::Number CodeNumbers::compute_masked(const CodeInstruction& instruction) {
  const CodeOperand& mask = instruction.operands.at(1);
  const Number left = number(instruction.operands.at(0));
  if (!left || mask.kind != CodeOperand::Kind::number) return std::nullopt;
  const std::uint8_t bits = bits_of(instruction.type);
  if (instruction.operation == "xor") {
    if (mask.number != -1) return std::nullopt;
    return node({Kind::subtract, bits, node({Kind::constant, bits, 0, 0, -1}), *left, 0});
  }
  if (mask.number <= 0) return std::nullopt;
  if (instruction.operation == "or") {
    return node({Kind::bit_or, bits, *left, node({Kind::constant, bits, 0, 0, mask.number}), 0});
  }
  const auto ones = static_cast<std::uint64_t>(mask.number);
  if (!std::has_single_bit(ones + 1)) return std::nullopt;
  const auto kept = static_cast<std::uint8_t>(std::countr_one(ones));
  if (kept >= bits) return std::nullopt;
  return node({Kind::zero_extend, bits, node({Kind::truncate, kept, *left, 0, 0}), 0, 0});
}

CodeNumbers::Number CodeNumbers::extended(Number number, std::uint8_t bits, Expression::Kind kind) {
  if (!number || (*this)[*number].bits == bits) return number;
  return node({kind, bits, *number, 0, 0});
}

CodeNumbers::Number CodeNumbers::compute_cast(const CodeInstruction& instruction) {
  const std::uint8_t bits = bits_of(instruction.type);
  if (bits == 0) return std::nullopt;
  const Kind kind = instruction.operation == "zext"   ? Kind::zero_extend
                    : instruction.operation == "sext" ? Kind::sign_extend
                                                      : Kind::truncate;
  return extended(number(instruction.operands.at(0)), bits, kind);
}

CodeNumbers::Number CodeNumbers::compute_call(const CodeInstruction& instruction) {
  const auto question = std::ranges::find(kQuestions, plain_name(instruction.callee), &Question::name);
  if (question == kQuestions.end() || module_.function(instruction.callee) != nullptr) return std::nullopt;
  const CodeOperand& dimension = instruction.operands.at(0);
  if (dimension.kind != CodeOperand::Kind::number) return std::nullopt;
  if (dimension.number < 0 || dimension.number > 2) return constant(question->beyond);
  return node({question->kind, 64, static_cast<std::int32_t>(dimension.number), 0, 0});
}

/// Reads a member of a structure that is an argument of the kernel.
CodeNumbers::Number CodeNumbers::compute_load(const CodeInstruction& instruction) {
  const std::uint8_t bits = bits_of(instruction.type);
  const CodeOperand& pointer = instruction.operands.at(0);
  const PointerRoots roots = pointers_.roots(pointer);
  if (bits == 0 || bits % 8 != 0 || roots.anything || roots.variable || !std::has_single_bit(roots.arguments)) {
    return std::nullopt;
  }
  const int parameter = std::countr_zero(roots.arguments);
  if (!function_.parameters[static_cast<std::size_t>(parameter)].by_value || (roots.arguments & touched_values_) != 0) {
    return std::nullopt;
  }
  const Number place = offset(pointer);
  if (!place || (*this)[*place].kind != Kind::constant) return std::nullopt;
  return node({Kind::argument, bits, parameter, 0, (*this)[*place].number});
}

/// Reads an element of a vector that is an argument of the kernel.
CodeNumbers::Number CodeNumbers::compute_element(const CodeInstruction& instruction) {
  const CodeOperand& vector = instruction.operands.at(0);
  const CodeOperand& index = instruction.operands.at(1);
  const CodeType& type = module_.types()[vector.type];
  const auto parameter = parameters_.find(vector.name);
  if (vector.kind != CodeOperand::Kind::local || parameter == parameters_.end() ||
      type.kind != CodeType::Kind::vector || index.kind != CodeOperand::Kind::number) {
    return std::nullopt;
  }
  const std::uint8_t bits = bits_of(type.parts[0]);
  if (bits == 0 || bits % 8 != 0 || index.number < 0 || std::cmp_greater_equal(index.number, type.count)) {
    return std::nullopt;
  }
  return node({Kind::argument, bits, static_cast<std::int32_t>(parameter->second), 0, index.number * (bits / 8)});
}

CodeNumbers::Number CodeNumbers::offset(const CodeOperand& pointer) {
  if (pointer.kind != CodeOperand::Kind::local) return std::nullopt;
  if (parameters_.contains(pointer.name)) return constant(0);
  if (const auto known = known_offsets_.find(pointer.name); known != known_offsets_.end()) return known->second;
  const auto definition = definitions_.find(pointer.name);
  if (definition == definitions_.end() || depth_ == kDeepest) return std::nullopt;
  const CodeInstruction& instruction = *definition->second;
  ++depth_;
  Number result;
  if (instruction.operation == "bitcast" || instruction.operation == "addrspacecast" ||
      instruction.operation == "freeze") {
    result = offset(instruction.operands.at(0));
  } else if (instruction.operation == "getelementptr") {
    result = compute_place(instruction);
  }
  --depth_;
  known_offsets_[pointer.name] = result;
  return result;
}

CodeNumbers::Number CodeNumbers::compute_place(const CodeInstruction& instruction) {
  const CodeTypes& types = module_.types();
  Number place = offset(instruction.operands.at(0));
  CodeTypeId type = instruction.element;
  for (std::size_t i = 1; place && i < instruction.operands.size(); ++i) {
    const CodeOperand& index = instruction.operands[i];
    const CodeType& what = types[type];
    std::uint64_t stride = 0;
    if (i == 1) {
      stride = types.stride(type);
    } else if (what.kind == CodeType::Kind::vector || what.kind == CodeType::Kind::array) {
      type = what.parts[0];
      stride = types.stride(type);
    } else {
      if (index.kind != CodeOperand::Kind::number || index.number < 0) return std::nullopt;
      const auto part = static_cast<std::size_t>(index.number);
      place = add(*place, constant(static_cast<std::int64_t>(types.part_offset(type, part))));
      type = what.parts.at(part);
      continue;
    }
    const Number factor = index.kind == CodeOperand::Kind::number ? Number(constant(index.number))
                                                                  : extended(number(index), 64, Kind::sign_extend);
    if (!factor) return std::nullopt;
    place = add(*place, scaled(*factor, stride));
  }
  return place;
}

bool CodeNumbers::add_comparison(const CodeInstruction& comparison, bool truth,
                                 std::vector<KernelFacts::Condition>& conditions) {
  using Relation = KernelFacts::Condition::Relation;
  Number left = number(comparison.operands.at(0));
  Number right = left ? number(comparison.operands.at(1)) : std::nullopt;
  if (!right) return false;
  const std::string_view name = comparison.relation;
  if (name == "eq" || name == "ne") {
    if ((name == "eq") != truth) return false;
    conditions.push_back({Relation::equal, false, *left, *right});
    return true;
  }
  // The name has three letters: `ult` means unsigned, less than.
  if (name.size() != 3) return false;
  if (name[1] == 'g') std::swap(left, right);
  bool strict = name[2] == 't';
  if (!truth) {
    std::swap(left, right);
    strict = !strict;
  }
  conditions.push_back({strict ? Relation::less : Relation::less_or_equal, name[0] == 's', *left, *right});
  return true;
}

bool CodeNumbers::add_conditions(const CodeOperand& operand, bool truth,
                                 std::vector<KernelFacts::Condition>& conditions) {
  if (operand.kind == CodeOperand::Kind::number) return (operand.number != 0) == truth;
  const auto definition = definitions_.find(operand.name);
  if (operand.kind != CodeOperand::Kind::local || definition == definitions_.end() || depth_ == kDeepest) return false;
  const CodeInstruction& instruction = *definition->second;
  const auto both = [&](const CodeOperand& first, const CodeOperand& second) {
    ++depth_;
    const bool all_of_first = add_conditions(first, truth, conditions);
    const bool all_of_second = add_conditions(second, truth, conditions);
    --depth_;
    return all_of_first && all_of_second;
  };
  const auto& operands = instruction.operands;
  const auto is = [](const CodeOperand& what, std::int64_t number) {
    return what.kind == CodeOperand::Kind::number && what.number == number;
  };
  if (instruction.operation == "icmp" && operands.size() == 2) return add_comparison(instruction, truth, conditions);
  if (instruction.operation == (truth ? "and" : "or")) return both(operands.at(0), operands.at(1));
  if (instruction.operation == "select" && operands.size() == 3 && is(operands[truth ? 2 : 1], truth ? 0 : 1)) {
    return both(operands[0], operands[truth ? 1 : 2]);
  }
  if (instruction.operation == "freeze") return add_conditions(operands.at(0), truth, conditions);
  if (instruction.operation == "xor" && is(operands.at(1), 1)) return add_conditions(operands[0], !truth, conditions);
  return false;
}

}  // namespace troupe::opencl
