/// A check whether a program's text may mean something else with another vendor.
#pragma once

#include <string>
#include <vector>

namespace troupe::opencl {

/// `texts` are the source and all files that it includes, and `defined` the macros that the options define. Returns
/// true if a conditional of the preprocessor tests a macro that only some vendors define, and decides on more than
/// extensions and errors. Also returns true if code names such a macro, which may then stand for anything. In code only
/// reserved names count: names that begin with a prefix such as `__` or `CL_`, and belong neither to the language nor
/// to the program.
[[nodiscard]] bool depends_on_vendor(const std::vector<std::string>& texts, const std::vector<std::string>& defined);

}  // namespace troupe::opencl
