/// Whether a kernel's source leaves the `const` of a parameter alone.
#pragma once

#include <string>

namespace troupe::opencl {

/// A parameter that points to constant elements, as its compiler describes it.
struct ConstParameter {
  std::string name;
  /// With the star, as "float4*".
  std::string type_name;
};

/// C lets a pointer lose its `const` by a cast and, with a warning that is not seen, by a mere assignment, and writing
/// is legal then where the buffer is not constant. True: the name stands in declarations, and elsewhere only where an
/// element of a number's or a vector's type is taken, so nothing is ever written through the parameter. False where
/// that does not show: macros could hide it, and other files. `options`: the program's, of clBuildProgram.
[[nodiscard]] bool keeps_const(const std::string& source, const std::string& options, const ConstParameter& parameter);

}  // namespace troupe::opencl
