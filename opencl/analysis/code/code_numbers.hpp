/// A function's integers as expressions.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "opencl/analysis/code/code_pointers.hpp"
#include "opencl/analysis/kernel_facts.hpp"

namespace troupe::opencl {

/// The same expression is the same node. Nothing: not known before the kernel runs.
class CodeNumbers {
 public:
  CodeNumbers(const CodeModule& module, const CodeFunction& function, const CodePointers& pointers);

  [[nodiscard]] std::optional<ExpressionId> number(const CodeOperand& operand);
  /// Of a pointer with one root: how many bytes behind what the root points to; 64 bits.
  [[nodiscard]] std::optional<ExpressionId> offset(const CodeOperand& pointer);
  /// Adds to the list what is known of an operand that is true, or false; returns whether that is all.
  [[nodiscard]] bool add_conditions(const CodeOperand& operand, bool truth,
                                    std::vector<KernelFacts::Condition>& conditions);

  [[nodiscard]] ExpressionId constant(std::int64_t number);
  [[nodiscard]] ExpressionId add(ExpressionId left, ExpressionId right);
  [[nodiscard]] ExpressionId scaled(ExpressionId number, std::uint64_t factor);
  [[nodiscard]] std::vector<Expression> take() { return std::move(nodes_); }
  [[nodiscard]] const std::vector<Expression>& nodes() const { return nodes_; }

 private:
  using Number = std::optional<ExpressionId>;

  [[nodiscard]] ExpressionId node(const Expression& expression);
  [[nodiscard]] const Expression& operator[](ExpressionId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::uint8_t bits_of(CodeTypeId type) const;
  [[nodiscard]] Number of_name(std::string_view name);
  [[nodiscard]] Number of_parameter(std::string_view name, std::size_t from, std::uint8_t bits) const;
  [[nodiscard]] Number compute(const CodeInstruction& instruction);
  [[nodiscard]] Number compute_binary(const CodeInstruction& instruction);
  [[nodiscard]] Number compute_masked(const CodeInstruction& instruction);
  [[nodiscard]] Number compute_cast(const CodeInstruction& instruction);
  [[nodiscard]] Number compute_call(const CodeInstruction& instruction);
  [[nodiscard]] Number compute_load(const CodeInstruction& instruction);
  [[nodiscard]] Number compute_element(const CodeInstruction& instruction);
  [[nodiscard]] Number compute_place(const CodeInstruction& instruction);
  [[nodiscard]] Number extended(Number number, std::uint8_t bits, Expression::Kind kind);
  [[nodiscard]] bool add_comparison(const CodeInstruction& comparison, bool truth,
                                    std::vector<KernelFacts::Condition>& conditions);
  void find_touched_values();

  const CodeModule& module_;
  const CodeFunction& function_;
  const CodePointers& pointers_;
  std::map<std::string_view, const CodeInstruction*> definitions_;
  std::map<std::string_view, std::size_t> parameters_;
  /// Bit i: parameter i is a value in memory of the item that may be changed.
  std::uint64_t touched_values_ = 0;
  std::vector<Expression> nodes_;
  std::map<std::tuple<Expression::Kind, int, int, int, std::int64_t>, ExpressionId> known_nodes_;
  std::map<std::string_view, Number> known_;
  std::map<std::string_view, Number> known_offsets_;
  /// How deep the present question is: code can be made that is deeper than the stack.
  int depth_ = 0;
};

/// `get_global_id` of `_Z13get_global_idj`; the name itself where it is not such a one.
[[nodiscard]] std::string_view plain_name(std::string_view mangled);

}  // namespace troupe::opencl
