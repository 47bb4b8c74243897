/// A check that a kernel's source never removes the `const` of a parameter.
#pragma once

#include <string>

namespace troupe::opencl {

/// A parameter that points to constant elements, as reported by the vendor's compiler.
struct ConstParameter {
  std::string name;
  /// The type with the star, such as "float4*".
  std::string type_name;
};

/// Returns true if nothing is ever written through the parameter: its name occurs only in declarations and in reads of
/// an element, which is a number or a vector. The check is needed because in C a cast can remove `const`, and so can a
/// plain assignment, with a warning that nobody sees; a write is then legal if the buffer is not constant. Returns
/// false if macros or other files could hide a write. `options` are the program's options of clBuildProgram.
[[nodiscard]] bool keeps_const(const std::string& source, const std::string& options, const ConstParameter& parameter);

}  // namespace troupe::opencl
