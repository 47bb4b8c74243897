/// Checks whether a program's text may have another meaning for another vendor.
#pragma once

#include <string>
#include <vector>

namespace troupe::opencl {

/// Returns true if a conditional of the preprocessor tests a macro that only some vendors define, unless the
/// conditional contains only extension pragmas and directives without effect on kernels, such as `#error`. Also returns
/// true if code contains such a macro, because the macro may stand for anything. In code only reserved names are
/// checked: names that begin with a prefix such as `__` or `CL_`, and that neither the language nor the program
/// defines. `texts` are the source and all files that the source includes; `defined` are the macros that the options
/// define.
[[nodiscard]] bool depends_on_vendor(const std::vector<std::string>& texts, const std::vector<std::string>& defined);

}  // namespace troupe::opencl
