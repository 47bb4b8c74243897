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

/// Returns true if the source shows that nothing is ever written through the parameter: its name occurs only in
/// declarations and in reads of single elements (numbers or vectors). The check is needed because a cast or a plain
/// assignment can remove `const` in C, with a warning that nobody sees; a write is then legal if the buffer is not
/// constant. Returns false if macros or other files could hide a write. `options` are the program's options of
/// clBuildProgram.
[[nodiscard]] bool keeps_const(const std::string& source, const std::string& options, const ConstParameter& parameter);

}  // namespace troupe::opencl
