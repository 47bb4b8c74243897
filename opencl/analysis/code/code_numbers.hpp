/// The integers that a function computes, as expressions of its arguments and of the ids and sizes of the launch.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "opencl/analysis/code/code_pointers.hpp"
#include "opencl/analysis/kernel_facts.hpp"

namespace troupe::opencl {

/// The expressions of a function. Equal expressions share one node. An empty result means that the value is not known
/// before the kernel runs.
class CodeNumbers {
 public:
  CodeNumbers(const CodeModule& module, const CodeFunction& function, const CodePointers& pointers);

  [[nodiscard]] std::optional<ExpressionId> number(const CodeOperand& operand);
  /// Returns the offset of a pointer that has one root, in bytes from the beginning of the root object, as a 64-bit
  /// number.
  [[nodiscard]] std::optional<ExpressionId> offset(const CodeOperand& pointer);
  /// Appends conditions that hold if the operand has the value `truth`. Returns true if, conversely, the operand has
  /// this value whenever all appended conditions hold.
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
  /// Bit i is set if parameter i is a value in the item's own memory and the function may change this value.
  std::uint64_t touched_values_ = 0;
  std::vector<Expression> nodes_;
  std::map<std::tuple<Expression::Kind, int, int, int, std::int64_t>, ExpressionId> known_nodes_;
  std::map<std::string_view, Number> known_;
  std::map<std::string_view, Number> known_offsets_;
  /// The number of nested look-ups in progress. The number is limited, because code can be nested more deeply than the
  /// stack allows.
  int depth_ = 0;
};

/// Returns `get_global_id` for `_Z13get_global_idj`; the name itself if it is not mangled.
[[nodiscard]] std::string_view plain_name(std::string_view mangled);

}  // namespace troupe::opencl
