/// The objects into which a function's pointers may point.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "opencl/analysis/code/code_module.hpp"

namespace troupe::opencl {

/// The objects that a pointer may point into. An empty set means that it points only into local memory, private memory
/// or constants.
struct PointerRoots {
  /// Bit i is set if the pointer may point into the object of the function's parameter i. Parameters that point to
  /// memory of the group have no bit.
  std::uint64_t arguments = 0;
  /// True if the pointer may point into a variable of the program in global memory.
  bool variable = false;
  /// True if the pointer may point anywhere: it was loaded from memory, or was made from a number.
  bool anything = false;

  [[nodiscard]] bool none() const { return arguments == 0 && !variable && !anything; }
  PointerRoots& operator|=(const PointerRoots& other);
  friend bool operator==(const PointerRoots&, const PointerRoots&) = default;
};

/// The roots of all pointers of a function. Throws CodeNotUnderstood for functions with more than 64 parameters.
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
