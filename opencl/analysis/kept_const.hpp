/// A check that a kernel's source never removes the `const` of a parameter.
#pragma once

#include <string>

namespace troupe::opencl {

/// A parameter that points to constant elements, as the vendor's compiler describes it.
struct ConstParameter {
  std::string name;
  /// The type with the star, such as "float4*".
  std::string type_name;
};

/// Returns true if nothing is ever written through the parameter: its name stands only in declarations and where an
/// element, which is a number or a vector, is read. The check is needed because C lets a pointer lose its `const` by a
/// cast and, with a warning that nobody sees, by a mere assignment; writing is then legal if the buffer is not
/// constant. Returns false if this cannot be seen: macros and other files could hide a write. `options` are the
/// program's options of clBuildProgram.
[[nodiscard]] bool keeps_const(const std::string& source, const std::string& options, const ConstParameter& parameter);

}  // namespace troupe::opencl
