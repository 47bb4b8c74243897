/// Checks whether a program's text may have another meaning for another vendor.
#pragma once

#include <string>
#include <vector>

namespace troupe::opencl {

/// `texts` are the source and all files that it includes, and `defined` the macros that the options define. Returns
/// true if a conditional of the preprocessor tests a macro that only some vendors define, and if this conditional
/// decides about more than extensions and errors. Also returns true if code contains such a macro, which may then stand
/// for anything. In code only reserved names are checked: names that begin with a prefix such as `__` or `CL_`, and
/// belong neither to the language nor to the program.
[[nodiscard]] bool depends_on_vendor(const std::vector<std::string>& texts, const std::vector<std::string>& defined);

}  // namespace troupe::opencl
