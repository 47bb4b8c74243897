/// Where a function's pointers come from.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "opencl/analysis/code/code_module.hpp"

namespace troupe::opencl {

/// What a pointer may point into. Nothing of all: memory of the group or the item, or constants.
struct PointerRoots {
  /// Bit i: what the function's parameter i points to, but for memory of the group.
  std::uint64_t arguments = 0;
  /// A variable of the program in global memory.
  bool variable = false;
  /// Whatever: a pointer that was itself in memory, or was made from a number.
  bool anything = false;

  [[nodiscard]] bool none() const { return arguments == 0 && !variable && !anything; }
  PointerRoots& operator|=(const PointerRoots& other);
  friend bool operator==(const PointerRoots&, const PointerRoots&) = default;
};

/// Throws CodeNotUnderstood for functions with more than 64 parameters.
class CodePointers {
 public:
  CodePointers(const CodeModule& module, const CodeFunction& function);

  [[nodiscard]] PointerRoots roots(const CodeOperand& operand) const;

 private:
  [[nodiscard]] PointerRoots roots_of_result(const CodeInstruction& instruction) const;

  const CodeModule& module_;
  std::map<std::string_view, PointerRoots> roots_;
};

}  // namespace troupe::opencl
